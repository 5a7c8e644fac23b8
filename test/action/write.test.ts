import { describe, expect, it } from 'vitest'
import type { PlannedWrite } from '../../action/reconcile.ts'
import type { DnsApi } from '../../action/records/dns-api.ts'
import type { DnsRecord } from '../../action/records/record.ts'
import { carryOut } from '../../action/write.ts'
import { failure, type HttpOutcome } from '../../lib/exchange.ts'
import { recorded, response } from '../support/response.ts'
import { fields as body, openApi, readRecord, shownRecord, slot } from './records/api.ts'

const before = { content: '192.0.2.1', ttl: 300 }
const old: DnsRecord = { ...readRecord, ...before }
const update: PlannedWrite = { kind: 'update', record: old, body, drift: [] }
const create: PlannedWrite = { kind: 'create', body }
const secondId = 'b'.repeat(32)

/** A record in a response of the API. */
type Shown = Readonly<Record<string, unknown>>
const shownOld: Shown = { ...shownRecord, ...before }
const shownNew: Shown = shownRecord
const shownSecond: Shown = { ...shownNew, id: secondId }
const alias: Shown = { id: secondId, type: 'CNAME', name: old.name, content: 'elsewhere.example' }

const timeout = failure('timeout', 'no complete response')

const refused = (status: number, code: number, message = 'No.') =>
  response({ success: false, errors: [{ code, message }] }, { status })
const written = (record: Shown) => response({ success: true, errors: [], result: record })
const listed = (...records: readonly Shown[]) => response({ success: true, errors: [], result: records })
const unavailable = (retryAfterMs: number | null = null) => response('', { status: 503, retryAfterMs })
const limited = (retryAfterMs: number | null = null) => response('', { status: 429, retryAfterMs })

/** What the decision says of a record that is written. */
const planned = 'as planned'

type Outcomes = readonly (HttpOutcome | Error)[]

/**
 * Writes in a round of one minute, in virtual time, after `prepare`. The requests have these outcomes, in order. Only a
 * timeout takes time.
 */
async function attempt(
  plan: PlannedWrite,
  outcomes: Outcomes,
  prepare: (api: DnsApi, pass: (ms: number) => void) => void = () => {},
) {
  const { exchange, sent } = recorded(({ method, url, timeoutMs }, sent) => {
    const outcome = outcomes[sent.length - 1] ?? new Error(`No outcome for ${method} ${url}`)
    if (outcome instanceof Error) throw outcome
    if (outcome.kind === 'failure') pass(timeoutMs)
    return outcome
  })
  const { api, pass, sleptMs } = openApi(exchange)
  prepare(api, pass)
  const result = await carryOut({ kind: 'write', slot, plan, notes: [planned] }, api)
  return {
    result,
    api,
    sleptMs,
    sent: sent.map(({ method }) => method).join(' '),
    bodies: sent.map(request => (request.body === undefined ? undefined : JSON.parse(request.body))),
  }
}

const confirmed = (result: 'updated' | 'created', ...notes: readonly unknown[]) => ({
  result,
  written: true,
  confirmed: expect.objectContaining({ content: body.content }),
  notes: [...notes, planned],
})
const updated = (...notes: readonly unknown[]) => confirmed('updated', ...notes)
const created = (...notes: readonly unknown[]) => ({ ...confirmed('created', ...notes), recordId: secondId })
const readBack = (doubt: string) =>
  updated(`The write of home.example.com was confirmed only by reading the record back: ${doubt}.`)

/** A failure whose message contains a text or matches a pattern. */
const failed = (reason: string, says: string | RegExp = '', written = false, setting?: string) => ({
  result: 'failed',
  problem: {
    reason,
    message: typeof says === 'string' ? expect.stringContaining(says) : expect.stringMatching(says),
    ...(setting && { setting }),
  },
  written,
  confirmed: null,
  notes: [],
})

/** The failure of a write that could not be confirmed. */
const unconfirmed = (why: string | RegExp, written = false) =>
  failed('write-unconfirmed', typeof why === 'string' ? `: ${why}. The record may ` : why, written)

/** What a write hears, what it sends and returns, and how long it waits, if that matters. */
type Row = [
  what: string,
  outcomes: Outcomes,
  sent: string,
  result: object,
  slept?: readonly number[] | null,
  elapsedMs?: number,
]

function rowsOf(plan: PlannedWrite) {
  return async (...[, outcomes, sent, result, slept, elapsedMs = 0]: Row) => {
    const done = await attempt(plan, outcomes, (_, pass) => pass(elapsedMs))
    expect(done.sent).toBe(sent)
    expect(done.result).toMatchObject(result)
    if (slept) expect(done.sleptMs).toEqual(slept)
  }
}

const notSent = failed('deadline', 'nothing was written', false, 'timeout')
const secondRefused = (status: number, code: number) =>
  'the outcome of the first attempt is unknown, and Cloudflare refused the second ' +
  `(Cloudflare returned ${status}, code ${code} "No.")`
const unchangedAfterTwo = 'a later read showed no change after 2 attempts'

describe('an update', () => {
  it.each<Row>([
    ['is confirmed by its response', [written(shownNew)], 'PUT', updated(), []],
    [
      'is confirmed by reading it back if the response shows no record',
      [written({ ...shownNew, ttl: 'soon' }), listed(shownNew)],
      'PUT GET',
      readBack('Cloudflare returned 200 with something other than its JSON envelope'),
    ],
    [
      'may have happened although the body says failure, if the status says success',
      [refused(200, 1), listed(shownNew)],
      'PUT GET',
      readBack('Cloudflare returned 200, code 1 "No.", without success'),
    ],
    [
      'may have happened before a redirect',
      [response('', { status: 302 }), listed(shownNew)],
      'PUT GET',
      readBack('Cloudflare returned 302 with an empty body'),
    ],
    [
      'confirmed with other values is read back and not repeated',
      [written({ ...shownNew, content: '198.51.100.9' }), listed(shownOld)],
      'PUT GET',
      unconfirmed(/the response shows content "198.51.100.9" instead of 203.0.113.7; .* after one attempt/),
    ],
    [
      'that is refused is not repeated, and may concern the whole zone',
      [refused(400, 7003)],
      'PUT',
      failed('zone-not-found', '', false, 'zone-id'),
    ],
    [
      'that a page refuses may have happened, and is read back and not repeated',
      [response('<html></html>', { status: 403, isFromFront: true }), listed(shownOld)],
      'PUT GET',
      unconfirmed(/returned 403 with a web page; a later read showed no change after one attempt/),
    ],
    ['is not sent without time to read it back', [], '', notSent, null, 50_000],
    [
      'that throws an error may have written',
      [new RangeError('surprise')],
      'PUT',
      unconfirmed(/It may have written home\.example\.com\./),
    ],
    [
      'whose outcome is unknown is confirmed by reading the record back',
      [timeout, listed(shownNew)],
      'PUT GET',
      readBack('no complete response'),
      [250],
    ],
    [
      'whose outcome is unknown is repeated only once',
      [timeout, listed(shownOld), timeout, listed(shownOld)],
      'PUT GET PUT GET',
      unconfirmed(`no complete response; ${unchangedAfterTwo}`),
    ],
    [
      'whose outcome is unknown is not repeated if it cannot be read back',
      [timeout, refused(403, 10000, 'Authentication error')],
      'PUT GET',
      unconfirmed(
        /: no complete response; reading it back failed: Failed to list .*of the old one\. The record may hold either/,
      ),
    ],
    [
      'is not repeated without enough time',
      [timeout, listed(shownOld)],
      'PUT GET',
      unconfirmed('no time was left to repeat the write'),
      null,
      45_000,
    ],
    [
      'fails on a field that the record did not have',
      [timeout, listed({ ...shownNew, comment: 'from elsewhere' })],
      'PUT GET',
      unconfirmed(/comment "from elsewhere" instead of ""/, true),
    ],
  ])('%s', rowsOf(update))

  it.each<[string, readonly Shown[], string]>([
    ['a CNAME', [alias], 'the name has a CNAME, which prevents an A record'],
    [
      'a second record',
      [shownOld, { ...shownOld, id: secondId }],
      `the name has 2 A records: ${old.id} ("192.0.2.1"), ${secondId} ("192.0.2.1"); delete all but one`,
    ],
    [
      'another record',
      [{ ...shownOld, id: secondId }],
      `the record is gone, and ${secondId} has replaced it`,
    ],
    [
      'other content',
      [{ ...shownOld, content: '198.51.100.9' }],
      'it has content "198.51.100.9" instead of 203.0.113.7, ttl "300" instead of 120',
    ],
    [
      'a read-only record',
      [{ ...shownOld, meta: { read_only: true } }],
      'the record is now managed by another product',
    ],
  ])('whose outcome is unknown is not repeated over %s', async (_, records, found) => {
    const { result, sent } = await attempt(update, [timeout, listed(...records)])
    expect(result).toMatchObject(unconfirmed(`no complete response; a later read showed that ${found}`))
    expect(sent).toBe('PUT GET')
  })

  it('is repeated with what was edited since', async () => {
    const edited = { ...shownOld, comment: 'the attic', tags: ['owner:me'] }
    const { result, sent, bodies } = await attempt(update, [
      timeout,
      listed(edited),
      written({ ...edited, content: body.content, ttl: 120 }),
    ])
    expect(result).toMatchObject({ confirmed: { comment: 'the attic' }, notes: [planned] })
    expect(sent).toBe('PUT GET PUT')
    expect(bodies).toEqual([body, undefined, { ...body, comment: 'the attic', tags: ['owner:me'] }])
  })
})

describe('an update that carries fields over', () => {
  const mine = {
    comment: 'the attic',
    tags: ['Owner:me', 'prod'],
    settings: { ipv4_only: true },
    private_routing: true,
  }
  const plan = { ...update, record: { ...old, ...mine, privateRouting: true }, body: { ...body, ...mine } }
  const kept: Shown = { ...shownNew, ...mine }
  const lost: Shown = { ...shownNew, comment: null, tags: ['prod'] }

  it.each<Row>([
    [
      'fails if they are lost, and names them',
      [written(lost), listed(lost)],
      'PUT GET',
      unconfirmed(/comment "".* tags "prod".* settings "{}".* private_routing "false".*by hand/, true),
    ],
    [
      'is confirmed by reading it back if only its response lacks them',
      [written({ ...shownNew, ttl: 300 }), listed(kept)],
      'PUT GET',
      updated(
        expect.stringContaining('shows ttl "300" instead of 120, comment "" instead of "the attic", tags '),
      ),
    ],
  ])('%s', rowsOf(plan))
})

describe('Retry-After', () => {
  const retried = (busy: HttpOutcome): readonly HttpOutcome[] => [busy, listed(shownOld), written(shownNew)]

  it.each<Row>([
    ['from the rate limit is honoured', retried(limited(7000)), 'PUT GET PUT', updated(), [7000]],
    [
      'beyond the deadline ends the write: it is read back at once, and not repeated',
      [unavailable(50_001), listed(shownOld)],
      'PUT GET',
      unconfirmed(/ returned 503; .* showed no change after one attempt, and its Retry-After is later/),
      [250],
    ],
    [
      'from the rate limit beyond the deadline ends the write without reading it back',
      [limited(50_001)],
      'PUT',
      failed('rate-limited'),
    ],
  ])('%s', rowsOf(update))

  it('is waited for again if the timer ended early, or another response made it longer', async () => {
    const { result, sent, sleptMs } = await attempt(
      update,
      [limited(1000), listed(shownOld), written(shownNew)],
      ({ clock, pace }) => {
        const { sleep } = clock
        let sleeps = 0
        clock.sleep = async ms => {
          sleeps++
          if (sleeps === 2) await pace.track(Promise.resolve(limited(500)))
          await sleep(sleeps === 1 ? ms - 0.5 : ms)
        }
      },
    )
    expect(result.result).toBe('updated')
    expect([sent, sleptMs]).toEqual(['PUT GET PUT', [999.5, 0.5, 499.5]])
  })
})

const twice = [limited(), listed(shownOld)]

it.each<Row>([
  ['twice has written nothing', [...twice, ...twice], 'PUT GET PUT GET', failed('rate-limited')],
  [
    'after an unknown outcome may have written',
    [timeout, listed(shownOld), ...twice],
    'PUT GET PUT GET',
    unconfirmed(`the rate limit was reached; ${unchangedAfterTwo}`),
  ],
])('an update that the rate limit stops %s', rowsOf(update))

const post = written(shownSecond)

it.each<Row>([
  ['is confirmed by reading the name again', [post, listed(shownSecond)], 'POST GET', created(), []],
  [
    'is read a second time if the list does not show it yet',
    [post, listed(), listed(shownSecond)],
    'POST GET GET',
    created(),
    [250],
  ],
  [
    'is in doubt if the list stays empty',
    [post, listed(), listed()],
    'POST GET GET',
    unconfirmed(/, but a later read showed no record at the name/, true),
  ],
  [
    'is in doubt if it cannot be read',
    [post, refused(403, 10000)],
    'POST GET',
    unconfirmed(/but reading it back failed: Failed .*of the old one\. The record may/, true),
  ],
  [
    'at the same time as another is ambiguous',
    [post, listed(shownSecond, shownNew)],
    'POST GET',
    failed('record-ambiguous', `at the same time as this run created ${secondId}. Delete all but one.`, true),
  ],
  [
    'under another name is reported with its id, and not repeated',
    [written({ ...shownSecond, name: 'home.example.com.example.org' })],
    'POST',
    failed('write-unconfirmed', `Delete the record ${secondId}.`, true, 'zone-id'),
  ],
  [
    'whose repetition is refused as a duplicate is confirmed by reading it back',
    [timeout, listed(), refused(400, 81058), listed(shownSecond)],
    'POST GET POST GET',
    created(expect.stringContaining(secondRefused(400, 81058))),
  ],
])('a creation %s', rowsOf(create))
