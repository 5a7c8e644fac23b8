import type { Interfaces } from '../../action/address/interface.ts'
import type { RecordResult, RoundResult } from '../../action/result.ts'
import type { Watched } from '../../action/watch.ts'
import type { HttpOutcome, HttpRequest } from '../../lib/exchange.ts'
import type { RecordType } from '../../lib/record-type.ts'
import { RecordJudge, type SeenRecord } from '../support/record-judge.ts'
import {
  baseUrl,
  isAcceptable,
  minuteMs,
  recordContent,
  type Setup,
  sourcesOf,
  token,
  zoneId,
} from './scenario.ts'
import type { Commit, Truth, Zone } from './zone.ts'

/** Totals. Nothing can prevent the last three, because the API has no compare-and-set. */
export type Counts = ReturnType<typeof noCounts>

export const noCounts = () => ({
  rounds: 0,
  green: 0,
  /** Reports of a router. */
  pings: 0,
  /** Pings that wrote nothing, because the record was right. */
  idlePings: 0,
  requests: 0,
  writes: 0,
  events: 0,
  /** Rounds and pings that had to be green, because nothing was wrong. */
  calmRounds: 0,
  /** Writes over an edit that came after the last read. */
  overwrittenEdits: 0,
  /** Writes over a write of another run that came after the last read. */
  overlappingWrites: 0,
  /** Writes that took effect after their sender had given up. */
  lateWrites: 0,
})

/** A broken rule. */
export interface Violation {
  readonly invariant: string
  readonly detail: string
  readonly atMs: number
  readonly host: string
}

/** What the judge needs to know about the world. */
export interface WorldView {
  readonly time: { readonly nowMs: number }
  /** Whether nothing has been wrong, or changed by others, since a time. */
  isCalmSince(ms: number, host: Process): boolean
  readonly zone: Zone
  address(type: RecordType): string
  /** The name whose writes always fail at the moment, while all others work. */
  readonly stubborn: { readonly name: string } | null
}

/** The process whose requests and results are judged. */
export interface Process {
  readonly name: string
  /** By how much its clock has moved forward while it could do nothing, in milliseconds. */
  readonly jumpedMs: number
  /** Milliseconds on its own clock. */
  now(): number
}

/** The words of an answer that say that a record is right. */
const successes: ReadonlySet<string> = new Set(['good', 'nochg'])

/** inadyn waits ten seconds. */
const maxAnswerMs = 8000

export const intervalMs = 5 * minuteMs
const maxGapMs = 15 * minuteMs

/** What one round of one process, or one ping, has done and heard so far. */
export type RoundLog = ReturnType<typeof openRound>

type Violate = (invariant: string, detail: string) => void

function openRound(host: Process, startWorldMs: number, task: Setup & { inTurn: boolean }, violate: Violate) {
  /** The addresses that count, by record type and source. */
  const votes = new Map<string, string>()
  const quorum = task.inTurn ? 1 : sourcesOf[task.sources].quorum
  const judgeAddress = (type: string, content: string) => {
    const own = [...votes].filter(([key]) => key.startsWith(`${type} `)).map(([, address]) => address)
    const agreeing = own.filter(address => recordContent(address, task) === content)
    if (agreeing.length < quorum)
      violate('address-agreed', `${content} with the votes ${own.join(', ') || 'none'}`)
    if (!agreeing.every(address => isAcceptable(address, task)))
      violate('address-public', `${content} is not acceptable`)
  }
  return {
    violate,
    votes,
    startMs: host.now(),
    startWorldMs,
    jumpedMs: host.jumpedMs,
    /** What each resolver answered, by record type and resolver. */
    answers: new Map<string, string>(),
    /** The addresses of the host, which a round reads once for each record type. */
    interfaces: null as Interfaces[string] | null,
    records: new RecordJudge(task, judgeAddress, violate),
    /** What each name server served last. */
    served: new Map<string, string>(),
    requests: 0,
    limitedUntilMs: Number.NEGATIVE_INFINITY,
    isOver: false,
  }
}

/** Checks every request and every result of each process against the rules. Shares no code with the action. */
export class Judge {
  violation: Violation | null = null
  readonly counts: Counts
  readonly #setup: Setup
  readonly #world: WorldView
  readonly #rounds = new Map<Process, RoundLog>()

  /** Adds to the counts. */
  constructor(setup: Setup, world: WorldView, counts: Counts) {
    this.#setup = setup
    this.#world = world
    this.counts = counts
  }

  #violate(host: Process, invariant: string, detail: string): void {
    this.violation ??= { invariant, detail, atMs: this.#world.time.nowMs, host: host.name }
  }

  roundStarted(host: Process): void {
    const last = this.#rounds.get(host)
    const { violate, startMs, jumpedMs } = this.#open(host, false)
    this.counts.rounds++
    if (!last) return
    const gapMs = startMs - last.startMs
    if (gapMs < 0.95 * intervalMs - 1) violate('schedule', `a round after ${gapMs} ms`)
    if (gapMs > maxGapMs + jumpedMs - last.jumpedMs + 1) violate('schedule', `no round for ${gapMs} ms`)
  }

  /** A router reports its addresses, one for each type. `host` is of this ping alone. */
  pingStarted(host: Process, types: readonly RecordType[], addresses: readonly string[]): void {
    const round = this.#open(host, true)
    for (const [place, type] of types.entries()) this.voted(round, type, 'router', addresses[place] ?? null)
    this.counts.pings++
  }

  #open(host: Process, isPing: boolean): RoundLog {
    const task = { ...this.#setup, inTurn: isPing }
    const round = openRound(host, this.#world.time.nowMs, task, this.#violate.bind(this, host))
    this.#rounds.set(host, round)
    return round
  }

  round(host: Process): RoundLog {
    const round = this.#rounds.get(host)
    if (!round) throw new Error(`${host.name} sends a request outside a round.`)
    return round
  }

  /** A process sends a request. Returns the record that a write is based on. */
  sent(host: Process, request: HttpRequest, isStopping: boolean): SeenRecord | null {
    const round = this.round(host)
    const { violate } = round
    round.requests++
    this.counts.requests++
    if (isStopping) violate('stop', `${request.method} ${request.url} after the request to stop`)
    if (round.isOver) violate('stop', `${request.method} ${request.url} after the round`)
    if (request.timeoutMs > this.#setup.timeoutS * 1000) violate('deadline', 'a request outlasts the round')
    if (!request.url.startsWith(`${baseUrl}/client/v4/`)) {
      const shown = `${request.url} ${request.body ?? ''} ${JSON.stringify(request.headers)}`
      if (shown.includes(token) || /authorization/i.test(shown)) violate('token', `sent to ${request.url}`)
      return null
    }
    if (request.headers['Authorization'] !== `Bearer ${token}`) violate('token', 'a request without it')
    if (request.url.includes(token) || request.body?.includes(token)) violate('token', 'outside its header')
    if (host.now() < round.limitedUntilMs) violate('rate-limit', 'a request before it starts over')
    if (request.method === 'GET') return null
    this.counts.writes++
    const { method, url, body = '{}' } = request
    const path = url.replace(`${baseUrl}/client/v4/zones/${zoneId}/`, '')
    return round.records.sent(method, path, body)
  }

  /** A source has returned an address in a form that counts; null if not. */
  voted({ votes }: RoundLog, type: RecordType, source: string, address: string | null): void {
    const key = `${type} ${source}`
    if (address === null) votes.delete(key)
    else votes.set(key, address)
  }

  /** The service has carried out a write. `round` is that of the sender, over or not. */
  committed(round: RoundLog, { before, after }: Commit, basis: SeenRecord | null, isLate: boolean): void {
    const slot = round.records.slot(after.type, after.name)
    slot.isWritten = true
    if (isLate) this.counts.lateWrites++
    if (before && before.type !== after.type) round.violate('untouched', 'the type of a record')
    if (!before || before === basis || !basis) return
    const byRun = before.content === after.content
    if (byRun) this.counts.overlappingWrites++
    else this.counts.overwrittenEdits++
  }

  /** A process hears the outcome of a request to the service. */
  heard(host: Process, outcome: HttpOutcome, truth: Truth | null): void {
    const round = this.round(host)
    if (outcome.kind === 'response') {
      const waits = [outcome.status === 429 ? (outcome.retryAfterMs ?? 0) : 0]
      for (const { remaining, resetMs } of outcome.rateLimits) if (remaining === 0) waits.push(resetMs)
      const waitMs = Math.max(...waits)
      if (waitMs > 0) round.limitedUntilMs = Math.max(round.limitedUntilMs, host.now() + waitMs)
    }
    if (truth?.kind === 'written') round.records.answered(truth.record)
    else if (truth) round.records.listed(truth.name, truth.records)
  }

  roundEnded(host: Process, result: RoundResult, wasStopped: boolean): void {
    const round = this.round(host)
    round.isOver = true
    const { violate } = round
    const { timeoutS, names, types } = this.#setup
    const tookMs = host.now() - round.startMs - (host.jumpedMs - round.jumpedMs)
    if (tookMs > timeoutS * 1000 + 1) violate('deadline', `the round took ${tookMs} ms of ${timeoutS} s`)
    if (!wasStopped && result.requests !== round.requests) {
      violate('report', `${result.requests} requests reported, ${round.requests} sent`)
    }
    if (result.problem) violate('report', result.problem.message)
    if (result.records.length !== names.length * types.length)
      violate('report', `${result.records.length} results`)
    for (const record of result.records) {
      const right = round.records.claimed({ ...record, changed: record.written })
      if (right && this.#setup.verifiesDns) this.#judgeServed(round, record, right)
    }
    const isGreen = result.records.every(record => record.result !== 'failed')
    if (isGreen) this.counts.green++
    else if (JSON.stringify(result).includes(token)) violate('token', 'in a message')
    if (this.#world.isCalmSince(round.startWorldMs, host) && !wasStopped) this.#judgeCalm(round, result)
  }

  /** The answer to a ping has arrived, and its work has ended with this log. */
  pingEnded(host: Process, status: number, body: string, answeredMs: number, log: string): void {
    const round = this.round(host)
    round.isOver = true
    const { violate } = round
    const { names, types } = this.#setup
    const lines = body.split('\n').slice(0, -1)
    const words = lines.map(line => line.replace(/ .*/, ''))
    if (answeredMs > maxAnswerMs + 1) violate('deadline', `the answer took ${answeredMs} ms`)
    if ((body + log).includes(token)) violate('token', 'in an answer or the log')
    const mayPass = words.some(word => word === '911' || word === 'dnserr')
    if (lines.length !== names.length || status !== (mayPass ? 503 : 200))
      violate('report', `${status} ${body}`)
    for (const [place, hostname] of names.entries()) {
      const word = words[place] ?? ''
      const contents = types.map(type => recordContent(round.votes.get(`${type} router`) ?? '', this.#setup))
      const isGreen = successes.has(word)
      if (isGreen && lines[place] !== `${word} ${contents}`) violate('report', `${body} for ${contents}`)
      const wrote = types.some(type => round.records.slot(type, hostname).write)
      if (isGreen && wrote !== (word === 'good'))
        violate('report', `${body} after ${wrote ? 'a' : 'no'} write`)
      for (const [place, type] of types.entries()) {
        const { write, wasHidden } = round.records.slot(type, hostname)
        // The line is about both records. 911 admits a write whose outcome is unknown, nohost one that nobody is served.
        const admits = types.length > 1 || word === '911' || (word === 'nohost' && wasHidden)
        const reason = admits ? 'write-unconfirmed' : 'record-conflict'
        round.records.claimed({
          hostname,
          type,
          address: contents[place] ?? null,
          result: isGreen ? (write ? 'updated' : 'unchanged') : 'failed',
          changed: isGreen && write !== null,
          problem: isGreen ? null : { reason, message: word },
        })
      }
    }
    const isIdle = words.every(word => word === 'nochg')
    if (isIdle) this.counts.idlePings++
    if (!this.#world.isCalmSince(round.startWorldMs, host)) return
    if (!types.every(type => isAcceptable(round.votes.get(`${type} router`) ?? '', this.#setup))) return
    this.counts.calmRounds++
    if (isIdle && round.requests !== 1) violate('budget', `${round.requests} requests and no change`)
    const { stubborn } = this.#world
    for (const [place, hostname] of names.entries()) {
      if (hostname === stubborn?.name) continue
      // If one name fails, the answer has no word of success for the others. Only the log has.
      const isTold =
        stubborn === null
          ? successes.has(words[place] ?? '')
          : [...successes].some(each => log.includes(`"${hostname} ${each}"`))
      if (!isTold) violate('convergence', `${body}, ${log}`)
      this.#judgeHeld(round, hostname, types)
    }
  }

  /** Name servers serve a record that a round calls right. */
  #judgeServed({ served, violate }: RoundLog, record: RecordResult, { proxied }: SeenRecord): void {
    const { type, hostname, address, previousAddress } = record
    const contents = [1, 2].map(server => served.get(`${type} ${hostname} 84.9.9.${server}`) ?? '0 records')
    // The addresses of a proxy cannot be listed: anything but the record's own addresses counts as one.
    const isServed = (content: string) =>
      proxied ? !['0 records', address, previousAddress].includes(content) : content === address
    if (!contents.every(isServed)) violate('green', `${type} ${hostname}: served ${contents.join(', ')}`)
  }

  #judgeHeld({ violate }: RoundLog, hostname: string, types: readonly RecordType[]): void {
    for (const type of types) {
      const wanted = recordContent(this.#world.address(type), this.#setup)
      const held = this.#world.zone.records
        .filter(record => record.type === type && record.name === hostname)
        .map(({ content }) => content)
      if (held.join() !== wanted) violate('convergence', `${hostname} holds ${held} not ${wanted}`)
    }
  }

  /** The loop has ended, by itself or after a request to stop, which ended `cutShort` of its rounds. */
  watchEnded(host: Process, watched: Watched, rounds: number, cutShort: number): void {
    const isCounted = watched.rounds === rounds || (cutShort > 0 && watched.rounds === rounds - 1)
    if (!isCounted) this.#violate(host, 'report', `${watched.rounds} rounds reported of ${rounds}`)
  }

  /** The loop has thrown, which it must never do. */
  readonly failed = (error: unknown): void => {
    this.violation ??= { invariant: 'error', detail: String(error), atMs: this.#world.time.nowMs, host: '' }
  }

  /** After the faults end, one round is enough, and a check costs one request a source and one list. */
  #judgeCalm(round: RoundLog, result: RoundResult): void {
    const { violate } = round
    const { types, names, sources, dryRun, verifiesDns } = this.#setup
    if (!types.every(type => isAcceptable(this.#world.address(type), this.#setup))) return
    this.counts.calmRounds++
    for (const record of result.records) {
      if (record.hostname === this.#world.stubborn?.name) continue
      if (record.result === 'failed') violate('convergence', record.problem?.message ?? '')
      if (!dryRun) this.#judgeHeld(round, record.hostname, [record.type])
    }
    const isUnchanged = result.records.every(record => record.result === 'unchanged')
    const budget = sourcesOf[sources].requests * types.length + 1
    if (isUnchanged && !verifiesDns && round.requests !== budget) {
      violate('budget', `${round.requests} requests to check ${names.length} names`)
    }
  }
}
