import { readFile } from 'node:fs/promises'
import { get } from 'node:https'
import { asProperties, type Json, listOf, type Properties, text } from '../../properties.ts'
import { parseObject, type Reply, type Request, RestError, send } from '../rest.ts'

/** Who a provider speaks as. */
export interface ClientConfig {
  readonly tenantId: string
  readonly clientId: string
  readonly objectId: string
}

/** The directory as its provider calls it; nothing is asked before the first call. */
export interface AzureAd {
  /** An answer's body; empty where there is none. The path begins with the version. */
  call(request: Request): Promise<Properties>
  /** The elements of a list. */
  list(path: string): Promise<readonly Properties[]>
  /** The address of an object in the directory, as references want it. */
  objectUrl(id: string): Promise<string>
  whoAmI(): Promise<ClientConfig>
}

export interface AzureAdSettings {
  readonly metadataHost: string | undefined
  readonly tenantId: string
  readonly clientId: string
  readonly clientSecret: string
  /** A token of somebody else who vouches for the client; goes before a secret. */
  readonly oidcToken: string | undefined
  /** A file of the authorities to trust, in the place of the system's: SSL_CERT_FILE, which Go programs go by. */
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
const isTransient = (status: number): boolean => status === 429 || status >= 500

/** What a token says of who holds it; its signature is not the client's to check. */
function claimsOf(token: string): Properties {
  const payload = token.split('.')[1] ?? ''
  return asProperties(JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as Json)
}

const withoutSlash = (url: string): string => url.replace(/\/$/, '')

/** The body at an address over TLS, with certificates that `fetch` cannot be given. */
async function fetchTrusting(url: string, certificates: string | undefined): Promise<string> {
  const ca = certificates === undefined ? undefined : await readFile(certificates, 'utf8')
  return new Promise((resolve, reject) => {
    const asked = get(url, { ...(ca === undefined ? {} : { ca }), timeout: metadataTimeoutMs }, response => {
      let body = ''
      response.setEncoding('utf8').on('data', (chunk: string) => {
        body += chunk
      })
      response.on('end', () => {
        if (response.statusCode === 200) resolve(body)
        else reject(new RestError(`GET ${url}: ${response.statusCode} ${body}`, response.statusCode))
      })
    })
    asked.once('timeout', () => asked.destroy(new Error('no answer in time')))
    asked.once('error', cause => reject(new RestError(`GET ${url}: ${cause.message}`, undefined, { cause })))
  })
}

/** Finds the services by their metadata, which is asked for over https whatever the services themselves speak. */
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
      'azuread has neither a client secret nor an OIDC token. Set ARM_CLIENT_SECRET or ARM_OIDC_TOKEN.',
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
  const granted = parseObject(await send(login, { method: 'POST', path, fields }, {}, isTransient))
  const token = text(granted['access_token'])
  return { graph, token, objectId: text(claimsOf(token)['oid']) }
}

export function azureAdClient(settings: AzureAdSettings): AzureAd {
  let session: Promise<Session> | undefined
  const signedIn = () => {
    session ??= signIn(settings)
    return session
  }
  const raw = async (request: Request): Promise<Reply> => {
    const { graph, token } = await signedIn()
    return send(graph, request, { authorization: `Bearer ${token}` }, isTransient)
  }
  const call = async (request: Request): Promise<Properties> => {
    const reply = await raw(request)
    return reply.body === '' ? {} : parseObject(reply)
  }
  return {
    call,
    list: async path => listOf((await call({ method: 'GET', path }))['value']).map(asProperties),
    objectUrl: async id => `${(await signedIn()).graph}/v1.0/directoryObjects/${id}`,
    whoAmI: async () => {
      const { objectId } = await signedIn()
      return { tenantId: settings.tenantId, clientId: settings.clientId, objectId }
    },
  }
}
