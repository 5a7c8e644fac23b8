import { Resolver } from 'node:dns/promises'
import type { SandboxDescription } from '../../sandbox/sandbox.ts'
import { runAction, type StepRun } from '../support/runner.ts'

/** What one name server answers for a hostname. Null if it has no address, or several. */
interface Served {
  readonly address: string | null
  /** In seconds. */
  readonly ttl: number | null
}

/** Returns the hostname that the demos keep at an address. */
export const hostnameIn = ({ cloudflare }: SandboxDescription): string => `home.${cloudflare.zoneName}`

/** Asks every name server for the demos' hostname. */
export function askNameServers(description: SandboxDescription): Promise<readonly Served[]> {
  return Promise.all(
    description.nameServers.map(async server => {
      const answers = await resolverFor(server)
        .resolve4(hostnameIn(description), { ttl: true })
        .catch(() => [])
      const only = answers.length === 1 ? answers[0] : undefined
      return { address: only?.address ?? null, ttl: only?.ttl ?? null }
    }),
  )
}

/** Returns a resolver that asks one name server. */
export function resolverFor({ host, port }: SandboxDescription['nameServer']): Resolver {
  const resolver = new Resolver({ timeout: 2000, tries: 2 })
  resolver.setServers([`${host}:${port}`])
  return resolver
}

/** Runs the shipped action on a record of the sandbox, with the address that the echo services report. */
export function runFrom(
  { cloudflare, echo }: SandboxDescription,
  inputs: Readonly<Record<string, string>>,
): Promise<StepRun> {
  return runAction({
    'address-sources': echo.join('\n'),
    'base-url': cloudflare.baseUrl,
    'allow-reserved-address': 'true',
    'mask-address': 'false',
    ...inputs,
  })
}
