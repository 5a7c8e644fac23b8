import type { DnsClient } from '../../action/name-servers.ts'
import type { DnsRecord } from '../../sandbox/cloudflare/records/record.ts'
import type { Sequence } from '../support/sequence.ts'
import type { Judge } from './judge.ts'
import { drawAddress } from './scenario.ts'
import type { Host, VirtualTime } from './virtual-time.ts'

/** How far each name server is behind the service, by its address. */
const lagMs: Readonly<Record<string, number>> = { '84.9.9.1': 0, '84.9.9.2': 1500 }

/** The authoritative name servers of the zone. */
export class NameServers {
  readonly #time: VirtualTime
  readonly #judge: Judge
  readonly #random: Sequence
  readonly #silent = new Set<string>()
  /** The records of the zone after each change. */
  readonly #history: { readonly atMs: number; readonly records: readonly DnsRecord[] }[] = []

  constructor(time: VirtualTime, judge: Judge, random: Sequence) {
    this.#time = time
    this.#judge = judge
    this.#random = random
  }

  /** Takes over the records of the zone. */
  update(records: readonly DnsRecord[]): void {
    this.#history.push({ atMs: this.#time.nowMs, records })
  }

  /** Silences a name server. Returns what ends the silence. */
  fail(details: Sequence): () => void {
    const server = details.pick(Object.keys(lagMs))
    this.#silent.add(server)
    return () => this.#silent.delete(server)
  }

  /** Returns a client for a process. `latencyMs` returns null while the network loses everything. */
  client(host: Host, latencyMs: () => number | null): DnsClient {
    return {
      addressesOf: async name => ({ value: [name] }),
      nameServersOf: async () => ({ value: [] }),
      isResolver: async ({ address }) => (this.#silent.has(address) ? null : false),
      ask: (server, name, type, timeoutMs) =>
        new Promise(resolve => {
          const answersMs = this.#silent.has(server.address) ? null : latencyMs()
          const takesMs = Math.min(answersMs ?? timeoutMs, timeoutMs)
          this.#time.at(this.#time.nowMs + takesMs, () =>
            host.receive(() => {
              if (takesMs >= timeoutMs) return resolve({ silence: 'did not respond (no response)' })
              const shownMs = this.#time.nowMs - (lagMs[server.address] ?? 0)
              const served = this.#history.findLast(({ atMs }) => atMs <= shownMs)
              const records = (served?.records ?? []).filter(
                record => record.name === name && record.type === type,
              )
              const addresses = records.map(({ content, proxied }) =>
                proxied ? drawAddress(this.#random, type, 'proxy') : content,
              )
              const [shown, ...others] = records
              const isSingle = shown !== undefined && others.length === 0
              // Behind the proxy, the records of a name look alike.
              const isProxied = records.some(({ proxied }) => proxied)
              const content = isProxied ? 'proxy' : isSingle ? shown.content : `${records.length} records`
              this.#judge.round(host).served.set(`${type} ${name} ${server.address}`, content)
              resolve({ value: addresses })
            }),
          )
        }),
    }
  }
}
