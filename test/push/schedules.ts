import type { HttpOutcome } from '../../lib/exchange.ts'
import { createHandler, type Handler, type HandlerContext } from '../../push/handler.ts'
import { readSettings } from '../../push/settings.ts'
import { failure } from '../simulation/faults.ts'
import { Host, VirtualTime } from '../simulation/virtual-time.ts'
import { Zone } from '../simulation/zone.ts'
import { expectValue } from '../support/expect-value.ts'
import { response } from '../support/response.ts'
import { Sequence } from '../support/sequence.ts'
import { hostLine, password } from './endpoint.ts'

/** What answers the pings: two instances of the Worker, or one of them or Node. Only beside two does somebody else write. */
const kinds = ['instances', 'one', 'one'] as const
type Kind = (typeof kinds)[number]
type RecordType = 'A' | 'AAAA'

export const name = 'home.example.com'
const zoneId = 'a'.repeat(32)
const addresses = {
  A: ['8.8.4.4', '8.8.8.8', '9.9.9.9'],
  AAAA: ['2a00:1450:4001:82b::1', '2a00:1450:4001:82b::2', '2a00:1450:4001:82b::3'],
} as const
const notPublic = '10.0.0.1'

const minuteMs = 60_000
const maxDelayMs = 3000
/** The endpoint answers in this time, and the record is right this long after the last ping. */
export const answerMs = 8000
export const settledMs = 40_000
/** Pings in a minute that say what the last read showed and are read again. Later ones can be answered from memory. */
const maxEqualReads = 4
/** Nothing waits for a message of the test on a busy machine. */
const roundingMs = 1

/** A ping with addresses, to one of the instances. Without the right password, nothing comes of it. */
export interface Ping {
  readonly atMs: number
  readonly instance: number
  readonly myip: readonly string[]
  readonly isRight: boolean
}

/** A change by somebody else: other content, or none for a record that is deleted. */
export interface Edit {
  readonly atMs: number
  readonly type: RecordType
  readonly content: string | null
}

export interface Schedule {
  readonly kind: Kind
  readonly pings: readonly Ping[]
  readonly edits: readonly Edit[]
}

/** What a record held from a time on; null without the record. */
export interface Held {
  readonly atMs: number
  readonly type: RecordType
  readonly content: string | null
}

export interface Answer {
  readonly ping: Ping
  readonly arrivedMs: number
  readonly answeredMs: number
  readonly body: string
}

/** Returns the type of the record that an address is for. */
const typeOf = (address: string): RecordType => (address.includes(':') ? 'AAAA' : 'A')

/** Draws a schedule. Beside a single instance, there are at most six pings in a minute and `gapMs`, and `gapMs` between two. */
export function drawSchedule(random: Sequence, kind = random.pick(kinds), gapMs = 0): Schedule {
  const pings: Ping[] = []
  const before = () => pings.at(-1)
  const drawAddresses = () => {
    const last = before()
    if (last && random.chance(50)) return last.myip
    const types = random.pick([['A'], ['AAAA'], ['A', 'AAAA']] as const)
    return types.map(type => (random.chance(4) && type === 'A' ? notPublic : random.pick(addresses[type])))
  }
  const count = 2 + random.below(9)
  for (let atMs = 0; pings.length < count; atMs += gapMs + random.below(random.pick([100, 3000, 15_000]))) {
    const sixth = pings.at(-6)
    if (kind !== 'instances' && sixth) atMs = Math.max(atMs, sixth.atMs + minuteMs + gapMs)
    const instance = kind === 'instances' ? random.below(2) : 0
    pings.push({ atMs, instance, myip: drawAddresses(), isRight: !random.chance(4) })
  }
  const endMs = (before()?.atMs ?? 0) + maxDelayMs
  const edits = Array.from({ length: kind === 'instances' ? random.below(5) : 0 }, (): Edit => {
    const type = random.pick(['A', 'AAAA'] as const)
    const content = random.chance(10) ? null : random.pick(addresses[type])
    return { atMs: random.below(endMs), type, content }
  })
  return { kind, pings, edits: edits.toSorted((one, other) => one.atMs - other.atMs) }
}

/** Returns how long a request is on its way, and its response, in milliseconds. */
export function drawDelays(random: Sequence): readonly [thereMs: number, backMs: number] {
  const bothMs = random.below(random.pick([40, 500, maxDelayMs]))
  const thereMs = random.below(bothMs + 1)
  return [thereMs, bothMs - thereMs]
}

/** A zone with a record of each type, and what these held at any time. */
export function openZone(now: () => number, id = zoneId) {
  const zone = new Zone(id, 'example.com')
  const held: Held[] = []
  const heldNow = (type: RecordType) => held.findLast(one => one.type === type)?.content ?? null
  function note(): void {
    for (const type of ['A', 'AAAA'] as const) {
      const content = zone.records.find(record => record.type === type)?.content ?? null
      if (held.length < 2 || heldNow(type) !== content) held.push({ atMs: now(), type, content })
    }
  }
  for (const type of ['A', 'AAAA'] as const) zone.add({ name, type, content: addresses[type][0] })
  note()
  function edit({ type, content }: Edit): void {
    const record = zone.records.find(other => other.type === type)
    if (record && content === null) zone.remove(record.id)
    else if (record && content !== null) zone.edit(record.id, { content })
    else if (content !== null) zone.add({ name, type, content })
    note()
  }
  function handle(request: Parameters<Zone['handle']>[0]) {
    const { status, body } = zone.handle(request, () => {})
    note()
    return { status, body }
  }
  return { held, edit, handle }
}

/** Returns the pings to an instance that say what its last answer with an address showed. */
function equalPings(answers: readonly Answer[], instance: number): readonly Ping[] {
  const shown = new Map<RecordType, string>()
  const own = answers.filter(({ ping }) => ping.isRight && ping.instance === instance)
  return own
    .toSorted((one, other) => one.arrivedMs - other.arrivedMs)
    .flatMap(({ ping, body }) => {
      const given = ping.myip.filter(address => address !== notPublic)
      const isEqual = given.every(address => (shown.get(typeOf(address)) ?? address) === address)
      for (const address of given)
        if (/^(good|nochg) /.test(body)) shown.set(typeOf(address), address)
        // The answer is about the address that was refused: the other record may have been written, and read since.
        else if (given.length < ping.myip.length) shown.delete(typeOf(address))
      return given.length > 0 && isEqual ? [ping] : []
    })
}

/**
 * Returns what a schedule showed to be wrong; null if nothing is.
 * @param lateMs how much later than in time an answer may come
 */
export function judge(
  { kind, pings }: Schedule,
  held: readonly Held[],
  answers: readonly Answer[],
  lateMs = roundingMs,
) {
  function wasHeld(address: string, fromMs: number, toMs: number): boolean {
    const ofType = held.filter(({ type }) => type === typeOf(address))
    return ofType.some(
      ({ content, atMs }, index) =>
        content === address &&
        atMs <= toMs &&
        (ofType[index + 1]?.atMs ?? Number.POSITIVE_INFINITY) >= fromMs,
    )
  }
  if (answers.length < pings.length) return 'a ping has no answer'
  for (const { ping, arrivedMs, answeredMs, body } of answers) {
    const what = `${body.trim()} to the ping of ${ping.atMs} ms`
    if (answeredMs > arrivedMs + answerMs + lateMs) return `${what} after ${answeredMs - arrivedMs} ms`
    const [, word, said = ''] = /^(good|nochg) (.*)\n$/.exec(body) ?? []
    if (word === undefined) continue
    const inMinute = equalPings(answers, ping.instance).filter(({ atMs }) => atMs > ping.atMs - minuteMs)
    if (word === 'nochg' && inMinute.indexOf(ping) >= maxEqualReads) continue
    if (said !== ping.myip.join() || !ping.isRight) return `${what}, which gave ${ping.myip}`
    for (const address of ping.myip)
      if (!wasHeld(address, arrivedMs, answeredMs)) return `${what}, but the record never held ${address}`
  }
  if (kind === 'instances') return null
  for (const type of ['A', 'AAAA'] as const) {
    const given = pings.filter(({ isRight }) => isRight).flatMap(({ myip }) => myip)
    const last = given.findLast(address => address !== notPublic && typeOf(address) === type)
    const content = held.findLast(one => one.type === type)?.content
    if (last !== undefined && content !== last)
      return `the ${type} record holds ${content} instead of ${last}`
  }
  return null
}

/** Returns the path and the query of a ping. */
export function pathOf({ myip }: Ping): string {
  return `/nic/update?hostname=${name}&myip=${myip.join()}`
}

/** Returns the headers of a ping. */
export function headersOf({ isRight }: Ping): { readonly authorization: string } {
  return { authorization: `Basic ${btoa(`any:${isRight ? password : 'wrong'}`)}` }
}

/** Runs a schedule on a simulated clock. Returns what was wrong, or null if nothing was, and the answers. */
export async function runSchedule(
  schedule: Schedule,
  random: Sequence,
  delays = () => drawDelays(random),
): Promise<{ readonly wrong: string | null; readonly answers: readonly Answer[] }> {
  const time = new VirtualTime()
  const zone = openZone(() => time.nowMs)
  const { clock } = new Host('endpoint', time, random)
  const HOSTS = await hostLine(name, 'A,AAAA')
  const settings = expectValue(readSettings({ API_TOKEN: 'x'.repeat(40), ZONE_ID: zoneId, HOSTS }))
  const exchange: HandlerContext['exchange'] = request =>
    new Promise<HttpOutcome>(resolve => {
      const [thereMs, backMs] = delays()
      time.after(request.timeoutMs, () => resolve(failure('timeout')))
      time.after(thereMs, () => {
        const { status, body } = zone.handle(request)
        time.after(backMs, () => resolve(response(body, { status })))
      })
    })
  const handlers: readonly Handler[] = (schedule.kind === 'instances' ? [0, 1] : [0]).map(() =>
    createHandler(settings, {
      exchange,
      clock,
      log: () => {},
    }),
  )
  const answers: Answer[] = []
  const texts: Promise<unknown>[] = []
  async function send(ping: Ping): Promise<void> {
    const arrivedMs = time.nowMs
    const request = new Request(`https://push.example${pathOf(ping)}`, { headers: headersOf(ping) })
    const answered = await (handlers[ping.instance] as Handler)(request, { address: null, secure: true })
    const answeredMs = time.nowMs
    texts.push(answered.text().then(body => answers.push({ ping, arrivedMs, answeredMs, body })))
  }
  for (const ping of schedule.pings) time.at(ping.atMs, () => void send(ping))
  for (const edit of schedule.edits) time.at(edit.atMs, () => zone.edit(edit))
  await time.run((schedule.pings.at(-1)?.atMs ?? 0) + settledMs)
  await Promise.all(texts)
  return { wrong: judge(schedule, zone.held, answers), answers }
}

/**
 * Runs random schedules on a simulated clock. Returns the first one that showed something wrong, or null if none did, and how
 * many answers of each word there were.
 */
export async function runSchedules(seed: number, count: number) {
  const words: Record<string, number> = {}
  for (let number = 0; number < count; number++) {
    const schedule = drawSchedule(new Sequence(seed + number))
    const { wrong, answers } = await runSchedule(schedule, new Sequence((seed + number) ^ 0x5c4ed))
    for (const { body } of answers) {
      const [word = ''] = body.split(/\s/, 1)
      words[word] = (words[word] ?? 0) + 1
    }
    if (wrong !== null) return { first: { wrong, number, seed, schedule }, words }
  }
  return { first: null, words }
}
