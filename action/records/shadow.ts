/** The default of `base-url`. */
export const cloudflareUrl = 'https://api.cloudflare.com'

/** The sandbox marks its tokens. Cloudflare's are random behind their prefix. */
const sandboxToken = /^cf[ua]t_sandbox/

/**
 * Returns what a list request adds to its query, so that the list also shows which records are hidden. Only Cloudflare and
 * the sandbox know the parameter, so any other service gets the plain request.
 */
export function shadowQuery({
  baseUrl,
  token,
}: {
  readonly baseUrl: string
  readonly token: string
}): string {
  return baseUrl === cloudflareUrl || sandboxToken.test(token) ? '&include_shadow_metadata=true' : ''
}

/**
 * Returns the ids of the NS records that hide a record from everybody. Metadata in any other form than the documented one
 * hides nothing. Glue is served beside the NS records, unless others above them make it dead (DNS docs, Shadowed records).
 */
export function hidersIn(meta: Readonly<Record<string, unknown>>): readonly string[] {
  const ids = meta['shadowed_by']
  const isGlue = meta['is_glue'] ?? false
  const isDead = meta['dead_glue'] ?? false
  if (!Array.isArray(ids) || typeof isGlue !== 'boolean' || typeof isDead !== 'boolean') return []
  return (isGlue && !isDead) || !ids.every(isId) ? [] : ids
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{32}$/.test(value)
}
