import * as oauth from 'oauth4webapi'
import type { Log } from '../http/log.ts'
import type { Settings } from '../settings/table.ts'
import type { ClientCredential } from './credential.ts'
import { createEndReport } from './credential-end.ts'

/**
 * Returns a credential for each secret in the settings. A date is what somebody typed, so it only warns: a secret is used
 * until Entra rejects it.
 */
export function secretCredentials(
  { clientSecrets, clientSecretEnds }: Settings,
  log: Log,
  now: () => number,
): readonly ClientCredential[] {
  return clientSecrets.map((secret, at) => {
    const endsAt = clientSecretEnds[at]
    const name = clientSecrets.length === 1 ? 'CLIENT_SECRET' : `secret ${at + 1} of CLIENT_SECRET`
    const post = oauth.ClientSecretPost(secret)
    const reportEnd = createEndReport(
      log,
      name.replace(/^s/, 'S'),
      'Replace it and its date in CLIENT_SECRET_EXPIRES_ON before then.',
      '. Replace it, or correct CLIENT_SECRET_EXPIRES_ON if you already did.',
    )
    async function check(): Promise<void> {
      if (endsAt !== undefined) reportEnd(endsAt, now())
    }
    return {
      name,
      check,
      async authenticate(...request) {
        await check()
        await post(...request)
      },
    }
  })
}
