import { Resolver } from 'node:dns/promises'
import type { SandboxDescription } from '../sandbox/sandbox.ts'
import { runAction, type StepRun } from '../test/support/runner.ts'

/** What one name server answers for the hostname. Null if it has no address, or several. */
export interface Served {
  /** Host and port. */
  readonly server: string
  readonly address: string | null
  /** In seconds. */
  readonly ttl: number | null
}

/** One run of the action, and what every name server answered after it. */
export interface Round extends Pick<StepRun, 'status' | 'outputs' | 'log'> {
  readonly startedAt: Date
  readonly elapsedMs: number
  readonly served: readonly Served[]
}

/** What the echo services report at first. RFC 5737 reserves this range for documentation. */
export const firstAddress = '203.0.113.10'

const maxRounds = 20

/** The record that the demo's action updates: its address, its rounds and its name servers. */
export class FollowedRecord {
  readonly hostname: string
  /** Who reports the address, and what publishes it: two halves of sentences on the live page. */
  readonly reporter: string = 'The echo services report'
  readonly publisher: string = 'the shipped action runs'
  /** What the echo services report. */
  address = firstAddress
  /** What the name servers answered when they were last asked. */
  served: readonly Served[] = []
  /** Newest first. */
  rounds: readonly Round[] = []
  readonly #description: SandboxDescription
  readonly #resolvers: ReadonlyMap<string, Resolver>

  constructor(description: SandboxDescription) {
    this.hostname = `home.${description.cloudflare.zoneName}`
    this.#description = description
    this.#resolvers = new Map(description.nameServers.map(at => [`${at.host}:${at.port}`, resolverFor(at)]))
  }

  /** Makes the echo services report an address. */
  async changeAddress(address: string): Promise<void> {
    await reportAddress(this.#description, address)
    this.address = address
  }

  /** Runs the action as a schedule would, then asks the name servers. */
  async round(): Promise<Round> {
    const startedAt = new Date()
    const startedMs = performance.now()
    const { dnsToken, zoneId } = this.#description.cloudflare
    const inputs = { 'api-token': dnsToken, 'zone-id': zoneId, hostname: this.hostname }
    const step = await runFrom(this.#description, inputs)
    const elapsedMs = performance.now() - startedMs
    return this.keep({ ...step, startedAt, elapsedMs, served: await this.ask() })
  }

  /** Adds a round. */
  protected keep(round: Round): Round {
    this.rounds = [round, ...this.rounds].slice(0, maxRounds)
    return round
  }

  /** Asks every name server. */
  async ask(): Promise<readonly Served[]> {
    this.served = await Promise.all(
      [...this.#resolvers].map(async ([server, resolver]) => {
        const answers = await resolver.resolve4(this.hostname, { ttl: true }).catch(() => [])
        const only = answers.length === 1 ? answers[0] : undefined
        return { server, address: only?.address ?? null, ttl: only?.ttl ?? null }
      }),
    )
    return this.served
  }
}

/** Returns a resolver that asks one name server. */
export function resolverFor({ host, port }: SandboxDescription['nameServer']): Resolver {
  const resolver = new Resolver({ timeout: 2000, tries: 2 })
  resolver.setServers([`${host}:${port}`])
  return resolver
}

/** Makes the echo services report an address. */
export async function reportAddress({ control }: SandboxDescription, address: string): Promise<void> {
  await fetch(`${control}/echo`, { method: 'PUT', body: JSON.stringify({ address }) })
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
