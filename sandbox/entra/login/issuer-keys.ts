import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import { isObject, parseObject } from '../../http/validation.ts'
import { isLoopback } from '../../http/virtual-hosts.ts'

const timeoutMs = 5000
const maxBytes = 64 * 1024

async function readJson(address: string) {
  const url = URL.parse(address)
  // The sandbox sends nothing beyond this machine.
  if (!url || !isLoopback(url.host)) throw new Error(`${address} is not on loopback.`)
  const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(timeoutMs) })
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new Error(`${address} returned more than ${maxBytes} bytes.`)
    chunks.push(chunk)
  }
  const body = response.ok ? parseObject(Buffer.concat(chunks).toString()) : null
  if (!body) throw new Error(`${address} did not return a JSON object.`)
  return body
}

/**
 * Returns the RSA keys with an id that an issuer publishes (OpenID Connect Discovery section 4).
 * @throws Error if the keys cannot be read
 */
export async function issuerKeys(issuer: string, kid: unknown): Promise<readonly KeyObject[]> {
  const configuration = await readJson(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`)
  const { keys } = await readJson(String(configuration['jwks_uri']))
  if (!Array.isArray(keys)) throw new Error(`${issuer} publishes no keys.`)
  return keys
    .filter(isObject)
    .filter(key => key['kid'] === kid && key['kty'] === 'RSA')
    .map(key => createPublicKey({ key: key as JsonWebKey, format: 'jwk' }))
}
