import { startSandbox } from '../../sandbox/sandbox.ts'
import { createUserToken } from './services.ts'

/** With it, a token can create those of stacks. */
export const mintingGroup = 'Account API Tokens Write'

export type Double = Awaited<ReturnType<typeof openDouble>>

/**
 * Starts a sandbox with every service, whose zone is empty, and a token for this zone only.
 * @param groups what else the token can do in its account
 */
export async function openDouble(seed: number, ...groups: readonly string[]) {
  const sandbox = await startSandbox({
    seed,
    entra: { redirectUris: ['https://homeport-check-people.example.com/auth/callback'] },
    github: true,
  })
  const { description, control } = sandbox
  const { cloudflare: at, entra, github } = description
  const reset = () => control.setState({ records: { [at.zoneId]: [] } })
  reset()
  control.setState({ github: { environments: { 'homeport-check': {} } } })
  const account = [`com.cloudflare.api.account.${at.accountId}`, ...groups] as const
  const zone = [`com.cloudflare.api.account.zone.${at.zoneId}`, 'DNS Write', 'Zone Read'] as const
  const { value } = await createUserToken(at, 'double', groups.length === 0 ? [zone] : [zone, account])
  return {
    description,
    control,
    accounts: { ...description, cloudflare: { ...at, adminToken: value }, narrowToken: at.dnsToken },
    /** The roots of its services by their names. */
    roots: {
      ...{ cloudflare: at.baseUrl, github: github.baseUrl.slice(0, -1) },
      ...{ entra: entra.instance.slice(0, -1), graph: entra.graphUrl },
    },
    /** Empties the zone. */
    reset,
    close: () => sandbox.close(),
  }
}
