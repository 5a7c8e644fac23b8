import { createPublicKey, verify } from 'node:crypto'

/** Returns the parts of a JWT, unverified. */
export function readAssertion(token: string) {
  const [header, claims] = token
    .split('.')
    .slice(0, 2)
    .map(part => JSON.parse(Buffer.from(part, 'base64url').toString()))
  return { header, claims }
}

/** Whether one of the keys has the name in a JWT's header and made its signature. */
export function verifyAssertion(token: string, { keys }: { readonly keys: readonly object[] }): boolean {
  const at = token.lastIndexOf('.')
  const { kid } = readAssertion(token).header
  const key = keys.find(candidate => 'kid' in candidate && candidate.kid === kid)
  if (!key) return false
  const publicKey = createPublicKey({ key: key as { kty: string }, format: 'jwk' })
  const signature = Buffer.from(token.slice(at + 1), 'base64url')
  return verify(
    'sha256',
    Buffer.from(token.slice(0, at)),
    { key: publicKey, dsaEncoding: 'ieee-p1363' },
    signature,
  )
}
