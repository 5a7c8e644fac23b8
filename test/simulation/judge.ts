import type { HttpOutcome, HttpRequest } from '../../action/exchange.ts'
import type { RecordType } from '../../action/record-type.ts'
import type { RecordResult, RoundResult } from '../../action/result.ts'
import type { Watched } from '../../action/watch.ts'
import { carriedOver, falseClaims } from '../support/claim.ts'
import { noCounts } from './counts.ts'
import {
  baseUrl,
  isAcceptable,
  minuteMs,
  quorumOf,
  recordContent,
  type Setup,
  token,
  zoneId,
} from './scenario.ts'
import type { ApiRecord, Commit, Truth } from './zone.ts'

/** A broken rule. */
export interface Violation {
  readonly invariant: Invariant
  readonly detail: string
  readonly atMs: number
  readonly host: string
}

/** What a run has seen of one record in its current round. */
interface View {
  readonly records: readonly ApiRecord[]
  readonly hasAlias: boolean
}

/** A write, and the record that it was based on; undefined for a creation. */
interface Written {
  readonly isCreation: boolean
  readonly content: string
  readonly basis: ApiRecord | undefined
}

/** What one round of one process has done and heard so far. */
export interface RoundLog {
  readonly host: Process
  /** How many votes an address needs. */
  readonly quorum: number
  readonly startMs: number
  readonly startWorldMs: number
  readonly jumpedMs: number
  /** The addresses that count, by record type and source. */
  readonly votes: Map<string, string>
  /** What each resolver answered, by record type and resolver. */
  readonly answers: Map<string, string>
  readonly views: Map<string, View>
  /** The last write sent for each record. */
  readonly written: Map<string, Written>
  /** The records that the lists before the first write showed as hidden by NS records, and none after it as visible. */
  readonly hidden: Set<string>
  /** The records that any list showed as hidden. */
  readonly seenHidden: Set<string>
  /** The records whose writes were confirmed. */
  readonly confirmed: Set<string>
  /** Those of them that were seen to have kept the rest, too. What is read later says nothing more about the write. */
  readonly settled: Set<string>
  /** IDs of the records that it created. */
  readonly created: Set<string>
  /** Requests that took effect, by record. */
  readonly commits: Map<string, number>
  /** What each name server served last. */
  readonly served: Map<string, string>
  requests: number
  limitedUntilMs: number
  isOver: boolean
}

/** What the judge needs to know about the world. */
export interface WorldView {
  now(): number
  /** Whether nothing has been wrong, or changed by others, since a time. */
  isCalmSince(ms: number, host: Process): boolean
  records(): readonly ApiRecord[]
  address(type: RecordType): string
  /** The name whose writes always fail at the moment, while all others work. */
  stubbornName(): string | null
}

/** The process whose requests and results are judged. */
export interface Process {
  readonly name: string
  /** By how much its clock has moved forward while it could do nothing, in milliseconds. */
  readonly jumpedMs: number
  /** Milliseconds on its own clock. */
  now(): number
}

/** A line of the answer to a ping. */
export interface PingLine {
  readonly word: string
  readonly text: string
}

/** What the router received, and what the endpoint logged. */
export interface PingAnswer {
  readonly lines: readonly PingLine[]
  readonly status: number
  readonly answeredMs: number
  readonly log: string
}

/** What is said of a record. */
type Claimed = Pick<RecordResult, 'hostname' | 'type' | 'address' | 'result' | 'written' | 'problem'> &
  Partial<RecordResult>

/** The words of an answer that say that a record is right. */
const successes: ReadonlySet<string> = new Set(['good', 'nochg'])

/** inadyn waits ten seconds. */
const maxAnswerMs = 8000

export const intervalMs = 5 * minuteMs
const maxGapMs = 15 * minuteMs
/** The rules. Each is broken by a fault that `planted.test.ts` plants. */
export const invariants = [
  'address-agreed',
  'address-public',
  'write-twice',
  'untouched',
  'green',
  'report',
  'deadline',
  'rate-limit',
  'token',
  'dry-run',
  'schedule',
  'stop',
  'convergence',
  'budget',
  'error',
] as const

export type Invariant = (typeof invariants)[number]

type Violate = (invariant: Invariant, detail: string) => void

const greenResults = new Set(['unchanged', 'updated', 'created'])

/** Checks every request and every result of each process against the rules. Shares no code with the action. */
export class Judge {
  violation: Violation | null = null
  readonly counts = noCounts()
  readonly #setup: Setup
  readonly #world: WorldView
  readonly #onViolation: () => void
  readonly #rounds = new Map<Process, RoundLog>()
  readonly #lastStarts = new Map<Process, { readonly ms: number; readonly jumpedMs: number }>()

  constructor(setup: Setup, world: WorldView, onViolation: () => void) {
    this.#setup = setup
    this.#world = world
    this.#onViolation = onViolation
  }

  #violate(host: Process, invariant: Invariant, detail: string): void {
    if (this.violation) return
    this.violation = { invariant, detail, atMs: this.#world.now(), host: host.name }
    this.#onViolation()
  }

  roundStarted(host: Process): void {
    const startMs = host.now()
    const last = this.#lastStarts.get(host)
    if (last) {
      const gapMs = startMs - last.ms
      const jumpedMs = host.jumpedMs - last.jumpedMs
      if (gapMs < 0.95 * intervalMs - 1) this.#violate(host, 'schedule', `a round after ${gapMs} ms`)
      if (gapMs > maxGapMs + jumpedMs + 1) this.#violate(host, 'schedule', `no round for ${gapMs} ms`)
    }
    this.#lastStarts.set(host, { ms: startMs, jumpedMs: host.jumpedMs })
    this.#open(host, quorumOf(this.#setup))
    this.counts.rounds++
  }

  /** A router reports its addresses, one for each type. `host` is of this ping alone. */
  pingStarted(host: Process, types: readonly RecordType[], addresses: readonly string[]): void {
    const round = this.#open(host, 1)
    for (const [place, type] of types.entries()) this.voted(round, type, 'router', addresses[place] ?? null)
    this.counts.pings++
  }

  #open(host: Process, quorum: number): RoundLog {
    const round: RoundLog = {
      host,
      quorum,
      startMs: host.now(),
      startWorldMs: this.#world.now(),
      jumpedMs: host.jumpedMs,
      votes: new Map(),
      answers: new Map(),
      views: new Map(),
      written: new Map(),
      hidden: new Set(),
      seenHidden: new Set(),
      confirmed: new Set(),
      settled: new Set(),
      created: new Set(),
      commits: new Map(),
      served: new Map(),
      requests: 0,
      limitedUntilMs: Number.NEGATIVE_INFINITY,
      isOver: false,
    }
    this.#rounds.set(host, round)
    return round
  }

  round(host: Process): RoundLog {
    const round = this.#rounds.get(host)
    if (!round) throw new Error(`${host.name} sends a request outside a round.`)
    return round
  }

  /** A process sends a request. Returns the record that a write is based on. */
  sent(host: Process, request: HttpRequest, isStopping: boolean): ApiRecord | null {
    const round = this.round(host)
    round.requests++
    this.counts.requests++
    if (isStopping) this.#violate(host, 'stop', `${request.method} ${request.url} after the request to stop`)
    if (round.isOver) this.#violate(host, 'stop', `${request.method} ${request.url} after the round`)
    if (request.timeoutMs > this.#setup.timeoutS * 1000)
      this.#violate(host, 'deadline', 'a request outlasts the round')
    if (!request.url.startsWith(`${baseUrl}/client/v4/`)) {
      const shown = `${request.url} ${request.body ?? ''} ${JSON.stringify(request.headers)}`
      if (shown.includes(token) || /authorization/i.test(shown))
        this.#violate(host, 'token', `sent to ${request.url}`)
      return null
    }
    if (request.headers['Authorization'] !== `Bearer ${token}`)
      this.#violate(host, 'token', 'a request without it')
    if (request.url.includes(token) || request.body?.includes(token))
      this.#violate(host, 'token', 'outside its header')
    if (host.now() < round.limitedUntilMs)
      this.#violate(host, 'rate-limit', 'a request before it starts over')
    if (request.method === 'DELETE') this.#judgeDeletion(round, request)
    return request.method === 'GET' || request.method === 'DELETE' ? null : this.#judgeWrite(round, request)
  }

  /** Only the sender's own creation may go, once a list has shown another record beside it. */
  #judgeDeletion({ host, created, views }: RoundLog, { url }: HttpRequest): void {
    this.counts.writes++
    const id = url.slice(url.lastIndexOf('/') + 1)
    const isSecond = [...views.values()].some(
      ({ records }) => records.length > 1 && records.some(r => r.id === id),
    )
    if (!created.has(id) || !isSecond) this.#violate(host, 'untouched', `DELETE ${url}`)
    views.clear()
  }

  #judgeWrite(round: RoundLog, request: HttpRequest): ApiRecord | null {
    const { host } = round
    const violate = (invariant: Invariant, detail: string) =>
      this.#violate(host, invariant, `${request.method} ${request.body}: ${detail}`)
    this.counts.writes++
    const body: Partial<ApiRecord> = JSON.parse(request.body ?? '{}')
    const { type = '', name = '', content = '' } = body
    const { dryRun, names, types, create, onDrift } = this.#setup
    if (dryRun) violate('dry-run', 'a write')
    if (!names.includes(name) || !types.some(managed => managed === type))
      violate('untouched', 'not a managed record')
    this.#judgeAddress(round, type, content, violate)
    const slot = `${type} ${name}`
    const view = round.views.get(slot)
    // From here on, only another read shows what the name holds.
    round.views.delete(slot)
    round.written.set(slot, { isCreation: request.method === 'POST', content, basis: view?.records[0] })
    round.confirmed.delete(slot)
    round.settled.delete(slot)
    if (!view) {
      violate('write-twice', 'not read since the last write, or never')
      return null
    }
    if (view.hasAlias) violate('untouched', 'beside a CNAME')
    const path = request.url.slice(baseUrl.length + '/client/v4/'.length)
    const place = `zones/${zoneId}/dns_records`
    if (request.method === 'POST') {
      if (path !== place || !create || view.records.length > 0) violate('untouched', 'a needless creation')
      return null
    }
    const [record, ...others] = view.records
    if (!record || others.length > 0 || path !== `${place}/${record.id}`) {
      violate('untouched', 'not the single record of the name')
      return null
    }
    if (record.meta.read_only) violate('untouched', 'read-only')
    const ttl = body.proxied ? 1 : body.ttl
    const drifted = record.ttl !== ttl || record.proxied !== body.proxied
    if (record.content === content && !(drifted && onDrift === 'repair'))
      violate('write-twice', 'already confirmed')
    for (const field of ['comment', 'tags', 'settings', 'private_routing'] as const) {
      const [kept, sent] = [record[field], body[field]].map(value => JSON.stringify(value ?? null))
      const isEmpty = kept === 'null' || kept === '[]' || kept === '{}'
      if (isEmpty ? body[field] !== undefined : kept !== sent) violate('untouched', `${field} was ${kept}`)
    }
    return record
  }

  #judgeAddress({ votes, quorum }: RoundLog, type: string, content: string, violate: Violate): void {
    const own = [...votes].filter(([key]) => key.startsWith(`${type} `)).map(([, address]) => address)
    const agreeing = own.filter(address => recordContent(address, this.#setup) === content)
    if (agreeing.length < quorum) violate('address-agreed', `the votes are ${own.join(', ') || 'none'}`)
    if (!agreeing.every(address => isAcceptable(address, this.#setup)))
      violate('address-public', 'not acceptable')
  }

  /** A source has returned an address in a form that counts; null if not. */
  voted({ votes }: RoundLog, type: RecordType, source: string, address: string | null): void {
    const key = `${type} ${source}`
    if (address === null) votes.delete(key)
    else votes.set(key, address)
  }

  /** The service has carried out a write. `round` is that of the sender, over or not. */
  committed(round: RoundLog, { before, after }: Commit, basis: ApiRecord | null, isLate: boolean): void {
    const slot = `${after.type} ${after.name}`
    round.commits.set(slot, (round.commits.get(slot) ?? 0) + 1)
    if (!before) round.created.add(after.id)
    if (isLate) this.counts.lateWrites++
    if (before && before.type !== after.type) this.#violate(round.host, 'untouched', 'the type of a record')
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
    if (truth?.kind === 'written') {
      const { record } = truth
      this.#viewed(round, `${record.type} ${record.name}`, { records: [record], hasAlias: false }, false)
    } else if (truth) {
      for (const name of truth.name === null ? this.#setup.names : [truth.name]) {
        const atName = truth.records.filter(record => record.name === name)
        const hasAlias = atName.some(({ type }) => type === 'CNAME')
        for (const type of this.#setup.types) {
          const records = atName.filter(record => record.type === type)
          const isHidden = records.some(({ meta }) => meta.shadowed_by)
          if (isHidden) round.seenHidden.add(`${type} ${name}`)
          // A list after a write may be for the record of the other type.
          if (!isHidden) round.hidden.delete(`${type} ${name}`)
          else if (!hasWritten(round, name)) round.hidden.add(`${type} ${name}`)
          this.#viewed(round, `${type} ${name}`, { records, hasAlias }, true)
        }
      }
    }
  }

  /**
   * Reading a record back also shows other records at its name: after a write, only unconfirmed ones count. A ping decides on
   * its types one after the other, so that of the other type counts, too.
   */
  #viewed(round: RoundLog, slot: string, view: View, isListed: boolean): void {
    const { views, written, confirmed, settled, votes } = round
    const [type = '', name = ''] = slot.split(' ')
    const sent = written.get(slot)
    const isRound = !votes.has(`${type} router`)
    if (hasWritten(round, name) && (sent ? settled.has(slot) : isRound)) return
    views.set(slot, view)
    const [shown, ...others] = view.records
    const isRight = shown?.content === sent?.content && others.length === 0 && !view.hasAlias
    const isWhole = !shown || !sent?.basis || carriedOver(shown) === carriedOver(sent.basis)
    // Another run may have created the record too, which only a list shows.
    if (!sent || !isRight || (sent.isCreation && !isListed)) return
    confirmed.add(slot)
    if (isWhole) settled.add(slot)
  }

  roundEnded(host: Process, result: RoundResult, wasStopped: boolean): void {
    const round = this.round(host)
    round.isOver = true
    const violate = (invariant: Invariant, detail: string) => this.#violate(host, invariant, detail)
    const { timeoutS, names, types } = this.#setup
    const tookMs = host.now() - round.startMs - (host.jumpedMs - round.jumpedMs)
    if (tookMs > timeoutS * 1000 + 1) violate('deadline', `the round took ${tookMs} ms of ${timeoutS} s`)
    if (!wasStopped && result.requests !== round.requests) {
      violate('report', `${result.requests} requests reported, ${round.requests} sent`)
    }
    if (result.problem) violate('report', result.problem.message)
    if (result.records.length !== names.length * types.length)
      violate('report', `${result.records.length} results`)
    for (const record of result.records) this.#judgeResult(round, record, violate)
    const isGreen = result.records.every(record => record.result !== 'failed')
    if (isGreen) this.counts.green++
    else if (JSON.stringify(result).includes(token)) violate('token', 'in a message')
    if (this.#world.isCalmSince(round.startWorldMs, host) && !wasStopped)
      this.#judgeCalm(round, result, violate)
  }

  /** The answer to a ping has arrived, and its work has ended. */
  pingEnded(host: Process, { lines, status, answeredMs, log }: PingAnswer): void {
    const round = this.round(host)
    round.isOver = true
    const violate = (invariant: Invariant, detail: string) => this.#violate(host, invariant, detail)
    const { names, types } = this.#setup
    const said = JSON.stringify(lines)
    if (answeredMs > maxAnswerMs + 1) violate('deadline', `the answer took ${answeredMs} ms`)
    if ((said + log).includes(token)) violate('token', 'in an answer or the log')
    const mayPass = lines.some(({ word }) => word === '911' || word === 'dnserr')
    if (lines.length !== names.length || status !== (mayPass ? 503 : 200))
      violate('report', `${status} ${said}`)
    for (const [place, hostname] of names.entries()) {
      const { word = '', text = '' } = lines[place] ?? {}
      const contents = types.map(type => recordContent(round.votes.get(`${type} router`) ?? '', this.#setup))
      const isGreen = successes.has(word)
      if (text !== contents.join() && isGreen) violate('report', `${said} for ${contents}`)
      const wrote = types.some(type => round.written.has(`${type} ${hostname}`))
      if (isGreen && wrote !== (word === 'good'))
        violate('report', `${said} after ${wrote ? 'a' : 'no'} write`)
      for (const [place, type] of types.entries()) {
        const written = round.written.has(`${type} ${hostname}`)
        // The line stands for both records. 911 admits a write whose outcome is unknown, nohost one that nobody is served.
        const isHidden = round.seenHidden.has(`${type} ${hostname}`)
        const admits = types.length > 1 || word === '911' || (word === 'nohost' && isHidden)
        const reason = admits ? 'write-unconfirmed' : 'record-conflict'
        const problem = isGreen ? null : ({ reason, message: word } as const)
        const result = problem ? 'failed' : written ? 'updated' : 'unchanged'
        const address = contents[place] ?? null
        const claim = { hostname, type, address, result, written: isGreen && written, problem } as const
        this.#judgeResult(round, claim, violate)
      }
    }
    const isIdle = lines.every(({ word }) => word === 'nochg')
    if (isIdle) this.counts.idlePings++
    if (!this.#world.isCalmSince(round.startWorldMs, host)) return
    if (!types.every(type => isAcceptable(round.votes.get(`${type} router`) ?? '', this.#setup))) return
    this.counts.calmRounds++
    if (isIdle && round.requests !== names.length)
      violate('budget', `${round.requests} requests and no change`)
    const stubborn = this.#world.stubbornName()
    for (const [place, hostname] of names.entries()) {
      if (hostname === stubborn) continue
      const { word = '' } = lines[place] ?? {}
      // If one name fails, the answer has no word of success for the others. Only the log has.
      const isTold =
        stubborn === null
          ? successes.has(word)
          : [...successes].some(each => log.includes(`"${hostname} ${each}"`))
      if (!isTold) violate('convergence', `${said}, ${log}`)
      this.#judgeHeld(hostname, types, violate)
    }
  }

  #judgeResult(round: RoundLog, record: Claimed, violate: Violate): void {
    const slot = `${record.type} ${record.hostname}`
    const commits = round.commits.get(slot) ?? 0
    const reason = record.problem?.reason
    const says = `${slot}: ${record.result} ${reason ?? ''} ${record.problem?.message ?? ''}`
    const seen = round.views.get(slot)
    const [shown] = seen?.records ?? []
    const held = [
      ...(seen?.records ?? []).map(({ content }) => content),
      ...(seen?.hasAlias ? ['an alias'] : []),
    ]
    const claims = falseClaims({
      held,
      wanted: record.address,
      isWritten: commits > 0,
      isConfirmed: round.confirmed.has(slot),
      result: record.result,
      changed: record.written,
      reasons: reason ? [reason] : [],
      isGreen: record.result !== 'failed',
    })
    for (const { rule, detail } of claims) violate(rule, `${says}: ${detail}`)
    if (!greenResults.has(record.result)) return
    if (round.hidden.has(slot)) violate('green', `${says}, but NS records hide it`)
    const basis = round.written.get(slot)?.basis
    if (basis && shown && carriedOver(shown) !== carriedOver(basis))
      violate('green', `${says}, but ${carriedOver(basis)} became ${carriedOver(shown)}`)
    this.#judgeAddress(round, record.type, record.address ?? '', violate)
    if (this.#setup.verifiesDns) {
      const served = [1, 2].map(server => round.served.get(`${slot} 84.9.9.${server}`) ?? '0 records')
      // The addresses of a proxy cannot be listed: anything but the record's own addresses counts as one.
      const unproxied = ['0 records', record.address, record.previousAddress ?? null]
      const isServed = (content: string) =>
        shown?.proxied ? !unproxied.includes(content) : content === record.address
      if (!served.every(isServed)) violate('green', `${says}, served ${served.join(', ')}`)
    }
  }

  #judgeHeld(hostname: string, types: readonly RecordType[], violate: Violate): void {
    for (const type of types) {
      const wanted = recordContent(this.#world.address(type), this.#setup)
      const held = this.#world
        .records()
        .filter(record => record.type === type && record.name === hostname)
        .map(({ content }) => content)
      if (held.join() !== wanted) violate('convergence', `${hostname} holds ${held} not ${wanted}`)
    }
  }

  /** The loop has ended by itself or as asked. `cutShort` of the rounds ended after it was asked. */
  watchEnded(host: Process, watched: Watched, rounds: number, cutShort: number): void {
    const isCounted = watched.rounds === rounds || (cutShort > 0 && watched.rounds === rounds - 1)
    if (!isCounted) this.#violate(host, 'report', `${watched.rounds} rounds reported of ${rounds}`)
  }

  /** The loop has thrown, which it must never do. */
  readonly failed = (error: unknown): void => {
    this.violation ??= { invariant: 'error', detail: String(error), atMs: this.#world.now(), host: '' }
    this.#onViolation()
  }

  /** After the faults end, one round is enough, and a check costs one request a source and one list. */
  #judgeCalm(round: RoundLog, result: RoundResult, violate: Violate): void {
    const { types, names, sources, dryRun, verifiesDns } = this.#setup
    if (!types.every(type => isAcceptable(this.#world.address(type), this.#setup))) return
    this.counts.calmRounds++
    for (const record of result.records) {
      if (record.hostname === this.#world.stubbornName()) continue
      if (record.result === 'failed') violate('convergence', record.problem?.message ?? '')
      if (!dryRun) this.#judgeHeld(record.hostname, [record.type], violate)
    }
    const perType = { 'three-echoes': 3, 'one-echo': 1, dns: 2, interface: 0, mixed: 4 }[sources]
    const isUnchanged = result.records.every(record => record.result === 'unchanged')
    const budget = perType * types.length + 1
    if (isUnchanged && !verifiesDns && round.requests !== budget) {
      violate('budget', `${round.requests} requests to check ${names.length} names`)
    }
  }
}

/** Whether a write was sent for a record of this name. */
function hasWritten({ written }: RoundLog, name: string): boolean {
  return [...written.keys()].some(slot => slot.endsWith(` ${name}`))
}
