import { CommandError } from '../../../lib/command.ts'
import { quoteValue } from '../../../lib/quote.ts'
import { isGuid } from '../../../lib/settings/readers.ts'
import { connect, connectGitHub, reasonOf } from '../../http.ts'
import { fieldOf, listOf, textOf } from '../../json.ts'
import { graph } from '../../resources/registration-arguments.ts'
import { readRepository } from '../../settings/readers/repository.ts'
import { graphTokenCommand } from '../graph-token.ts'
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

/** Checks the applications for CI: whom they trust, and what they may do. */
export async function checkEntra(env: NodeJS.ProcessEnv): Promise<readonly Finding[]> {
  const token = env['HOMEPORT_GRAPH_TOKEN'] ?? ''
  const send = connect(`${env['GRAPH_URL'] || 'https://graph.microsoft.com'}/v1.0`, 'GRAPH_URL', token)
  const list: List = async path => {
    if (token === '') throw new CommandError('HOMEPORT_GRAPH_TOKEN is not set')
    const answer = await send(path)
    if (answer.status === 200) return listOf(fieldOf(answer.body, 'value'))
    throw new CommandError(reasonOf(answer, 'Graph'))
  }
  const subject = await subjectOf(env)
  const findings: Finding[] = []
  try {
    for (const one of applications) {
      const clientId = env[one.variable] ?? ''
      if (isGuid(clientId)) findings.push(...(await checkApplication(list, one, clientId, subject)))
      else
        findings.push(
          missing(
            `${one.variable} is not set to a client ID.`,
            `Create the application ${one.name} as the page says. If it exists: export ${one.variable}=$(az ad app list --display-name ${one.name} --query "[?displayName=='${one.name}'].appId" --output tsv)`,
          ),
        )
    }
    return findings
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    const text = `Entra could not be read: ${error.message}. A token lasts about an hour.`
    return [missing(text, graphTokenCommand), ...findings]
  }
}

/** Returns what the subject of a run's token starts with; null if GitHub was not read. */
async function subjectOf(env: NodeJS.ProcessEnv): Promise<string | null> {
  const repository = readRepository(env['GITHUB_REPOSITORY'] ?? '')
  if ('problems' in repository || !env['GITHUB_TOKEN']) return null
  const { owner, repository: name } = repository.value
  const read = connectGitHub(env, env['GITHUB_TOKEN'])
  const answer = await read(`/repos/${owner}/${name}/actions/oidc/customization/sub`)
  if (answer.status !== 200) return null
  return textOf(answer.body, 'sub_claim_prefix') ?? `repo:${owner}/${name}`
}

/** Checks that an application trusts the runs in its environment and nothing else, and its permission. */
async function checkApplication(
  list: List,
  { variable, name, environment, role, permission }: (typeof applications)[number],
  clientId: string,
  prefix: string | null,
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
  const subject = `${prefix}:environment:${environment}`
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
  const unread = missing(
    `GitHub was not read, so whom the application ${name} trusts was not checked.`,
    'export GITHUB_TOKEN=$(gh auth token) GITHUB_REPOSITORY=YOU/homeport',
  )
  return [
    ...(prefix === null ? [unread] : [federation, ...others]),
    roles.includes(role)
      ? ok(`It has ${permission}, with consent.`)
      : missing(
          `The application ${name} lacks ${permission}, or an administrator has not consented.`,
          `az ad app permission admin-consent --id "$${variable}"`,
        ),
    ...further,
  ]
}

const idOf = (value: unknown): string => encodeURIComponent(String(fieldOf(value, 'id')))
