import { startSandbox } from '../../sandbox/sandbox.ts'
import { createUserToken } from '../support/services.ts'

export type Double = Awaited<ReturnType<typeof openDouble>>

/**
 * Starts a sandbox with every service, whose zone is empty, and accounts with a token for this zone only.
 * @param mayMint whether the token can create those of stacks
 */
export async function openDouble(seed: number, mayMint = false) {
  const redirectUris = ['https://homeport-check-people.example.com/auth/callback']
  const { description, control, close } = await startSandbox({ seed, entra: { redirectUris }, github: true })
  const { cloudflare: at } = description
  /** Empties the zone. */
  const reset = () => control.setState({ records: { [at.zoneId]: [] } })
  reset()
  control.setState({ github: { environments: { 'homeport-check': {} } } })
  const { value } = await createUserToken(at, 'double', [
    [`com.cloudflare.api.account.zone.${at.zoneId}`, 'DNS Write', 'Zone Read'],
    ...(mayMint ? [[`com.cloudflare.api.account.${at.accountId}`, 'Account API Tokens Write'] as const] : []),
  ])
  const accounts = {
    ...description,
    cloudflare: { ...at, adminToken: value },
    narrowToken: at.dnsToken,
  }
  return { description, control, accounts, reset, close }
}
