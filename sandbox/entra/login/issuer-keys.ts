import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import { isObject, parseObject } from '../../http/validation.ts'
import { isLoopback } from '../../http/virtual-hosts.ts'

const timeoutMs = 5000

async function readJson(address: string) {
  const url = URL.parse(address)
  // The sandbox sends nothing beyond this machine.
  if (!url || !isLoopback(url.host)) throw new Error(`${address} is not on loopback.`)
  const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(timeoutMs) })
  const body = response.ok ? parseObject(await response.text()) : null
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
