import type { HttpOutcome, HttpRequest } from '../../action/exchange.ts'
import type { DnsClient } from '../../action/name-servers.ts'
import type { RecordType } from '../../action/record-type.ts'
import type { DnsRecord } from '../../sandbox/cloudflare/records/record.ts'
import { Sequence } from '../support/sequence.ts'
import { AddressSources } from './address-sources.ts'
import type { Counts } from './counts.ts'
import { type Editor, editorOf } from './editor.ts'
import {
  failure,
  type Heard,
  response,
  type Said,
  type ServiceFault,
  serviceFaults,
  stubbornFaults,
} from './faults.ts'
import { Judge, type Process } from './judge.ts'
import { NameServers } from './name-servers.ts'
import {
  baseUrl,
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
import { type Commit, type Reply, Zone } from './zone.ts'

/** Milliseconds until a person deletes a second record. */
const repairMs = 10 * minuteMs
const apiRoot = `${baseUrl}/client/v4/`

/** How events affect the processes. The world handles all other events. */
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
  readonly sources: AddressSources
  readonly setup: Setup
  readonly random: Sequence
  processes: Processes | null = null
  readonly #seed: number
  readonly #editor: Editor
  readonly #nameServers: NameServers
  /** Events that wait for their trigger. */
  #armed: Event[] = []
  #activeFaults = 0
  #disturbedMs = Number.NEGATIVE_INFINITY
  #lastChange: { readonly ms: number; readonly host: Host } | null = null
  #uplink: 'up' | 'refuses' | 'swallows' = 'up'
  #serviceFault: ServiceFault | null = null
  #serviceFaultUntilMs = 0
  #stubborn: { readonly name: string; readonly fault: ServiceFault } | null = null
  #limitedUntilMs = 0
  #announcesLimit = false

  constructor({ seed, setup, events }: Scenario, counts: Counts) {
    this.#seed = seed
    this.setup = setup
    this.random = new Sequence(seed ^ 0x5eed)
    this.judge = new Judge(
      setup,
      {
        now: () => this.time.nowMs,
        isCalmSince: (ms, host) => this.#isCalmSince(ms, host),
        records: () => this.zone.records,
        address: type => this.sources.current(type),
        stubbornName: () => this.#stubborn?.name ?? null,
      },
      counts,
      () => {
        this.time.isOver = true
      },
    )
    this.sources = new AddressSources(this.judge, setup, this.random)
    this.#nameServers = new NameServers(this.time, this.judge, this.random)
    this.#editor = editorOf(this.zone, setup)
    this.#editor.furnish(this.#contentOf)
    this.#remember()
    for (const event of events) this.time.at(event.atMs, () => this.#arrive(event))
  }

  /** Draws from the seed and the time alone, so that removing an event changes nothing before or beside it. */
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
    if (this.setup.verifiesDns) this.#nameServers.update(this.zone.records)
  }

  /** Marks the world as disturbed until a fault ends. */
  #lasts(durationMs: number, end: () => void): void {
    this.#activeFaults++
    this.time.at(this.time.nowMs + durationMs, () => {
      this.#activeFaults--
      end()
      this.#disturb()
    })
  }

  /** Two creations at once, or one that takes effect late, leave two records. If neither goes again, a person deletes one. */
  #isDoubled({ type, name }: DnsRecord): boolean {
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
        if (this.setup.names.length > 1 && details.chance(50)) {
          this.#failOneName(details, durationMs)
          break
        }
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
      case 'source-fails':
        this.#lasts(durationMs, this.sources.fail(details))
        break
      case 'name-server-fails':
        this.#lasts(durationMs, this.#nameServers.fail(details))
        break
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

  /** Makes the writes of one name fail. That is no disturbance of the others, which must be right all the same. */
  #failOneName(details: Sequence, durationMs: number): void {
    const stubborn = { name: details.pick(this.setup.names), fault: details.pick(stubbornFaults) }
    this.#stubborn = stubborn
    this.time.at(this.time.nowMs + durationMs, () => {
      if (this.#stubborn === stubborn) this.#stubborn = null
      this.#disturb()
    })
  }

  #stubbornFault({ body = '{}' }: HttpRequest): ServiceFault | null {
    return JSON.parse(body).name === this.#stubborn?.name ? (this.#stubborn?.fault ?? null) : null
  }

  readonly #contentOf = (type: RecordType) => recordContent(this.sources.current(type), this.setup)
  mainHost: Host | null = null

  #changeAddress(details: Sequence, durationMs: number): void {
    const kind = details.pick([...Array<'home'>(6).fill('home'), 'other', 'reserved', 'proxy'] as const)
    this.sources.change(details, kind)
    if (kind !== 'home') this.#lasts(durationMs, () => this.sources.change(details, 'home'))
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
          else if (!isLate && said) this.sources.hear(host, request, said)
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
        const said = this.sources.ask(request, fault)
        const { outcome } = said
        if (outcome) this.#in(latencyMs, () => settle({ outcome, truth: null }, said))
        return
      }
      const current = fault ?? this.#serviceFault ?? (isWrite ? this.#stubbornFault(request) : null)
      const process = (isLateEffect: boolean) => {
        const isLimited = this.time.nowMs < this.#limitedUntilMs && !this.#announcesLimit
        const commit = (change: Commit) => {
          this.judge.committed(round, change, basis, isLateEffect)
          this.#lastChange = { ms: this.time.nowMs, host }
          this.#remember()
          if (isLateEffect) this.#disturb()
          if (change.before === null && this.#isDoubled(change.after)) this.#awaitRepair()
        }
        const sent = current?.loses ? { ...request, body: withoutExtras(request) } : request
        const reply = isLimited ? null : this.zone.handle(sent, commit)
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

  /** Returns what an intact service answers; it may be about to limit the account. */
  #answer(reply: Reply | null): Heard {
    const leftMs = this.#limitedUntilMs - this.time.nowMs
    if (reply === null) {
      const retryAfterMs = Math.max(0, Math.ceil(leftMs / 1000) * 1000)
      return { outcome: response(429, '', '', retryAfterMs), truth: null }
    }
    const outcome = response(reply.status, reply.body)
    if (leftMs <= 0 || outcome.kind !== 'response') return { outcome, truth: reply.truth }
    return {
      outcome: { ...outcome, rateLimits: [{ remaining: this.#drawNow(3), resetMs: leftMs }] },
      truth: reply.truth,
    }
  }
}

/** Returns the body of a write without what it carries over. */
function withoutExtras({ body = '{}' }: HttpRequest): string {
  return JSON.stringify(JSON.parse(body), ['type', 'name', 'content', 'ttl', 'proxied'])
}
