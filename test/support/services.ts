import type { FullDescription } from '../../sandbox/sandbox.ts'

type Cloudflare = Pick<FullDescription['cloudflare'], 'apiUrl' | 'adminToken'>

/** Calls Cloudflare, as its administrator by default. Resolves to the result. @throws Error if it refuses */
export async function askCloudflare<Result>(
  { apiUrl, adminToken }: Cloudflare,
  method: string,
  path: string,
  body?: unknown,
  token = adminToken,
): Promise<Result> {
  const { body: answer } = await ask(method, `${apiUrl}${path}`, token, body)
  if (!answer['success']) throw new Error(`${method} ${path}: ${JSON.stringify(answer['errors'])}`)
  return answer['result'] as Result
}

/** What a token can do: permission groups by name, on a resource. */
export type Allowed = readonly [resource: string, ...groups: string[]]

/** Creates a token, as people do in the dashboard. @param fields more of the token @param tokens path of its owner's tokens */
export async function createUserToken(
  at: Cloudflare,
  name: string,
  allowed: readonly Allowed[],
  fields: object = {},
  tokens = '/user/tokens',
): Promise<{ readonly id: string; readonly value: string }> {
  const path = `${tokens}/permission_groups`
  const known = await askCloudflare<readonly { id: string; name: string }[]>(at, 'GET', path)
  const policies = allowed.map(([resource, ...groups]) => ({
    effect: 'allow',
    permission_groups: groups.map(group => ({ id: known.find(one => one.name === group)?.id })),
    resources: { [resource]: '*' },
  }))
  return askCloudflare(at, 'POST', tokens, { name, policies, ...fields })
}

/** Returns the upload of a Worker that answers with a text. @param metadata besides its main module */
export function workerUpload(text: string, metadata: object): FormData {
  const form = new FormData()
  const code = `export default { fetch: () => new Response(${JSON.stringify(text)}) }`
  form.append('worker.js', new Blob([code], { type: 'application/javascript+module' }), 'worker.js')
  form.append('metadata', JSON.stringify({ main_module: 'worker.js', ...metadata }))
  return form
}

/** An answer of Cloudflare, GitHub, Graph or the login service. */
export interface Answer {
  readonly status: number
  /** Empty if the answer has no body. */
  readonly body: Record<string, unknown>
}

/** Calls a service with a token, unless it is null. Sends forms as they are, and anything else as JSON. */
export async function ask(
  method: string,
  url: string,
  token: string | null,
  body?: unknown,
): Promise<Answer> {
  const isForm = body instanceof FormData || body instanceof URLSearchParams
  const response = await fetch(url, {
    method,
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(isForm ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, body: text === '' ? {} : (JSON.parse(text) as Answer['body']) }
}

/** Calls a service as `ask` does. Resolves to the body. @throws Error if it refuses */
export async function askOrThrow(
  ...[method, url, token, body]: Parameters<typeof ask>
): Promise<Answer['body']> {
  const answer = await ask(method, url, token, body)
  if (answer.status < 300) return answer.body
  throw new Error(`${method} ${url}: HTTP ${answer.status} ${JSON.stringify(answer.body)}`)
}

type Tenant = Pick<FullDescription['entra'], 'instance' | 'tenantId' | 'graphUrl' | 'deployer'>

/** Requests a Graph token as the deployer, with some fields changed, or left out with null. */
export function requestGraphToken(
  { instance, tenantId, graphUrl, deployer }: Tenant,
  changes: Readonly<Record<string, string | null>> = {},
): Promise<Answer> {
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: deployer.clientId,
    client_secret: deployer.clientSecret,
    scope: `${graphUrl}/.default`,
  })
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) form.delete(name)
    else form.set(name, value)
  }
  return ask('POST', `${instance}${tenantId}/oauth2/v2.0/token`, null, form)
}

/** Resolves to a Graph token of the deployer. */
export const graphToken = async (tenant: Tenant): Promise<string> =>
  String((await requestGraphToken(tenant)).body['access_token'])
