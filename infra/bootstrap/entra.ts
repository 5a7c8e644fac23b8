import { isObjectId } from '../config-readers.ts'
import { graph } from '../graph-permissions.ts'
import { exchange, type HttpAnswer, requireSafeUrl } from '../http.ts'
import { fieldOf, listOf } from '../policy/rule.ts'
import { type Finding, findingsOf } from './finding.ts'
import { environments } from './github.ts'
import type { Local } from './local.ts'

const { ok, note, missing } = findingsOf('entra')

const issuer = 'https://token.actions.githubusercontent.com'
const audience = 'api://AzureADTokenExchange'
const tokenCommand =
  'export HOMEPORT_GRAPH_TOKEN=$(az account get-access-token --resource-type ms-graph --query accessToken --output tsv)'

/** Reads a path of Microsoft Graph. */
type Read = (path: string) => Promise<HttpAnswer>

/**
 * Checks the application for CI: its registration, permission and federated credentials.
 * @param clientId its client ID
 * @param subject what the subject of a run's token starts with, if GitHub returned it
 */
export async function checkEntra(
  { stack }: Local,
  env: NodeJS.ProcessEnv,
  clientId: string | undefined,
  subject: string | undefined,
): Promise<readonly Finding[]> {
  const tenant = env['ARM_TENANT_ID']
    ? []
    : [
        missing(
          'ARM_TENANT_ID is not set.',
          'export ARM_TENANT_ID=$(az account show --query tenantId --output tsv)',
        ),
      ]
  if (!clientId || !isObjectId(clientId.toLowerCase())) {
    const create =
      'export ARM_CLIENT_ID=$(az ad app create --display-name homeport-ci --sign-in-audience AzureADMyOrg --query appId --output tsv)'
    return [...tenant, missing('ARM_CLIENT_ID is not set, or is not a client ID.', create)]
  }
  const token = env['HOMEPORT_GRAPH_TOKEN']
  if (!token)
    return [...tenant, missing('HOMEPORT_GRAPH_TOKEN is not set, so Entra was not checked.', tokenCommand)]
  const root = requireSafeUrl(env['GRAPH_URL'] || 'https://graph.microsoft.com', 'GRAPH_URL')
  const read: Read = path =>
    exchange(`${root}/v1.0${path}`, { headers: { authorization: `Bearer ${token}` } })
  const filter = (appId: string) => new URLSearchParams({ $filter: `appId eq '${appId}'` })
  const [applications, principals] = await Promise.all([
    read(`/applications?${filter(clientId)}`),
    read(`/servicePrincipals?${filter(clientId)}`),
  ])
  if (applications.status !== 200 || principals.status !== 200) {
    const refused = applications.status === 200 ? principals : applications
    const reason = refused.status === null ? refused.problem : `Graph answered ${refused.status}`
    return [
      ...tenant,
      missing(`Entra could not be read: ${reason}. The token lasts about an hour.`, tokenCommand),
    ]
  }
  const [application] = valuesOf(applications)
  const [principal] = valuesOf(principals)
  return [
    ...tenant,
    ...(application === undefined
      ? [
          missing(
            'No application has the client ID in ARM_CLIENT_ID.',
            'az ad app list --display-name homeport-ci --query [].appId --output tsv',
          ),
        ]
      : [ok('The application for CI exists.'), ...(await checkFederation(read, idOf(application), subject))]),
    ...(principal === undefined
      ? [missing('The application has no service principal.', 'az ad sp create --id "$ARM_CLIENT_ID"')]
      : await checkPrincipal(read, idOf(principal), stack)),
  ]
}

const valuesOf = (answer: HttpAnswer): readonly unknown[] =>
  answer.status === 200 ? listOf(fieldOf(answer.body, 'value')) : []

const idOf = (value: unknown): string => encodeURIComponent(String(fieldOf(value, 'id')))

function federationCommand(environment: string, subject: string): string {
  const audiences = [audience]
  const credential = {
    name: environment,
    issuer,
    subject: `${subject}:environment:${environment}`,
    audiences,
  }
  return `az ad app federated-credential create --id "$ARM_CLIENT_ID" --parameters '${JSON.stringify(credential)}'`
}

async function checkFederation(
  read: Read,
  application: string,
  subject: string | undefined,
): Promise<readonly Finding[]> {
  const found = valuesOf(await read(`/applications/${application}/federatedIdentityCredentials`))
  return environments.map(environment => {
    const ending = `:environment:${environment}`
    const fits = (value: unknown) => {
      const text = String(fieldOf(value, 'subject'))
      return subject === undefined ? text.endsWith(ending) : text === `${subject}${ending}`
    }
    const credential = found.find(fits)
    const audiences = listOf(fieldOf(credential, 'audiences'))
    if (
      credential !== undefined &&
      fieldOf(credential, 'issuer') === issuer &&
      audiences.includes(audience)
    ) {
      return ok(`Runs in the environment ${environment} are trusted.`)
    }
    return missing(
      `No federated credential trusts runs in the environment ${environment}.`,
      federationCommand(environment, subject ?? 'repo:OWNER/NAME'),
    )
  })
}

async function checkPrincipal(
  read: Read,
  principal: string,
  stack: Local['stack'],
): Promise<readonly Finding[]> {
  const assigned = valuesOf(await read(`/servicePrincipals/${principal}/appRoleAssignments`))
  const consent = 'az ad app permission admin-consent --id "$ARM_CLIENT_ID"'
  const roles = assigned.map(one => fieldOf(one, 'appRoleId'))
  const owners = stack?.settings?.ownerObjectIds ?? []
  return [
    ok('Its service principal exists.'),
    roles.includes(graph.readWriteOwnedBy)
      ? ok('It has Application.ReadWrite.OwnedBy, with consent.')
      : missing('It lacks Application.ReadWrite.OwnedBy, or an administrator has not consented.', consent),
    ...(stack?.settings === undefined || stack.settings === null
      ? []
      : [
          owners.includes(principal)
            ? ok('It owns the registration of the stack.')
            : {
                ...missing(
                  'ownerObjectIds does not list the service principal of CI.',
                  'pulumi config set --plaintext ownerObjectIds "$ME,$CI"',
                ),
                step: 'stack' as const,
              },
        ]),
    ...(roles.length > 1 ? [note(`It has ${roles.length} application permissions. One is enough.`)] : []),
  ]
}
