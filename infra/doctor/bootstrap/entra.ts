import { isGuid } from '../../../src/settings/guid.ts'
import { type HttpAnswer, reasonOf, requireSafeUrl } from '../../http.ts'
import { fieldOf, listOf } from '../../json.ts'
import { readRepository } from '../../settings/readers.ts'
import { shown } from '../../shown.ts'
import { graph } from '../../stack-facts.ts'
import { connectGitHub } from '../clients/github.ts'
import { type ReadGraph, readerOf, tokenCommand } from '../clients/graph.ts'
import { findingsOf, type ReadResult, type StepFinding } from '../finding.ts'

const { ok, note, missing } = findingsOf('entra')

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
type CiApplication = (typeof applications)[number]

/** Checks the applications for CI: their registrations, permissions and federated credentials. */
export async function checkEntra(env: NodeJS.ProcessEnv): Promise<readonly StepFinding[]> {
  const subject = await subjectOf(env)
  const tenant = env['ARM_TENANT_ID']
    ? []
    : [
        missing(
          'ARM_TENANT_ID is not set.',
          'export ARM_TENANT_ID=$(az account show --query tenantId --output tsv)',
        ),
      ]
  const known = applications.filter(({ variable }) => isGuid(env[variable] ?? ''))
  const absent = applications
    .filter(one => !known.includes(one))
    .map(({ variable, name }) =>
      missing(
        `${variable} is not set, or is not a client ID.`,
        `export ${variable}=$(az ad app create --display-name ${name} --sign-in-audience AzureADMyOrg --query appId --output tsv)`,
      ),
    )
  if (known.length === 0) return [...tenant, ...absent]
  const token = env['HOMEPORT_GRAPH_TOKEN']
  if (!token) {
    const text = 'HOMEPORT_GRAPH_TOKEN is not set, so Entra was not checked.'
    return [...tenant, ...absent, missing(text, tokenCommand)]
  }
  const root = requireSafeUrl(env['GRAPH_URL'] || 'https://graph.microsoft.com', 'GRAPH_URL')
  const read = readerOf(root, token)
  const checked: StepFinding[] = []
  for (const one of known) {
    const findings = await checkApplication(read, one, env[one.variable] ?? '', subject)
    if ('problem' in findings) return [...tenant, ...absent, ...checked, findings.problem]
    checked.push(...findings.value)
  }
  return [...tenant, ...checked, ...absent]
}

/** What a prefix may contain. It becomes part of a command that people run. */
const isPrefix = /^repo:[\w.@/-]+$/

/** Returns what the subject of a run's token starts with; null if GitHub was not read. */
async function subjectOf(env: NodeJS.ProcessEnv): Promise<string | null> {
  const repository = readRepository(env['GITHUB_REPOSITORY'] ?? '')
  const token = env['GITHUB_TOKEN']
  if ('problems' in repository || !token) return null
  const { owner, repository: name } = repository.value
  const answer = await connectGitHub(env, token)(`/repos/${owner}/${name}/actions/oidc/customization/sub`)
  if (answer.status !== 200) return null
  const prefix = fieldOf(answer.body, 'sub_claim_prefix')
  return typeof prefix === 'string' && isPrefix.test(prefix) ? prefix : `repo:${owner}/${name}`
}

async function checkApplication(
  read: ReadGraph,
  one: CiApplication,
  clientId: string,
  subject: string | null,
): Promise<ReadResult<readonly StepFinding[], StepFinding>> {
  const { variable, name } = one
  const filter = new URLSearchParams({ $filter: `appId eq '${clientId}'` })
  const [found, principals] = await Promise.all([
    read(`/applications?${filter}`),
    read(`/servicePrincipals?${filter}`),
  ])
  if (found.status !== 200 || principals.status !== 200) {
    const refused = found.status === 200 ? principals : found
    return { problem: unreadEntra(refused) }
  }
  const [application] = valuesOf(found)
  const [principal] = valuesOf(principals)
  const value = [
    ...(application === undefined
      ? [
          missing(
            `No application has the client ID in ${variable}.`,
            `az ad app list --display-name ${name} --query [].appId --output tsv`,
          ),
        ]
      : [
          ok(`The application ${name} exists.`),
          ...(await checkFederation(read, idOf(application), one, subject)),
        ]),
    ...(principal === undefined
      ? [missing(`The application ${name} has no service principal.`, `az ad sp create --id "$${variable}"`)]
      : await checkPrincipal(read, idOf(principal), one)),
  ]
  return { value }
}

function unreadEntra(answer: HttpAnswer): StepFinding {
  const reason = reasonOf(answer, 'Graph')
  return missing(`Entra could not be read: ${reason}. The token lasts about an hour.`, tokenCommand)
}

const valuesOf = (answer: HttpAnswer): readonly unknown[] =>
  answer.status === 200 ? listOf(fieldOf(answer.body, 'value')) : []

const idOf = (value: unknown): string => encodeURIComponent(String(fieldOf(value, 'id')))

function federationCommand({ variable, environment }: CiApplication, subject: string): string {
  const audiences = [audience]
  const credential = {
    name: environment,
    issuer,
    subject: `${subject}:environment:${environment}`,
    audiences,
  }
  return `az ad app federated-credential create --id "$${variable}" --parameters '${JSON.stringify(credential)}'`
}

async function checkFederation(
  read: ReadGraph,
  application: string,
  one: CiApplication,
  subject: string | null,
): Promise<readonly StepFinding[]> {
  const { variable, name, environment } = one
  const answer = await read(`/applications/${application}/federatedIdentityCredentials`)
  if (answer.status !== 200) return [unreadEntra(answer)]
  const found = valuesOf(answer)
  const ending = `:environment:${environment}`
  const fits = (value: unknown) => {
    const text = String(fieldOf(value, 'subject'))
    return subject === null ? text.endsWith(ending) : text === `${subject}${ending}`
  }
  const credential = found.find(fits)
  const audiences = listOf(fieldOf(credential, 'audiences'))
  const isTrusted =
    credential !== undefined && fieldOf(credential, 'issuer') === issuer && audiences.includes(audience)
  const isCompared = subject !== null
  const others = found.filter(value => (isCompared ? value !== credential : !fits(value)))
  const trusts = isCompared
    ? ok(`It trusts runs in the environment ${environment}.`)
    : note(
        `It trusts runs in an environment ${environment}. GitHub was not read, so the repository was not compared.`,
      )
  return [
    isTrusted
      ? trusts
      : missing(
          `No federated credential of ${name} trusts runs in the environment ${environment}.`,
          federationCommand(one, subject ?? 'repo:OWNER/NAME'),
        ),
    ...others.map(other => {
      const id = String(fieldOf(other, 'id'))
      return missing(
        `The application ${name} also trusts ${shown(String(fieldOf(other, 'subject')))}.`,
        `az ad app federated-credential delete --id "$${variable}" --federated-credential-id ${/^[\w-]+$/.test(id) ? id : 'ID'}`,
      )
    }),
  ]
}

async function checkPrincipal(
  read: ReadGraph,
  principal: string,
  { variable, name, role, permission }: CiApplication,
): Promise<readonly StepFinding[]> {
  const assigned = valuesOf(await read(`/servicePrincipals/${principal}/appRoleAssignments`))
  const roles = assigned.map(one => fieldOf(one, 'appRoleId'))
  return [
    ok('Its service principal exists.'),
    roles.includes(role)
      ? ok(`It has ${permission}, with consent.`)
      : missing(
          `The application ${name} lacks ${permission}, or an administrator has not consented.`,
          `az ad app permission admin-consent --id "$${variable}"`,
        ),
    ...(roles.length > 1 ? [note(`It has ${roles.length} application permissions. One is enough.`)] : []),
  ]
}
