import { readFile } from 'node:fs/promises'
import { get } from 'node:https'
import { asList, asProperties, type Json, type Properties, text } from '../../properties.ts'
import type { RestClient } from '../resource.ts'
import { objectIn, RestError, type RestReply, type RestRequest, type Retrying, send } from '../rest.ts'

/** The identity that a provider uses. */
interface ClientConfig {
  readonly tenantId: string
  readonly clientId: string
  readonly objectId: string
}

/** A client of Graph. It sends nothing before the first call. A path starts with the version. */
export interface AzureAd extends RestClient {
  /** Resolves to the elements of a list. */
  list(path: string): Promise<readonly Properties[]>
  /** Resolves to the URL of an object by its object ID, for references. */
  objectUrl(id: string): Promise<string>
  whoAmI(): Promise<ClientConfig>
}

interface AzureAdSettings {
  readonly metadataHost: string | undefined
  readonly tenantId: string
  readonly clientId: string
  readonly clientSecret: string
  /** The OIDC token to use as a client assertion. It takes precedence over a secret. */
  readonly oidcToken: string | undefined
  /** A file of certificate authorities to trust instead of the system's: SSL_CERT_FILE, as in Go programs. */
  readonly certificates: string | undefined
}

interface Session {
  readonly graph: string
  readonly token: string
  readonly objectId: string
}

const metadataPath = '/metadata/endpoints?api-version=2022-09-01'
const publicMetadataHost = 'management.azure.com'
const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
const metadataTimeoutMs = 5_000
/**
 * Returns whether the provider repeats a request (go-azure-sdk, sdk/client, `Execute`). After a lost connection it repeats reads only.
 * tried: a POST whose connection is reset fails at once. [azuread 6.9.1, run against this emulator]
 */
const retryingOf =
  (method: string): Retrying =>
  status =>
    status === 'lost' ? method === 'GET' : status === 429 || (status >= 500 && status !== 501)

/** Returns the claims of a token, whose signature a client does not check. */
function claimsOf(token: string): Properties {
  const payload = token.split('.')[1] ?? ''
  return asProperties(JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as Json)
}

const withoutSlash = (url: string): string => url.replace(/\/$/, '')

/** Resolves to the body at a URL. Uses node:https, because `fetch` cannot trust other authorities. */
async function fetchTrusting(url: string, certificates: string | undefined): Promise<string> {
  const ca = certificates === undefined ? undefined : await readFile(certificates, 'utf8')
  return new Promise((resolve, reject) => {
    const request = get(
      url,
      { ...(ca === undefined ? {} : { ca }), timeout: metadataTimeoutMs },
      response => {
        let body = ''
        response.setEncoding('utf8').on('data', (chunk: string) => {
          body += chunk
        })
        response.on('end', () => {
          if (response.statusCode === 200) resolve(body)
          else reject(new RestError(`GET ${url}: ${response.statusCode} ${body}`, response.statusCode))
        })
      },
    )
    request.once('timeout', () => request.destroy(new Error('The answer timed out.')))
    request.once('error', cause =>
      reject(new RestError(`GET ${url}: ${cause.message}`, undefined, { cause })),
    )
  })
}

/** Finds the services by their metadata, which is always requested over HTTPS. */
async function discover(host: string, certificates: string | undefined) {
  const found = JSON.parse(await fetchTrusting(`https://${host}${metadataPath}`, certificates)) as Properties
  return {
    login: withoutSlash(text(asProperties(found['authentication'])['loginEndpoint'])),
    graph: withoutSlash(text(found['microsoftGraphResourceId'])),
  }
}

const credentialOf = ({ clientSecret, oidcToken }: AzureAdSettings): Record<string, string> =>
  oidcToken === undefined
    ? { client_secret: clientSecret }
    : { client_assertion: oidcToken, client_assertion_type: assertionType }

async function signIn(settings: AzureAdSettings): Promise<Session> {
  const { tenantId, clientId, clientSecret, oidcToken } = settings
  if (clientSecret === '' && oidcToken === undefined) {
    throw new RestError(
      'azuread has neither a client secret nor an OIDC token. Set ARM_CLIENT_SECRET, or ARM_USE_OIDC and ARM_OIDC_TOKEN.',
    )
  }
  const { login, graph } = await discover(settings.metadataHost ?? publicMetadataHost, settings.certificates)
  const fields = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: clientId,
    scope: `${graph}/.default`,
    ...credentialOf(settings),
  })
  const path = `/${tenantId}/oauth2/v2.0/token`
  const granted = objectIn(await send(login, { method: 'POST', path, fields }, {}, retryingOf('POST')))
  const token = text(granted['access_token'])
  return { graph, token, objectId: text(claimsOf(token)['oid']) }
}

/** Returns a client that signs in at its first call, and keeps the token. */
export function azureAdClient(settings: AzureAdSettings): AzureAd {
  let session: Promise<Session> | undefined
  const signedIn = () => {
    session ??= signIn(settings)
    return session
  }
  const raw = async (request: RestRequest): Promise<RestReply> => {
    const { graph, token } = await signedIn()
    return send(graph, request, { authorization: `Bearer ${token}` }, retryingOf(request.method))
  }
  const call = async (request: RestRequest): Promise<Properties> => {
    const reply = await raw(request)
    return reply.body === '' ? {} : objectIn(reply)
  }
  return {
    call,
    list: async path => asList((await call({ method: 'GET', path }))['value']).map(asProperties),
    objectUrl: async id => `${(await signedIn()).graph}/v1.0/directoryObjects/${id}`,
    whoAmI: async () => {
      const { objectId } = await signedIn()
      return { tenantId: settings.tenantId, clientId: settings.clientId, objectId }
    },
  }
}
