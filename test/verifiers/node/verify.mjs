import { readFileSync } from 'node:fs'
import { createLocalJWKSet, jwtVerify } from 'jose'

const { issuer, audience, jwks, tokens } = JSON.parse(readFileSync(process.argv[2], 'utf8'))
const keys = createLocalJWKSet(jwks)
for (const token of tokens) {
  const verified = jwtVerify(token, keys, { issuer, audience, algorithms: ['ES256'] })
  const verdict = await verified.then(
    () => 'accept',
    () => 'refuse',
  )
  process.stdout.write(`${verdict}\n`)
}
