import type { DnsClient } from '../../action/name-servers.ts'
import type { HttpOutcome, HttpRequest } from '../../lib/exchange.ts'
import type { RecordType } from '../../lib/record-type.ts'
import type { DnsRecord } from '../../sandbox/cloudflare/records/record.ts'
import { response } from '../support/response.ts'
import { Sequence } from '../support/sequence.ts'
import { AddressSources } from './address-sources.ts'
import { editorOf } from './editor.ts'
import { failure, type Heard, type Said, type ServiceFault, serviceFaults, stubbornFaults } from './faults.ts'
import { type Counts, Judge, type Process, type WorldView } from './judge.ts'
import { NameServers } from './name-servers.ts'
import {
  baseUrl,
  type Event,
  type EventKind,
  minuteMs,
  recordContent,
  type Scenario,
  type Setup,
  type Trigger,
  zoneId,
  zoneName,
} from './scenario.ts'
import { type Host, VirtualTime } from './virtual-time.ts'
import { type Commit, type Reply, Zone } from './zone.ts'

/** Milliseconds until a person deletes a second record. */
const repairMs = 10 * minuteMs
const maxLimitMs = 5 * minuteMs
const apiRoot = `${baseUrl}/client/v4/`

/** How events affect the processes. The world handles all other events. */
interface Processes {
  kill(): void
  stop(): void
  startAnother(forMs: number): void
}

type Effect = (details: Sequence, ms: number, host: Host | null) => void

/** The home, the service and everything between them, in virtual time. */
export class World implements WorldView {
  readonly time = new VirtualTime()
  readonly zone = new Zone(zoneId, zoneName)
  readonly judge: Judge
  readonly sources: AddressSources
  readonly setup: Setup
  readonly random: Sequence
  processes: Processes | null = null
  mainHost: Host | null = null
  /** The name whose writes always fail at the moment, and how. */
  stubborn: { readonly name: string; readonly fault: ServiceFault } | null = null
  readonly #seed: number
  readonly #editor: ReturnType<typeof editorOf>
  readonly #contentOf = (type: RecordType) => recordContent(this.address(type), this.setup)
  readonly #nameServers: NameServers
  /** Events that wait for their trigger. */
  #armed: Event[] = []
  #activeFaults = 0
  #disturbedMs = Number.NEGATIVE_INFINITY
  #lastChange: { readonly ms: number; readonly host: Host } | null = null
  #uplink: 'up' | 'refuses' | 'swallows' = 'up'
  #failing: { readonly fault: ServiceFault } | null = null
  #limitedUntilMs = 0
  #announcesLimit = false

  constructor({ seed, setup, events }: Scenario, counts: Counts) {
    this.#seed = seed
    this.setup = setup
    this.random = new Sequence(seed ^ 0x5eed)
    this.judge = new Judge(setup, this, counts)
    this.sources = new AddressSources(this.judge, setup, this.random)
    this.#nameServers = new NameServers(this.time, this.judge, this.random)
    this.#editor = editorOf(this.zone, setup)
    this.#editor.furnish(this.#contentOf)
    this.#remember()
    for (const event of events) {
      const isNow = event.trigger === 'now'
      this.time.at(event.atMs, () => void (isNow ? this.#happen(event) : this.#armed.push(event)))
    }
  }

  /** Draws from the seed and the time alone, so that removing an event changes nothing before or beside it. */
  #drawNow(limit: number): number {
    return new Sequence(this.#seed + Math.floor(this.time.nowMs * 8)).below(limit)
  }

  address(type: RecordType): string {
    return this.sources.current(type)
  }

  isCalmSince(ms: number, host: Process): boolean {
    const changed = this.#lastChange
    const byOther = changed !== null && changed.host !== host && changed.ms >= ms
    return this.#activeFaults === 0 && this.#disturbedMs < ms && !byOther
  }

  #disturb(): void {
    this.#disturbedMs = this.time.nowMs
    this.#remember()
  }

  #remember(): void {
    if (this.setup.verifiesDns) this.#nameServers.update(this.zone.records)
  }

  /** Marks the world as disturbed until a fault ends. */
  #lasts(ms: number, end = () => {}): void {
    this.#activeFaults++
    this.time.after(ms, () => {
      this.#activeFaults--
      end()
      this.#disturb()
    })
  }

  /** Two creations at once, or one that takes effect late, leave two records. If neither goes again, a person deletes one. */
  #isDoubled({ type, name }: DnsRecord): boolean {
    return this.zone.records.filter(record => record.type === type && record.name === name).length > 1
  }

  #awaitRepair(ms: number): void {
    this.#lasts(ms, () => this.#editor.repair(this.#contentOf))
  }

  /** Lets armed events happen. Returns how the request that triggered them fails. */
  #fire(trigger: Trigger, host: Host): ServiceFault | null {
    const firing = this.#armed.filter(event => event.trigger === trigger)
    if (firing.length === 0) return null
    this.#armed = this.#armed.filter(event => event.trigger !== trigger)
    return firing.reduce<ServiceFault | null>((fault, event) => this.#happen(event, host) ?? fault, null)
  }

  #happen({ kind, choice, durationMs }: Event, host: Host | null = this.mainHost): ServiceFault | null {
    this.judge.counts.events++
    this.#disturb()
    const details = new Sequence(choice)
    if (kind === 'request-fails') return details.pick(serviceFaults)
    const effect = this.#effects[kind]
    if (effect) effect(details, durationMs, host)
    else if (this.#editor.edit(kind, details)) this.#awaitRepair(durationMs)
    this.#remember()
    return null
  }

  /** What events do. Those that are missing here are edits of the zone. */
  readonly #effects: Partial<Record<EventKind, Effect>> = {
    'address-changes': (details, ms) => {
      const kind = details.pick([...Array<'home'>(6).fill('home'), 'other', 'reserved', 'proxy'] as const)
      this.sources.change(details, kind)
      if (kind !== 'home') this.#lasts(ms, () => this.sources.change(details, 'home'))
    },
    'uplink-down': (details, ms) => {
      this.#uplink = details.pick(['refuses', 'swallows'])
      this.#lasts(ms, () => {
        this.#uplink = 'up'
      })
    },
    'service-fails': (details, ms) => {
      if (this.setup.names.length > 1 && details.chance(50)) return this.#failOneName(details, ms)
      const failing = { fault: details.pick(serviceFaults) }
      this.#failing = failing
      this.#lasts(ms, () => {
        if (this.#failing === failing) this.#failing = null
      })
    },
    'rate-limited': (details, ms) => {
      this.#announcesLimit = details.chance(50)
      this.#limitedUntilMs = this.time.nowMs + Math.min(ms, maxLimitMs)
      this.#lasts(Math.min(ms, maxLimitMs))
    },
    'source-fails': (details, ms) => this.#lasts(ms, this.sources.fail(details)),
    'name-server-fails': (details, ms) => this.#lasts(ms, this.#nameServers.fail(details)),
    'process-frozen': (details, ms, host) => {
      this.#lasts(ms)
      host?.freeze(ms, details.chance(50))
    },
    'clock-jumps': (_, ms, host) => host?.jump(ms),
    'process-killed': () => this.processes?.kill(),
    'process-stopped': () => this.processes?.stop(),
    'second-run': (_, ms) => this.processes?.startAnother(ms),
  }

  /** Makes the writes of one name fail. The others must still be right. */
  #failOneName(details: Sequence, ms: number): void {
    const stubborn = { name: details.pick(this.setup.names), fault: details.pick(stubbornFaults) }
    this.stubborn = stubborn
    this.time.after(ms, () => {
      if (this.stubborn === stubborn) this.stubborn = null
      this.#disturb()
    })
  }

  /** Returns the name servers as a process reaches them. */
  dns(host: Host): DnsClient {
    return this.#nameServers.client(host, () => (this.#uplink === 'up' ? 20 + this.#drawNow(100) : null))
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
      const settle = (heard: Heard, said: Said | null) =>
        host.receive(() => {
          if (giveUp.act === null) return
          giveUp.act = null
          request.signal?.removeEventListener('abort', abort)
          const isLate = heard === null || host.now() - sentMs >= request.timeoutMs
          const outcome = isLate ? failure('timeout') : heard.outcome
          if (toService) this.judge.heard(host, outcome, isLate ? null : heard.truth)
          else if (!isLate && said) this.sources.hear(host, request, said)
          resolve(outcome)
        })
      const giveUp = this.time.after(request.timeoutMs, () => settle(null, null))
      const abort = () => {
        if (giveUp.act === null) return
        giveUp.act = null
        resolve(failure('aborted'))
      }
      if (request.signal?.aborted) return abort()
      request.signal?.addEventListener('abort', abort, { once: true })

      if (this.#uplink === 'swallows') return
      if (this.#uplink === 'refuses') {
        this.time.after(5, () => settle({ outcome: failure('network'), truth: null }, null))
        return
      }
      if (!toService) {
        const said = this.sources.ask(request, fault)
        const { outcome } = said
        if (outcome) this.time.after(latencyMs, () => settle({ outcome, truth: null }, said))
        return
      }
      const isStubborn = isWrite && JSON.parse(request.body ?? '{}').name === this.stubborn?.name
      const current = fault ?? this.#failing?.fault ?? (isStubborn ? (this.stubborn?.fault ?? null) : null)
      const process = (isLateEffect: boolean) => {
        const isLimited = this.time.nowMs < this.#limitedUntilMs && !this.#announcesLimit
        const commit = (change: Commit) => {
          this.judge.committed(round, change, basis, isLateEffect)
          this.#lastChange = { ms: this.time.nowMs, host }
          this.#remember()
          if (isLateEffect) this.#disturb()
          if (change.before === null && this.#isDoubled(change.after)) this.#awaitRepair(repairMs)
        }
        const sent = current?.loses ? { ...request, body: withoutExtras(request) } : request
        const reply = isLimited ? null : this.zone.handle(sent, commit)
        if (isWrite) this.#fire('written', host)
        return reply
      }
      const takesEffect = current?.takesEffect ?? 'now'
      if (takesEffect === 'late' && isWrite)
        this.time.after(request.timeoutMs + this.#drawNow(60_000), () => process(true))
      this.time.after(latencyMs / 2, () => {
        const reply = takesEffect === 'now' ? process(false) : null
        const heard = current ? current.heard(reply) : this.#answer(reply)
        if (heard) this.time.after(latencyMs / 2, () => settle(heard, null))
      })
    })
  }

  /** Returns what an intact service answers; it may be about to limit the account. */
  #answer(reply: Reply | null): Heard {
    const leftMs = this.#limitedUntilMs - this.time.nowMs
    if (reply === null) {
      const retryAfterMs = Math.max(0, Math.ceil(leftMs / 1000) * 1000)
      return { outcome: response('', { status: 429, retryAfterMs }), truth: null }
    }
    const { status, body, truth } = reply
    const rateLimits = leftMs > 0 ? [{ remaining: this.#drawNow(3), resetMs: leftMs }] : []
    return { outcome: response(body, { status, rateLimits }), truth }
  }
}

/** Returns the body of a write without what it carries over. */
function withoutExtras({ body = '{}' }: HttpRequest): string {
  return JSON.stringify(JSON.parse(body), ['type', 'name', 'content', 'ttl', 'proxied'])
}
