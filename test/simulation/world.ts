import type { Interfaces } from '../../action/address/interface.ts'
import type { DnsClient } from '../../action/dns-client.ts'
import type { HttpOutcome, HttpRequest } from '../../action/http.ts'
import type { RecordType } from '../../action/records/record.ts'
import { Sequence } from '../support/sequence.ts'
import { type Editor, editorOf } from './editor.ts'
import {
  failure,
  type Heard,
  response,
  type Said,
  type ServiceFault,
  saying,
  serviceFaults,
  sourceFaults,
} from './faults.ts'
import { Judge, type Process, type RoundLog } from './judge.ts'
import {
  baseUrl,
  drawAddress,
  type Event,
  minuteMs,
  recordContent,
  type Scenario,
  type Setup,
  type Trigger,
  zoneId,
  zoneName,
} from './scenario.ts'
import { type Host, VirtualTime } from './virtual-time.ts'
import { type ApiRecord, type Reply, Zone } from './zone.ts'

const nameServerLagMs = [0, 1500]
/** How long a second record stays until a person deletes it. */
const repairMs = 10 * minuteMs
const apiRoot = `${baseUrl}/client/v4/`

/** What the processes of the scenario do on an event; the world does the rest. */
export interface Processes {
  kill(): void
  stop(): void
  startAnother(forMs: number): void
}

/** The home, the service and everything between them, in virtual time. */
export class World {
  readonly time = new VirtualTime()
  readonly zone = new Zone(zoneId, zoneName)
  readonly judge: Judge
  readonly setup: Setup
  readonly random: Sequence
  processes: Processes | null = null
  readonly #seed: number
  readonly #editor: Editor
  readonly #addresses = new Map<RecordType, { readonly current: string; readonly previous: string }>()
  /** Events that wait for their trigger. */
  #armed: Event[] = []
  #activeFaults = 0
  #disturbedMs = Number.NEGATIVE_INFINITY
  #lastChange: { readonly ms: number; readonly host: Host } | null = null
  #uplink: 'up' | 'refuses' | 'swallows' = 'up'
  #serviceFault: ServiceFault | null = null
  #serviceFaultUntilMs = 0
  #limitedUntilMs = 0
  #announcesLimit = false
  readonly #sourceFaults = new Map<string, (typeof sourceFaults)[number]>()
  readonly #interfaces = new WeakMap<RoundLog, Interfaces>()
  readonly #silentServers = new Set<string>()
  /** What the zone held at which time, for the name servers. */
  readonly #history: { readonly atMs: number; readonly records: readonly ApiRecord[] }[] = []

  constructor({ seed, setup, events }: Scenario) {
    this.#seed = seed
    this.setup = setup
    this.random = new Sequence(seed ^ 0x5eed)
    this.judge = new Judge(
      setup,
      {
        now: () => this.time.nowMs,
        isCalmSince: (ms, host) => this.#isCalmSince(ms, host),
        records: () => this.zone.records,
        address: type => this.address(type),
      },
      () => {
        this.time.isOver = true
      },
    )
    for (const type of ['A', 'AAAA'] as const) {
      const current = drawAddress(this.random, type, 'home')
      this.#addresses.set(type, { current, previous: current })
    }
    this.#editor = editorOf(this.zone, setup)
    this.#editor.furnish(type => recordContent(this.address(type), setup))
    this.#remember()
    for (const event of events) this.time.at(event.atMs, () => this.#arrive(event))
  }

  address(type: RecordType): string {
    return this.#addresses.get(type)?.current ?? ''
  }

  /** Draws from the seed and the time alone, so that an event less changes nothing before or beside it. */
  #drawNow(limit: number): number {
    return new Sequence(this.#seed + Math.floor(this.time.nowMs * 8)).below(limit)
  }

  #isCalmSince(ms: number, host: Process): boolean {
    const changed = this.#lastChange
    const byOther = changed !== null && changed.host !== host && changed.ms >= ms
    return this.#activeFaults === 0 && this.#disturbedMs < ms && !byOther
  }

  #disturb(): void {
    this.#disturbedMs = this.time.nowMs
    this.#remember()
  }

  #remember(): void {
    if (this.setup.verifiesDns) this.#history.push({ atMs: this.time.nowMs, records: this.zone.records })
  }

  /** Keeps the world from being calm until a fault ends. */
  #lasts(durationMs: number, end: () => void): void {
    this.#activeFaults++
    this.time.at(this.time.nowMs + durationMs, () => {
      this.#activeFaults--
      end()
      this.#disturb()
    })
  }

  /** Two creations at once, or one that takes effect late, leave two records. A person has to delete one. */
  #isDoubled({ type, name }: ApiRecord): boolean {
    return this.zone.records.filter(record => record.type === type && record.name === name).length > 1
  }

  #awaitRepair(): void {
    this.#lasts(repairMs, () => this.#editor.repair(this.#contentOf))
  }

  #arrive(event: Event): void {
    if (event.trigger === 'now') this.#happen(event, null)
    else this.#armed.push(event)
  }

  /** Lets armed events happen. Returns how the request that triggered them fails. */
  #fire(trigger: Trigger, host: Host): ServiceFault | null {
    if (this.#armed.length === 0) return null
    const firing = this.#armed.filter(event => event.trigger === trigger)
    if (firing.length === 0) return null
    this.#armed = this.#armed.filter(event => event.trigger !== trigger)
    return firing.reduce<ServiceFault | null>((fault, event) => this.#happen(event, host) ?? fault, null)
  }

  #happen({ kind, choice, durationMs }: Event, host: Host | null): ServiceFault | null {
    this.judge.counts.events++
    this.#disturb()
    const details = new Sequence(choice)
    const processes = this.processes
    switch (kind) {
      case 'request-fails':
        return details.pick(serviceFaults)
      case 'address-changes':
        this.#changeAddress(details, durationMs)
        break
      case 'uplink-down':
        this.#uplink = details.pick(['refuses', 'swallows'])
        this.#lasts(durationMs, () => {
          this.#uplink = 'up'
        })
        break
      case 'service-fails':
        this.#serviceFault = details.pick(serviceFaults)
        this.#serviceFaultUntilMs = this.time.nowMs + durationMs
        this.#lasts(durationMs, () => {
          if (this.time.nowMs >= this.#serviceFaultUntilMs) this.#serviceFault = null
        })
        break
      case 'rate-limited':
        this.#announcesLimit = details.chance(50)
        this.#limitedUntilMs = this.time.nowMs + Math.min(durationMs, 300_000)
        this.#lasts(Math.min(durationMs, 300_000), () => {})
        break
      case 'source-fails': {
        const source = details.pick([
          'echo-1.example',
          'echo-2.example',
          'echo-3.example',
          'resolver-1.example',
          'wan',
        ])
        this.#sourceFaults.set(source, details.pick(sourceFaults))
        this.#lasts(durationMs, () => this.#sourceFaults.delete(source))
        break
      }
      case 'name-server-fails': {
        const server = details.pick(['84.9.9.1', '84.9.9.2'])
        this.#silentServers.add(server)
        this.#lasts(durationMs, () => this.#silentServers.delete(server))
        break
      }
      case 'process-frozen':
        this.#lasts(durationMs, () => {})
        ;(host ?? this.mainHost)?.freeze(durationMs, details.chance(50))
        break
      case 'clock-jumps':
        ;(host ?? this.mainHost)?.jump(durationMs)
        break
      case 'process-killed':
        processes?.kill()
        break
      case 'process-stopped':
        processes?.stop()
        break
      case 'second-run':
        processes?.startAnother(durationMs)
        break
      default:
        if (this.#editor.edit(kind, details))
          this.#lasts(durationMs, () => this.#editor.repair(this.#contentOf))
        this.#remember()
    }
    return null
  }

  readonly #contentOf = (type: RecordType) => recordContent(this.address(type), this.setup)
  mainHost: Host | null = null

  #changeAddress(details: Sequence, durationMs: number): void {
    const kind = details.pick([
      'home',
      'home',
      'home',
      'home',
      'home',
      'home',
      'other',
      'reserved',
      'proxy',
    ] as const)
    const draw = (what: typeof kind) => {
      for (const [type, { current }] of this.#addresses) {
        this.#addresses.set(type, { current: drawAddress(details, type, what), previous: current })
      }
    }
    draw(kind)
    if (kind !== 'home') this.#lasts(durationMs, () => draw('home'))
  }

  /** Sends a request of a process. Its outcome arrives in virtual time. */
  exchange(host: Host, isStopping: () => boolean, request: HttpRequest): Promise<HttpOutcome> {
    const basis = this.judge.sent(host, request, isStopping())
    const round = this.judge.round(host)
    const toService = request.url.startsWith(apiRoot)
    const isWrite = toService && request.method !== 'GET'
    const fault = this.#fire(toService ? (isWrite ? 'write' : 'list') : 'echo', host)
    const latencyMs = 20 + this.#drawNow(180)
    return new Promise(resolve => {
      const sentMs = host.now()
      let isSettled = false
      const settle = (heard: Heard, said: Said | null) =>
        host.receive(() => {
          if (isSettled) return
          isSettled = true
          giveUp.act = null
          request.signal?.removeEventListener('abort', abort)
          const isLate = heard === null || host.now() - sentMs >= request.timeoutMs
          const outcome = isLate ? failure('timeout') : heard.outcome
          if (toService) this.judge.heard(host, outcome, isLate ? null : heard.truth)
          else if (!isLate && said) this.#hearSource(host, request, said)
          resolve(outcome)
        })
      const giveUp = this.time.at(this.time.nowMs + request.timeoutMs, () => settle(null, null))
      const abort = () => {
        if (isSettled) return
        isSettled = true
        giveUp.act = null
        resolve(failure('aborted'))
      }
      if (request.signal?.aborted) return abort()
      request.signal?.addEventListener('abort', abort, { once: true })

      if (this.#uplink === 'swallows') return
      if (this.#uplink === 'refuses') {
        this.#in(5, () => settle({ outcome: failure('network'), truth: null }, null))
        return
      }
      if (!toService) {
        const said = this.#ask(request, fault)
        const { outcome } = said
        if (outcome) this.#in(latencyMs, () => settle({ outcome, truth: null }, said))
        return
      }
      const current = fault ?? this.#serviceFault
      const process = (isLateEffect: boolean) => {
        const reply = this.#serve(request, commit => {
          this.judge.committed(round, commit, basis, isLateEffect)
          this.#lastChange = { ms: this.time.nowMs, host }
          this.#remember()
          if (isLateEffect) this.#disturb()
          if (commit.before === null && this.#isDoubled(commit.after)) this.#awaitRepair()
        })
        if (isWrite) this.#fire('written', host)
        return reply
      }
      const takesEffect = current?.takesEffect ?? 'now'
      if (takesEffect === 'late' && isWrite)
        this.#in(request.timeoutMs + this.#drawNow(60_000), () => process(true))
      this.#in(latencyMs / 2, () => {
        const reply = takesEffect === 'now' ? process(false) : null
        const heard = current ? current.heard(reply) : this.#answer(reply)
        if (heard) this.#in(latencyMs / 2, () => settle(heard, null))
      })
    })
  }

  #in(ms: number, act: () => void): void {
    this.time.at(this.time.nowMs + ms, act)
  }

  #serve({ method, url, body }: HttpRequest, onCommit: Parameters<Zone['handle']>[1]): Reply | null {
    if (this.time.nowMs < this.#limitedUntilMs && !this.#announcesLimit) return null
    const [path = '', query = ''] = url.slice(apiRoot.length).split('?')
    return this.zone.handle({ method, path, query: new URLSearchParams(query), body }, onCommit)
  }

  /** Returns what an intact service answers; it may be about to limit the account. */
  #answer(reply: Reply | null): Heard {
    const leftMs = this.#limitedUntilMs - this.time.nowMs
    if (reply === null) {
      const retryAfterMs = Math.max(0, Math.ceil(leftMs / 1000) * 1000)
      return {
        outcome: { kind: 'response', status: 429, contentType: '', retryAfterMs, body: '' },
        truth: null,
      }
    }
    const outcome = response(reply.status, reply.body)
    if (leftMs <= 0 || outcome.kind !== 'response') return { outcome, truth: reply.truth }
    return {
      outcome: { ...outcome, rateLimits: [{ remaining: this.#drawNow(3), resetMs: leftMs }] },
      truth: reply.truth,
    }
  }

  /** Returns what an echo or a resolver says over the family that it was asked over. */
  #ask({ url, family, body }: HttpRequest, fault: ServiceFault | null): Said {
    const { host } = new URL(url)
    // The type is the last but one field of a question (RFC 1035 section 4.1.2).
    const isIpv6 = body === undefined ? family !== 4 : body.charCodeAt(body.length - 3) === 28
    const type: RecordType = isIpv6 ? 'AAAA' : 'A'
    const { current, previous } = this.#addresses.get(type) ?? { current: '', previous: '' }
    const say = fault ? this.random.pick(sourceFaults) : this.#sourceFaults.get(host)
    const said = say?.(type, current, previous, this.random) ?? saying(current)
    if (body === undefined) return said
    const isIntact = said.address !== null
    return { ...said, outcome: isIntact ? dnsResponse(body, said.address) : said.outcome }
  }

  #hearSource(host: Host, { url, family, body }: HttpRequest, { address }: Said): void {
    const type: RecordType = family === 6 || body?.charCodeAt(body.length - 3) === 28 ? 'AAAA' : 'A'
    const round = this.judge.round(host)
    const source = new URL(url).host
    if (!source.startsWith('resolver-')) {
      this.judge.voted(round, type, source, address)
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
      recordContent(heard.get(`${type} ${other}`) ?? '', this.setup) === recordContent(agreed, this.setup)
    this.judge.voted(round, type, 'dns', same ? agreed : null)
  }

  /** The network interfaces of the host. Within a round they stay the same: it looks at them once for each record type. */
  interfaces(host: Host): Interfaces {
    const round = this.judge.round(host)
    const seen = this.#interfaces.get(round) ?? this.#drawInterfaces(round)
    this.#interfaces.set(round, seen)
    return seen
  }

  #drawInterfaces(round: RoundLog): Interfaces {
    const addresses = [...this.#addresses].map(([type, { current, previous }]) => {
      const fault = this.#sourceFaults.get('wan')
      const said = fault ? fault(type, current, previous, this.random).address : current
      this.judge.voted(round, type, 'wan', said !== null && isPublic(said) ? said : null)
      return said
    })
    const wan = addresses.flatMap(address =>
      address === null
        ? []
        : { address, internal: false, netmask: '', mac: '', family: 'IPv4' as const, cidr: null },
    )
    return { lo: [], wan }
  }

  /** The authoritative name servers, each behind by its own lag. */
  dns(host: Host): DnsClient {
    return {
      addressesOf: async name => [name],
      nameServersOf: async () => [],
      ask: (server, { name, type }, timeoutMs) =>
        new Promise(resolve => {
          const isSilent = this.#silentServers.has(server.address) || this.#uplink !== 'up'
          const takesMs = isSilent ? timeoutMs : 20 + this.#drawNow(100)
          this.#in(Math.min(takesMs, timeoutMs), () =>
            host.receive(() => {
              if (takesMs >= timeoutMs) return resolve({ kind: 'failure', detail: 'no response' })
              const lagMs = nameServerLagMs[server.address === '84.9.9.1' ? 0 : 1] ?? 0
              const served = this.#history.findLast(({ atMs }) => atMs <= this.time.nowMs - lagMs)
              const records = (served?.records ?? []).filter(
                record => record.name === name && record.type === type,
              )
              const answers = records.map(({ content, proxied }) => {
                const data = proxied
                  ? drawAddress(this.random, type === 'A' ? 'A' : 'AAAA', 'proxy')
                  : content
                return { name, type, ttl: 120, data }
              })
              const [shown, ...others] = records
              const isSingle = shown !== undefined && others.length === 0
              // Nobody can tell the records behind the proxy apart.
              const isProxied = records.some(({ proxied }) => proxied)
              const content = isProxied ? 'proxy' : isSingle ? shown.content : `${records.length} records`
              this.judge.round(host).served.set(`${type} ${name} ${server.address}`, content)
              resolve({ authoritative: true, truncated: false, rcode: 'NOERROR', answers })
            }),
          )
        }),
    }
  }
}

/** Interfaces have no vote for an address that is not public; every other check is the round's. */
function isPublic(address: string): boolean {
  return ['home', 'other', 'proxy'].includes(kindOf(address))
}

function kindOf(address: string): string {
  return /^(?:84\.|2a02:)/.test(address)
    ? 'home'
    : /^(?:93\.|2a01:)/.test(address)
      ? 'other'
      : /^(?:104\.|2606:)/.test(address)
        ? 'proxy'
        : 'reserved'
}

/** Answers a DNS query (RFC 1035 section 4.1) with one address, or with none. */
function dnsResponse(query: string, address: string | null): HttpOutcome {
  const question = query.slice(12)
  const isIpv6 = query.charCodeAt(query.length - 3) === 28
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
    data.length === 0 ? [] : [0xc0, 12, 0, isIpv6 ? 28 : 1, 0, 1, 0, 0, 0, 120, 0, data.length, ...data]
  const text = (bytes: readonly number[]) => String.fromCharCode(...bytes)
  return response(200, text(header) + question + text(answer), 'application/dns-message')
}
