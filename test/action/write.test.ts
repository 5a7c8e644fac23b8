import { describe, expect, it } from 'vitest'
import { startDeadline } from '../../action/deadline.ts'
import type { HttpOutcome, HttpRequest, HttpResponse } from '../../action/http.ts'
import type { DnsRecord, RecordBody } from '../../action/records/record.ts'
import { type DnsService, openService } from '../../action/records/service.ts'
import { type PlannedWrite, write } from '../../action/write.ts'

const zoneId = 'f'.repeat(32)
const target = { hostname: 'home.example.com', zoneId }
const body: RecordBody = {
  type: 'A',
  name: target.hostname,
  content: '203.0.113.7',
  ttl: 120,
  proxied: false,
}
const old: DnsRecord = {
  id: 'a'.repeat(32),
  type: 'A',
  name: target.hostname,
  content: '192.0.2.1',
  ttl: 300,
  proxied: false,
  comment: null,
  tags: [],
  settings: {},
  privateRouting: null,
  readOnly: false,
}
const update: PlannedWrite = { kind: 'update', record: old, body, drift: [] }
const create: PlannedWrite = { kind: 'create', body }
const secondId = 'b'.repeat(32)

/** A record as the API shows it. */
type Shown = Readonly<Record<string, unknown>>
const shownOld: Shown = {
  id: old.id,
  type: 'A',
  name: old.name,
  content: old.content,
  ttl: 300,
  proxied: false,
}
const shownNew: Shown = { ...shownOld, content: body.content, ttl: 120 }
const alias: Shown = { id: secondId, type: 'CNAME', name: old.name, content: 'elsewhere.example' }

const timeout: HttpOutcome = { kind: 'failure', cause: 'timeout', detail: 'no complete response' }

function answer(status: number, content: unknown, retryAfterMs: number | null = null): HttpResponse {
  const text = JSON.stringify(content)
  return { kind: 'response', status, contentType: 'application/json', retryAfterMs, body: text }
}

function refused(status: number, code: number, message: string): HttpOutcome {
  return answer(status, { success: false, errors: [{ code, message }] })
}

const written = (record: Shown) => answer(200, { success: true, errors: [], result: record })
const listed = (...records: readonly Shown[]) => answer(200, { success: true, errors: [], result: records })
const unavailable = (retryAfterMs: number | null = null) => answer(503, '', retryAfterMs)
const limited = (retryAfterMs: number | null = null) => answer(429, '', retryAfterMs)

interface Circumstances {
  readonly totalMs?: number
  /** What has happened before the write. */
  prepare?(service: DnsService, pass: (ms: number) => void): void
}

/** Writes with these outcomes of the requests, in order. A timeout takes its time, other outcomes none. */
async function writing(
  plan: PlannedWrite,
  outcomes: readonly (HttpOutcome | Error)[],
  { totalMs = 60_000, prepare = () => {} }: Circumstances = {},
) {
  const sent: HttpRequest[] = []
  const sleptMs: number[] = []
  let nowMs = 0
  const clock = {
    now: () => nowMs,
    sleep: async (ms: number) => {
      sleptMs.push(ms)
      nowMs += ms
    },
    random: () => 0.5,
  }
  const service = openService(
    { baseUrl: 'https://dns.example', token: 'token' },
    async request => {
      const outcome = outcomes[sent.length]
      sent.push(request)
      if (!outcome) throw new Error(`No outcome for ${request.method} ${request.url}`)
      if (outcome instanceof Error) throw outcome
      if (outcome.kind === 'failure') nowMs += request.timeoutMs
      return outcome
    },
    startDeadline(totalMs, clock),
    clock,
  )
  prepare(service, ms => {
    nowMs += ms
  })
  const result = await write(service, target, plan)
  return {
    result,
    service,
    sleptMs,
    sent: sent.map(({ method }) => method).join(' '),
    bodies: sent.map(request => (request.body === undefined ? undefined : JSON.parse(request.body))),
    timeouts: sent.map(({ timeoutMs }) => timeoutMs),
  }
}

function unconfirmed(why: string, scope: 'service' | 'request', plan = update, record: unknown = null) {
  const [what, states] =
    plan.kind === 'update'
      ? ['update of home.example.com from 192.0.2.1 to 203.0.113.7', 'hold either address']
      : ['creation of home.example.com with 203.0.113.7', 'exist or not']
  const message =
    `Could not confirm the ${what}: ${why}. The record may ${states}. The next run checks it; to check it now, run the ` +
    'workflow by hand.'
  return { kind: 'failed', problem: { reason: 'write-unconfirmed', message }, record, scope }
}

describe('an update', () => {
  it('is confirmed by a response that shows every field as it was sent', async () => {
    const { result, sent, bodies, sleptMs } = await writing(update, [written(shownNew)])
    expect(result).toEqual({
      kind: 'confirmed',
      record: expect.objectContaining({ content: body.content }),
      notes: [],
    })
    expect([sent, bodies, sleptMs]).toEqual(['PUT', [body], []])
  })

  it('that is refused has written nothing, and is not repeated', async () => {
    const { result, sent } = await writing(update, [refused(400, 9005, 'Content must be valid.')])
    expect(result).toEqual({
      kind: 'failed',
      problem: { reason: 'write-rejected', message: expect.stringContaining('code 9005') },
      record: null,
      scope: 'request',
    })
    expect(sent).toBe('PUT')
  })

  it('leaves the time of one request for reading it back', async () => {
    const { timeouts } = await writing(update, [written(shownNew)], {
      prepare: (_, pass) => pass(49_000),
    })
    expect(timeouts).toEqual([1000])
  })

  it.each([50_000, 60_000])('is not sent %i ms into the round, without that time', async elapsedMs => {
    const { result, sent } = await writing(update, [], { prepare: (_, pass) => pass(elapsedMs) })
    expect(result).toEqual({
      kind: 'failed',
      problem: {
        reason: 'deadline',
        message:
          'No time was left to write home.example.com and read it back, so nothing was written. The next run tries ' +
          'again. If this happens again, raise timeout.',
      },
      record: null,
      scope: 'request',
    })
    expect(sent).toBe('')
  })

  it('is not sent once an earlier request showed that it would fail', async () => {
    const problem = { reason: 'token-rejected', message: 'Rejected.' } as const
    const { result, sent, service } = await writing(update, [], {
      prepare: ({ breaker }) => breaker.readFailed(zoneId, problem, 'zone'),
    })
    expect(result).toEqual({
      kind: 'failed',
      problem: {
        reason: 'token-rejected',
        message: 'Not tried, because another name just failed with token-rejected. Nothing was written.',
      },
      record: null,
      scope: 'request',
    })
    expect(sent).toBe('')
    expect(service.breaker.openFor('e'.repeat(32))).toBeNull()
  })

  it('that fails for the whole zone is the last in it, unless one has succeeded', async () => {
    const rejection = refused(403, 10000, 'Authentication error')
    const { service } = await writing(update, [rejection])
    expect(service.breaker.openFor(zoneId)).toMatchObject({ reason: 'token-rejected' })
    const after = await writing(update, [written(shownNew)])
    after.service.breaker.writeFailed(zoneId, { reason: 'token-rejected', message: '' }, 'zone')
    expect(after.service.breaker.openFor(zoneId)).toBeNull()
  })

  it('during which something throws may have written', async () => {
    const { result } = await writing(update, [new RangeError('surprise')])
    expect(result).toEqual({
      kind: 'failed',
      problem: {
        reason: 'write-unconfirmed',
        message: expect.stringContaining('It may have written home.example.com.'),
      },
      record: null,
      scope: 'request',
    })
  })
})

describe('an update whose outcome is unknown', () => {
  it('is confirmed by reading the record back', async () => {
    const { result, sent, sleptMs } = await writing(update, [timeout, listed(shownNew)])
    expect(result).toEqual({
      kind: 'confirmed',
      record: expect.objectContaining({ content: body.content }),
      notes: [
        'The write of home.example.com was confirmed by reading the record back, because no complete response.',
      ],
    })
    expect([sent, sleptMs]).toEqual(['PUT GET', [250]])
  })

  it('is repeated after reading the old state, with what was edited since', async () => {
    const edited = { ...shownOld, comment: 'the attic', tags: ['owner:me'] }
    const { result, sent, bodies } = await writing(update, [
      timeout,
      listed(edited),
      written({ ...edited, content: body.content, ttl: 120 }),
    ])
    expect(result).toMatchObject({ kind: 'confirmed', record: { comment: 'the attic' }, notes: [] })
    expect(sent).toBe('PUT GET PUT')
    expect(bodies).toEqual([body, undefined, { ...body, comment: 'the attic', tags: ['owner:me'] }])
  })

  it('is repeated once only', async () => {
    const { result, sent } = await writing(update, [timeout, listed(shownOld), timeout, listed(shownOld)])
    expect(result).toEqual(
      unconfirmed('no complete response; reading it back, it had not changed after 2 attempts', 'service'),
    )
    expect(sent).toBe('PUT GET PUT GET')
  })

  it('is not repeated if it cannot be read back', async () => {
    const gone = refused(403, 10000, 'Authentication error')
    const { result, sent } = await writing(update, [timeout, gone])
    if (result.kind !== 'failed') throw new Error(result.kind)
    expect(result).toMatchObject({ problem: { reason: 'write-unconfirmed' }, record: null, scope: 'service' })
    expect(result.problem.message).toMatch(
      /: no complete response; reading it back failed too: Failed to list .*api-token uses\. The record may hold either/,
    )
    expect(sent).toBe('PUT GET')
  })

  it.each<[string, readonly Shown[], string]>([
    ['a CNAME', [alias], 'the name has a CNAME, which prevents an A record'],
    [
      'a second record',
      [shownOld, { ...shownOld, id: secondId }],
      `the name has 2 A records: ${old.id} ("192.0.2.1"), ${secondId} ("192.0.2.1"); delete all but one`,
    ],
    ['no record', [], 'the record is gone'],
    [
      'another record',
      [{ ...shownOld, id: secondId }],
      `the record is gone, and ${secondId} has replaced it`,
    ],
    [
      'a read-only record',
      [{ ...shownOld, meta: { read_only: true } }],
      'the record is now managed by another product',
    ],
    [
      'other content',
      [{ ...shownOld, content: '198.51.100.9' }],
      'it shows content "198.51.100.9" instead of 203.0.113.7, ttl "300" instead of 120',
    ],
    ['another ttl', [{ ...shownNew, ttl: 600 }], 'it shows ttl "600" instead of 120'],
  ])('is not repeated over %s', async (_, records, found) => {
    const { result, sent } = await writing(update, [timeout, listed(...records)])
    expect(result).toEqual(unconfirmed(`no complete response; reading it back, ${found}`, 'service'))
    expect(sent).toBe('PUT GET')
  })

  it('counts as done if it is right, though read-only by now', async () => {
    const { result } = await writing(update, [timeout, listed({ ...shownNew, meta: { read_only: true } })])
    expect(result.kind).toBe('confirmed')
  })

  it('is read back once more if its repetition is refused', async () => {
    const refusal = refused(400, 9005, 'Content must be valid.')
    const because =
      'the outcome of the first attempt is unknown, and the service refused the second (the service returned 400, code ' +
      '9005 "Content must be valid.")'
    const lost = await writing(update, [timeout, listed(shownOld), refusal, listed(shownOld)])
    expect(lost.result).toEqual(
      unconfirmed(`${because}; reading it back, it had not changed after 2 attempts`, 'request'),
    )
    const late = await writing(update, [timeout, listed(shownOld), refusal, listed(shownNew)])
    expect(late.result).toMatchObject({
      kind: 'confirmed',
      notes: [`The write of home.example.com was confirmed by reading the record back, because ${because}.`],
    })
  })

  it('is not repeated without the time for it', async () => {
    const { result, sent } = await writing(update, [timeout, listed(shownOld)], {
      prepare: (_, pass) => pass(45_000),
    })
    expect(result).toEqual(unconfirmed('no time was left to repeat the write', 'request'))
    expect(sent).toBe('PUT GET')
  })
})

describe('an update that the service confirms with other values', () => {
  it('is read back and not repeated', async () => {
    const other = written({ ...shownNew, content: '198.51.100.9' })
    const doubt = 'the response shows content "198.51.100.9" instead of 203.0.113.7'
    const { result, sent } = await writing(update, [other, listed(shownOld)])
    expect(result).toEqual(
      unconfirmed(`${doubt}; reading it back, it had not changed after one attempt`, 'request'),
    )
    expect(sent).toBe('PUT GET')
    expect((await writing(update, [other, listed(shownNew)])).result).toMatchObject({
      kind: 'confirmed',
      notes: [`The write of home.example.com was confirmed by reading the record back, because ${doubt}.`],
    })
  })

  it('is in doubt with another id or name too', async () => {
    for (const [fields, found] of [
      [{ id: secondId }, `id "${secondId}" instead of ${old.id}`],
      [{ name: 'x.example.com' }, 'name "x.example.com" instead of home.example.com'],
    ] as const) {
      const { result, sent } = await writing(update, [written({ ...shownNew, ...fields }), listed(shownOld)])
      expect(result).toMatchObject({
        problem: {
          reason: 'write-unconfirmed',
          message: expect.stringContaining(`the response shows ${found};`),
        },
      })
      expect(sent).toBe('PUT GET')
    }
  })
})

describe('Retry-After', () => {
  it.each([
    ['the service', unavailable(7000)],
    ['the rate limit', limited(7000)],
  ])('of %s is kept before reading back and repeating', async (_, busy) => {
    const { result, sent, sleptMs } = await writing(update, [busy, listed(shownOld), written(shownNew)])
    expect(result.kind).toBe('confirmed')
    expect([sent, sleptMs]).toEqual(['PUT GET PUT', [7000]])
  })

  it('that leaves exactly the time to read back is kept', async () => {
    const { sleptMs, sent } = await writing(update, [unavailable(50_000), listed(shownNew)])
    expect([sent, sleptMs]).toEqual(['PUT GET', [50_000]])
  })

  it('beyond the deadline ends the write: read back at once, not repeated', async () => {
    const { result, sent, sleptMs } = await writing(update, [unavailable(50_001), listed(shownOld)])
    expect(result).toEqual(
      unconfirmed(
        'the service returned 503; reading it back, it had not changed after one attempt, and its Retry-After is later ' +
          'than the deadline',
        'service',
      ),
    )
    expect([sent, sleptMs]).toEqual(['PUT GET', [250]])
  })

  it('of the rate limit beyond the deadline ends it without reading', async () => {
    const { result, sent } = await writing(update, [limited(50_001)])
    expect(result).toMatchObject({
      kind: 'failed',
      problem: { reason: 'rate-limited' },
      record: null,
      scope: 'service',
    })
    expect(sent).toBe('PUT')
  })

  it('of the rate limit beyond the deadline, after an unknown outcome, still leaves reading back', async () => {
    const { result, sent } = await writing(update, [
      timeout,
      listed(shownOld),
      { ...limited(), rateLimits: [] },
      listed(shownNew),
    ])
    expect(result).toMatchObject({
      kind: 'confirmed',
      notes: [expect.stringContaining('because the rate limit was reached.')],
    })
    expect(sent).toBe('PUT GET PUT GET')
  })

  it('does not make the jitter longer than the time that is left', async () => {
    const { sleptMs } = await writing(update, [unavailable(), listed(shownNew)], {
      prepare: (_, pass) => pass(49_900),
    })
    expect(sleptMs).toEqual([100])
  })
})

describe('an update that the rate limit stops', () => {
  it('twice has written nothing', async () => {
    const { result, sent } = await writing(update, [limited(), listed(shownOld), limited(), listed(shownOld)])
    expect(result).toMatchObject({ kind: 'failed', problem: { reason: 'rate-limited' }, scope: 'service' })
    expect(sent).toBe('PUT GET PUT GET')
  })

  it('after an unknown outcome may have written', async () => {
    const { result } = await writing(update, [timeout, listed(shownOld), limited(), listed(shownOld)])
    expect(result).toEqual(
      unconfirmed(
        'the rate limit was reached; reading it back, it had not changed after 2 attempts',
        'request',
      ),
    )
  })

  it('and then is refused has written nothing', async () => {
    const { result, sent } = await writing(update, [limited(), listed(shownOld), refused(400, 9005, 'No.')])
    expect(result).toMatchObject({ kind: 'failed', problem: { reason: 'write-rejected' }, scope: 'request' })
    expect(sent).toBe('PUT GET PUT')
  })
})

describe('a creation', () => {
  const shown = { ...shownNew, id: secondId }
  const created = expect.objectContaining({ id: secondId })

  it('is confirmed by reading the name again', async () => {
    const { result, sent, bodies, sleptMs } = await writing(create, [written(shown), listed(shown)])
    expect(result).toEqual({ kind: 'confirmed', record: created, notes: [] })
    expect([sent, bodies[0], sleptMs]).toEqual(['POST GET', body, []])
  })

  it('is read a second time if the list does not show it yet', async () => {
    const { result, sent, sleptMs } = await writing(create, [written(shown), listed(), listed(shown)])
    expect(result).toEqual({ kind: 'confirmed', record: created, notes: [] })
    expect([sent, sleptMs]).toEqual(['POST GET GET', [250]])
  })

  it.each<[string, readonly HttpOutcome[], RegExp | string]>([
    ['the list stays empty', [listed(), listed()], 'reading it back, the name had no record'],
    ['a CNAME', [listed(alias)], 'reading it back, the name has a CNAME, which prevents an A record'],
    ['another ttl', [listed({ ...shown, ttl: 60 })], 'reading it back, it shows ttl "60" instead of 120'],
  ])('is in doubt: %s', async (_, lists, why) => {
    const { result } = await writing(create, [written(shown), ...lists])
    expect(result).toEqual(
      unconfirmed(`the service created ${secondId}, but ${why}`, 'request', create, created),
    )
  })

  it('is in doubt if it cannot be read', async () => {
    const { result } = await writing(create, [written(shown), refused(403, 10000, 'No.')])
    if (result.kind !== 'failed') throw new Error(result.kind)
    expect(result).toMatchObject({ problem: { reason: 'write-unconfirmed' }, record: { id: secondId } })
    expect(result.problem.message).toMatch(
      /but reading it back failed: Failed .*api-token uses\. The record may/,
    )
  })

  it('at the same time as another is ambiguous', async () => {
    const { result } = await writing(create, [written(shown), listed(shown, { ...shown, id: old.id })])
    expect(result).toEqual({
      kind: 'failed',
      problem: {
        reason: 'record-ambiguous',
        message:
          `home.example.com has 2 A records: ${secondId} ("203.0.113.7"), ${old.id} ("203.0.113.7"), because something ` +
          `else created a record at the same time as this run created ${secondId}. Delete all but one. Let only one ` +
          'workflow update the hostname.',
      },
      record: created,
      scope: 'request',
    })
  })

  it('under another name is named, and not repeated', async () => {
    const misplaced = { ...shown, name: 'home.example.com.example.org' }
    const { result, sent } = await writing(create, [written(misplaced)])
    expect(result).toMatchObject({
      kind: 'failed',
      problem: {
        reason: 'write-unconfirmed',
        message: expect.stringContaining(`Delete the record ${secondId}.`),
      },
      record: { id: secondId },
      scope: 'request',
    })
    expect(sent).toBe('POST')
  })

  it('with another ttl is read back', async () => {
    const { result, sent } = await writing(create, [written({ ...shown, ttl: 60 }), listed(shown)])
    expect(result).toMatchObject({ kind: 'confirmed', record: { id: secondId } })
    expect(sent).toBe('POST GET')
  })

  it('whose outcome is unknown is repeated while the name is empty', async () => {
    const { result, sent, bodies } = await writing(create, [timeout, listed(), written(shown), listed(shown)])
    expect(result).toMatchObject({ kind: 'confirmed', record: { id: secondId } })
    expect(sent).toBe('POST GET POST GET')
    expect(bodies[2]).toEqual(body)
  })

  it('whose outcome stays unknown may have happened', async () => {
    const { result } = await writing(create, [timeout, listed(), timeout, listed()])
    expect(result).toEqual(
      unconfirmed(
        'no complete response; reading it back, it had not changed after 2 attempts',
        'service',
        create,
      ),
    )
  })

  it('is not repeated beside a record that shows something else', async () => {
    const other = { ...shown, content: '198.51.100.9' }
    const { result, sent } = await writing(create, [timeout, listed(other)])
    expect(result).toEqual(
      unconfirmed(
        'no complete response; reading it back, it shows content "198.51.100.9" instead of 203.0.113.7',
        'service',
        create,
      ),
    )
    expect(sent).toBe('POST GET')
  })
})
