import { quoteValue } from '../../lib/quote.ts'
import type { Reading } from '../../lib/reading.ts'
import { isGuid } from '../../lib/settings/readers.ts'
import { connect, connectGitHub, graphTokenCommand, reasonOf } from '../http.ts'
import { fieldOf, listOf, textOf } from '../json.ts'
import { graph } from '../resources/registration-arguments.ts'
import { readRepository } from '../settings/readers/repository.ts'
import { type Finding, findingsOf } from './steps.ts'

const { ok, missing } = findingsOf('entra')

const issuer = 'https://token.actions.githubusercontent.com'
const audience = 'api://AzureADTokenExchange'
/** The applications that runs sign in as. Each trusts one environment. */
const applications = [
  {
    variable: 'ARM_CLIENT_ID',
    name: 'homeport-ci',
    environment: 'infra',
    role: graph.readWriteOwnedBy,
    permission: 'Application.ReadWrite.OwnedBy',
  },
  {
    variable: 'ARM_DRIFT_CLIENT_ID',
    name: 'homeport-ci-drift',
    environment: 'infra-drift',
    role: graph.readAll,
    permission: 'Application.Read.All',
  },
] as const

/** Reads the list at a path of Graph. */
type List = (path: string) => Promise<readonly unknown[]>

/**
 * Checks the applications for CI: whom they trust, what they may do, and that the first can update what it deploys.
 * @param owners of the registration, as the stack lists them; null without a list
 */
export async function checkEntra(
  env: NodeJS.ProcessEnv,
  owners: readonly string[] | null = null,
): Promise<readonly Finding[]> {
  const token = env['HOMEPORT_GRAPH_TOKEN'] ?? ''
  const send = connect(`${env['GRAPH_URL'] || 'https://graph.microsoft.com'}/v1.0`, 'GRAPH_URL', token)
  let problem = token === '' ? 'HOMEPORT_GRAPH_TOKEN is not set' : null
  const list: List = async path => {
    const answer = problem === null ? await send(path) : null
    if (answer?.status === 200) return listOf(fieldOf(answer.body, 'value'))
    problem ??= answer && reasonOf(answer, 'Graph')
    return []
  }
  const prefix = await subjectOf(env)
  const found: Finding[] = []
  const unset: Finding[] = []
  for (const one of applications) {
    const clientId = env[one.variable] ?? ''
    if (isGuid(clientId)) found.push(...(await checkApplication(list, one, clientId, prefix, owners)))
    else
      unset.push(
        missing(
          `${one.variable} is not set to a client ID.`,
          `Create the application ${one.name} as the page says. If it exists: export ${one.variable}=$(az ad app list --display-name ${one.name} --query "[?displayName=='${one.name}'].appId" --output tsv)`,
        ),
      )
  }
  if (problem === null) return [...unset, ...found]
  const text = `Entra could not be read: ${problem}. A token lasts about an hour.`
  return [missing(text, graphTokenCommand), ...unset]
}

/** Resolves to what the subject of a run's token starts with, or to why GitHub was not read. */
async function subjectOf(env: NodeJS.ProcessEnv): Promise<Reading<string>> {
  const repository = readRepository(env['GITHUB_REPOSITORY'] ?? '')
  if ('problems' in repository) return { problem: `GITHUB_REPOSITORY ${repository.problems[0]}` }
  if (!env['GITHUB_TOKEN']) return { problem: 'GITHUB_TOKEN is not set.' }
  const { owner, repository: name } = repository.value
  const read = connectGitHub(env, env['GITHUB_TOKEN'])
  const answer = await read(`/repos/${owner}/${name}/actions/oidc/customization/sub`)
  return answer.status === 200
    ? { value: textOf(answer.body, 'sub_claim_prefix') ?? `repo:${owner}/${name}` }
    : { problem: `${reasonOf(answer, 'GitHub')} about ${owner}/${name}.` }
}

/**
 * Checks that an application trusts only the runs in its environment, has its permission and no other, and is listed in
 * `ownerObjectIds` if it needs to be.
 */
async function checkApplication(
  list: List,
  { variable, name, environment, role, permission }: (typeof applications)[number],
  clientId: string,
  prefix: Reading<string>,
  owners: readonly string[] | null,
): Promise<readonly Finding[]> {
  const filter = new URLSearchParams({ $filter: `appId eq '${clientId}'` })
  const [[application], [principal]] = [
    await list(`/applications?${filter}`),
    await list(`/servicePrincipals?${filter}`),
  ]
  if (application === undefined)
    return [missing(`No application has the client ID in ${variable}.`, 'Compare it with the portal.')]
  const trusted = await list(`/applications/${idOf(application)}/federatedIdentityCredentials`)
  const assigned = principal ? await list(`/servicePrincipals/${idOf(principal)}/appRoleAssignments`) : []
  const roles = assigned.map(each => fieldOf(each, 'appRoleId'))
  const further = assigned
    .filter(each => fieldOf(each, 'appRoleId') !== role)
    .map(each =>
      missing(
        `The application ${name} has the application permission ${quoteValue(String(fieldOf(each, 'appRoleId')))}, and needs only ${permission}.`,
        `az rest --method DELETE --url "https://graph.microsoft.com/v1.0/servicePrincipals/${idOf(principal)}/appRoleAssignments/${idOf(each)}"`,
      ),
    )
  const start = 'value' in prefix ? prefix.value : ''
  const subject = `${start}:environment:${environment}`
  const own = trusted.find(each => fieldOf(each, 'subject') === subject)
  const isTrusted = fieldOf(own, 'issuer') === issuer && listOf(fieldOf(own, 'audiences')).includes(audience)
  const federation = isTrusted
    ? ok(`It trusts runs in the environment ${environment}.`)
    : missing(
        `No federated credential of ${name} trusts runs in the environment ${environment}.`,
        `Create it as the page says, with the subject ${quoteValue(subject)}.`,
      )
  const others = trusted
    .filter(each => each !== own)
    .map(each => {
      const id = String(fieldOf(each, 'id'))
      return missing(
        `The application ${name} also trusts ${quoteValue(String(fieldOf(each, 'subject')))}.`,
        `az ad app federated-credential delete --id "$${variable}" --federated-credential-id ${/^[\w-]+$/.test(id) ? id : 'ID'}`,
      )
    })
  const objectId = textOf(principal, 'id')
  const isOwner = !owners || !objectId || role !== graph.readWriteOwnedBy || owners.includes(objectId)
  const trust =
    'value' in prefix
      ? [federation, ...others]
      : [
          missing(
            `Whom the application ${name} trusts was not checked: ${prefix.problem}`,
            'export GITHUB_TOKEN=$(gh auth token) GITHUB_REPOSITORY=YOU/homeport',
          ),
        ]
  return [
    ...trust,
    ...(isOwner
      ? []
      : [
          missing(
            `ownerObjectIds lacks ${objectId}, the Object ID of ${name} (not its client ID), so its runs are refused.`,
            `pulumi config set --plaintext ownerObjectIds "ID,${objectId}", with the Object ID of everybody who deploys`,
          ),
        ]),
    roles.includes(role)
      ? ok(`It has ${permission}, with consent.`)
      : missing(
          `The application ${name} lacks ${permission}, or an administrator has not consented.`,
          `az ad app permission admin-consent --id "$${variable}", after az ad app permission add if the application does not list it`,
        ),
    ...further,
  ]
}

const idOf = (value: unknown): string => encodeURIComponent(String(fieldOf(value, 'id')))
