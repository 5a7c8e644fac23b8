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
  const isForm = body instanceof FormData
  const response = await fetch(`${apiUrl}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(isForm ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
  })
  const answer = (await response.json()) as { success: boolean; errors: unknown; result: Result }
  if (!answer.success) throw new Error(`${method} ${path}: ${JSON.stringify(answer.errors)}`)
  return answer.result
}

/** Returns the upload of a Worker that answers with a text. @param metadata besides its main module */
export function workerUpload(text: string, metadata: object): FormData {
  const form = new FormData()
  const code = `export default { fetch: () => new Response(${JSON.stringify(text)}) }`
  form.append('worker.js', new Blob([code], { type: 'application/javascript+module' }), 'worker.js')
  form.append('metadata', JSON.stringify({ main_module: 'worker.js', ...metadata }))
  return form
}

/** Resolves to a Graph token of the deployer. */
export async function graphToken({
  instance,
  tenantId,
  graphUrl,
  deployer,
}: FullDescription['entra']): Promise<string> {
  const form = {
    grant_type: 'client_credentials',
    client_id: deployer.clientId,
    client_secret: deployer.clientSecret,
    scope: `${graphUrl}/.default`,
  }
  const url = `${instance}${tenantId}/oauth2/v2.0/token`
  const granted = await fetch(url, { method: 'POST', body: new URLSearchParams(form) })
  return ((await granted.json()) as { access_token: string }).access_token
}
