import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import { isObject, parseObject } from '../../http/validation.ts'

const timeoutMs = 5000
const maxCharacters = 64 * 1024
const loopbackHosts = ['localhost', '127.0.0.1', '[::1]']

/** Says that an issuer's keys could not be read. */
export class IssuerFailure extends Error {
  override readonly name = 'IssuerFailure'
}

async function readJson(address: string) {
  const url = URL.parse(address)
  // The sandbox sends nothing beyond this machine.
  if (!url || !loopbackHosts.includes(url.hostname)) throw new IssuerFailure(`${address} is not on loopback.`)
  const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(timeoutMs) })
  const text = await response.text()
  const body = response.ok && text.length <= maxCharacters ? parseObject(text) : undefined
  if (!body) throw new IssuerFailure(`${address} has no JSON object.`)
  return body
}

/**
 * Returns the RSA keys with this id that an issuer publishes, by its OpenID configuration (OpenID Connect Discovery, 4).
 * @throws IssuerFailure, or an error of the connection
 */
export async function issuerKeys(issuer: string, kid: unknown): Promise<readonly KeyObject[]> {
  const configuration = await readJson(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`)
  const { keys } = await readJson(String(configuration['jwks_uri']))
  if (!Array.isArray(keys)) throw new IssuerFailure(`${issuer} publishes no keys.`)
  return keys
    .filter(isObject)
    .filter(key => key['kid'] === kid && key['kty'] === 'RSA')
    .map(key => createPublicKey({ key: key as JsonWebKey, format: 'jwk' }))
}
