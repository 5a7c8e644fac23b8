import { expect } from 'vitest'
import type { Stage } from '../support/stage.ts'
import { otherPassword, password } from './endpoint.ts'
import type { Answered, Started } from './started.ts'

function formsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret)
  const encoded = (['base64', 'base64url', 'hex'] as const).map(encoding => bytes.toString(encoding))
  return [secret, secret.toUpperCase(), encodeURIComponent(secret), ...encoded]
}

/**
 * Fails if an endpoint wrote, answered or sent a password or the token anywhere, in any form. The token is sent only in the
 * header that is for it.
 */
export async function expectNoSecret(
  stage: Stage,
  endpoint: Pick<Started, 'output'>,
  ...answers: readonly Answered[]
): Promise<void> {
  const sent = (await stage.journal()).map(({ headers: { authorization, ...headers }, ...entry }) => {
    expect(authorization).toBe(`Bearer <${entry.tokenId}>`)
    return { ...entry, headers }
  })
  const all = [endpoint.output(), JSON.stringify(answers), JSON.stringify(sent)].join('\n')
  const basic = [password, otherPassword].map(secret => btoa(`any:${secret}`))
  const secrets = [stage.description.cloudflare.dnsToken, password, otherPassword]
  for (const form of [...secrets.flatMap(formsOf), ...basic]) expect(all).not.toContain(form)
  // The journal has this in place of a token that it knows.
  expect(JSON.stringify(sent)).not.toContain('<token ')
}
