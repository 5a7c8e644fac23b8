import type { Interfaces } from '../../action/address/interface.ts'
import type { HttpOutcome, HttpRequest } from '../../action/exchange.ts'
import type { RecordType } from '../../action/record-type.ts'
import type { Sequence } from '../../sandbox/testing/sequence.ts'
import { response, type Said, type ServiceFault, saying, sourceFaults } from './faults.ts'
import type { Judge, RoundLog } from './judge.ts'
import { drawAddress, recordContent, type Setup } from './scenario.ts'
import type { Host } from './virtual-time.ts'

const faultySources = ['echo-1.example', 'echo-2.example', 'echo-3.example', 'resolver-1.example', 'wan']
/** The type of an AAAA record (RFC 3596). */
const ipv6Type = 28

/** The addresses of the home, and the sources that a process asks for them. */
export class AddressSources {
  readonly #judge: Judge
  readonly #setup: Setup
  readonly #random: Sequence
  readonly #addresses = new Map<RecordType, { readonly current: string; readonly previous: string }>()
  readonly #faults = new Map<string, (typeof sourceFaults)[number]>()
  readonly #interfaces = new WeakMap<RoundLog, Interfaces>()

  constructor(judge: Judge, setup: Setup, random: Sequence) {
    this.#judge = judge
    this.#setup = setup
    this.#random = random
    for (const type of ['A', 'AAAA'] as const) {
      const current = drawAddress(random, type, 'home')
      this.#addresses.set(type, { current, previous: current })
    }
  }

  current(type: RecordType): string {
    return this.#addresses.get(type)?.current ?? ''
  }

  /** Gives the home a new address of each type. */
  change(details: Sequence, kind: Parameters<typeof drawAddress>[2]): void {
    for (const [type, { current }] of this.#addresses) {
      this.#addresses.set(type, { current: drawAddress(details, type, kind), previous: current })
    }
  }

  /** Makes a source fail. Returns what ends the fault. */
  fail(details: Sequence): () => void {
    const source = details.pick(faultySources)
    this.#faults.set(source, details.pick(sourceFaults))
    return () => this.#faults.delete(source)
  }

  /** Returns what an echo service or a resolver says over the address family of the request. */
  ask({ url, family, body }: HttpRequest, fault: ServiceFault | null): Said {
    const { host } = new URL(url)
    // The type is the last but one field of a question (RFC 1035 section 4.1.2).
    const isIpv6 = body === undefined ? family !== 4 : body.charCodeAt(body.length - 3) === ipv6Type
    const type: RecordType = isIpv6 ? 'AAAA' : 'A'
    const { current, previous } = this.#addresses.get(type) ?? { current: '', previous: '' }
    const say = fault ? this.#random.pick(sourceFaults) : this.#faults.get(host)
    const said = say?.(type, current, previous, this.#random) ?? saying(current)
    if (body === undefined) return said
    const isIntact = said.address !== null
    return { ...said, outcome: isIntact ? dnsResponse(body, said.address) : said.outcome }
  }

  /** Tells the judge what a process has heard from a source. */
  hear(host: Host, { url, family, body }: HttpRequest, { address }: Said): void {
    const type: RecordType = family === 6 || body?.charCodeAt(body.length - 3) === ipv6Type ? 'AAAA' : 'A'
    const round = this.#judge.round(host)
    const source = new URL(url).host
    if (!source.startsWith('resolver-')) {
      this.#judge.voted(round, type, source, address)
      return
    }
    // Resolvers have one vote together, and only while they agree.
    const other = source === 'resolver-1.example' ? 'resolver-2.example' : 'resolver-1.example'
    const key = `${type} ${source}`
    const heard = round.answers
    if (address !== null) heard.set(key, address)
    const agreed = heard.get(key)
    const same =
      agreed !== undefined &&
      recordContent(heard.get(`${type} ${other}`) ?? '', this.#setup) === recordContent(agreed, this.#setup)
    this.#judge.voted(round, type, 'dns', same ? agreed : null)
  }

  /** Returns the network interfaces of a process. A round reads them once per record type, and must see the same. */
  interfaces(host: Host): Interfaces {
    const round = this.#judge.round(host)
    const seen = this.#interfaces.get(round) ?? this.#drawInterfaces(round)
    this.#interfaces.set(round, seen)
    return seen
  }

  #drawInterfaces(round: RoundLog): Interfaces {
    const addresses = [...this.#addresses].map(([type, { current, previous }]) => {
      const fault = this.#faults.get('wan')
      const said = fault ? fault(type, current, previous, this.#random).address : current
      this.#judge.voted(round, type, 'wan', said !== null && isPublic(said) ? said : null)
      return said
    })
    const wan = addresses.flatMap(address =>
      address === null
        ? []
        : { address, internal: false, netmask: '', mac: '', family: 'IPv4' as const, cidr: null },
    )
    return { lo: [], wan }
  }
}

/** An interface has a vote only if its address is public; every other check applies to the round. */
function isPublic(address: string): boolean {
  return /^(?:84\.|2a02:|93\.|2a01:|104\.|2606:)/.test(address)
}

/** Answers a DNS query (RFC 1035 section 4.1) with one address, or with none. */
function dnsResponse(query: string, address: string | null): HttpOutcome {
  const question = query.slice(12)
  const isIpv6 = query.charCodeAt(query.length - 3) === ipv6Type
  const data =
    address === null
      ? []
      : isIpv6
        ? address
            .split(':')
            .flatMap(group => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 0xff])
        : address.split('.').map(Number)
  const header = [0, 0, 0x81, 0x80, 0, 1, 0, data.length === 0 ? 0 : 1, 0, 0, 0, 0]
  const answer =
    data.length === 0 ? [] : [0xc0, 12, 0, isIpv6 ? ipv6Type : 1, 0, 1, 0, 0, 0, 120, 0, data.length, ...data]
  const text = (bytes: readonly number[]) => String.fromCharCode(...bytes)
  return response(200, text(header) + question + text(answer), 'application/dns-message')
}
