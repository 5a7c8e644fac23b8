import type { Interfaces } from '../../action/address/interface.ts'
import type { HttpOutcome, HttpRequest } from '../../lib/exchange.ts'
import type { RecordType } from '../../lib/record-type.ts'
import { response } from '../support/response.ts'
import type { Sequence } from '../support/sequence.ts'
import { type Said, type ServiceFault, saying, sourceFaults } from './faults.ts'
import type { Judge } from './judge.ts'
import { drawAddress, recordContent, type Setup } from './scenario.ts'
import type { Host } from './virtual-time.ts'

const resolvers = ['dns.google', 'cloudflare-dns.com']
const faultySources = ['echo-1.example', 'echo-2.example', 'echo-3.example', 'dns.google', 'wan']

/** The addresses of the home, and the sources that a process asks for them. */
export class AddressSources {
  readonly #judge: Judge
  readonly #setup: Setup
  readonly #random: Sequence
  readonly #addresses = new Map<RecordType, { readonly current: string; readonly previous: string }>()
  readonly #faults = new Map<string, (typeof sourceFaults)[number]>()

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
  ask({ url, family }: HttpRequest, fault: ServiceFault | null): Said {
    const { host, searchParams: question } = new URL(url)
    const asked = question.get('type')
    const type: RecordType = asked === 'AAAA' || (asked === null && family !== 4) ? 'AAAA' : 'A'
    const { current, previous } = this.#addresses.get(type) ?? { current: '', previous: '' }
    const say = fault ? this.#random.pick(sourceFaults) : this.#faults.get(host)
    const said = say?.(type, current, previous, this.#random) ?? saying(current)
    if (asked === null || said.address === null) return said
    return { ...said, outcome: dnsResponse(question.get('name') ?? '', type, said.address) }
  }

  /** Tells the judge what a process has heard from a source. */
  hear(host: Host, { url, family }: HttpRequest, { address }: Said): void {
    const { host: source, searchParams: question } = new URL(url)
    const type: RecordType = family === 6 || question.get('type') === 'AAAA' ? 'AAAA' : 'A'
    const round = this.#judge.round(host)
    if (!resolvers.includes(source)) {
      this.#judge.voted(round, type, source, address)
      return
    }
    // Resolvers have one vote together, and only while they agree.
    const other = resolvers.find(resolver => resolver !== source)
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
    round.interfaces ??= [...this.#addresses].flatMap(([type, { current, previous }]) => {
      const fault = this.#faults.get('wan')
      const address = fault ? fault(type, current, previous, this.#random).address : current
      this.#judge.voted(round, type, 'wan', address !== null && isPublic(address) ? address : null)
      return address === null
        ? []
        : { address, internal: false, netmask: '', mac: '', family: 'IPv4', cidr: null }
    })
    return { lo: [], wan: round.interfaces }
  }
}

/** An interface has a vote only if its address is public; every other check applies to the round. */
function isPublic(address: string): boolean {
  return /^(?:84\.|2a02:|93\.|2a01:|104\.|2606:)/.test(address)
}

/** Answers a question with one address, in the JSON of public resolvers. */
function dnsResponse(name: string, type: RecordType, address: string): HttpOutcome {
  const number = type === 'A' ? 1 : 28
  const answer = {
    Status: 0,
    TC: false,
    Question: [{ name, type: number }],
    Answer: [{ name, type: number, TTL: 120, data: address }],
  }
  return response(answer, { contentType: 'application/dns-json' })
}
