import { describe, expect, it } from 'vitest'
import type { DnsRecord } from '../../../action/records/record.ts'
import {
  alias,
  attemptWrite,
  body,
  listed,
  old,
  refused,
  type Shown,
  secondId,
  shownNew,
  shownOld,
  timeout,
  unconfirmed,
  update,
  written,
  zoneId,
} from './scripted-api.ts'

describe('an update', () => {
  it('is confirmed by a response that shows type, name, content, ttl and proxied as they were sent', async () => {
    const { result, sent, bodies, sleptMs } = await attemptWrite(update, [written(shownNew)])
    expect(result).toEqual({
      kind: 'confirmed',
      record: expect.objectContaining({ content: body.content }),
      notes: [],
    })
    expect([sent, bodies, sleptMs]).toEqual(['PUT', [body], []])
  })

  it.each([
    [400, 9005, 'write-rejected', 'request'],
    [400, 81058, 'write-rejected', 'request'],
    [400, 81053, 'record-conflict', 'request'],
    [404, 81044, 'record-missing', 'request'],
    [400, 7003, 'zone-not-found', 'zone'],
  ])(
    'that is refused with %i, code %i has written nothing, and is not repeated',
    async (status, code, reason, scope) => {
      const { result, sent } = await attemptWrite(update, [refused(status, code, 'No.')])
      expect(result).toMatchObject({
        kind: 'failed',
        problem: { reason, message: expect.stringContaining(`code ${code}`) },
        record: null,
        scope,
      })
      expect(sent).toBe('PUT')
    },
  )

  it('leaves time for one request to read it back', async () => {
    const { timeouts } = await attemptWrite(update, [written(shownNew)], {
      elapsedMs: 49_000,
    })
    expect(timeouts).toEqual([1000])
  })

  it.each([50_000, 60_000])(
    'is not sent %i ms into the round, when that time is missing',
    async elapsedMs => {
      const { result, sent } = await attemptWrite(update, [], { elapsedMs })
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
    },
  )

  it('is not sent if an earlier request showed that it would fail', async () => {
    const problem = { reason: 'token-rejected', message: 'Rejected.' } as const
    const { result, sent, api } = await attemptWrite(update, [], {
      prepare: ({ breaker }) => breaker.failed('read', zoneId, problem, 'zone'),
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
    expect(api.breaker.openFor('e'.repeat(32))).toBeNull()
  })

  it('that fails for the whole zone stops the others in it, unless one has succeeded', async () => {
    const rejection = refused(403, 10000, 'Authentication error')
    const { api } = await attemptWrite(update, [rejection])
    expect(api.breaker.openFor(zoneId)).toMatchObject({ reason: 'token-rejected' })
    const after = await attemptWrite(update, [written(shownNew)])
    after.api.breaker.failed('write', zoneId, { reason: 'token-rejected', message: '' }, 'zone')
    expect(after.api.breaker.openFor(zoneId)).toBeNull()
  })

  it('that throws an error may have written', async () => {
    const { result } = await attemptWrite(update, [new RangeError('surprise')])
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
    const { result, sent, sleptMs } = await attemptWrite(update, [timeout, listed(shownNew)])
    expect(result).toEqual({
      kind: 'confirmed',
      record: expect.objectContaining({ content: body.content }),
      notes: [
        'The write of home.example.com was confirmed only by reading the record back: no complete response.',
      ],
    })
    expect([sent, sleptMs]).toEqual(['PUT GET', [250]])
  })

  it('is repeated after reading the old state, with what was edited since', async () => {
    const edited = { ...shownOld, comment: 'the attic', tags: ['owner:me'] }
    const { result, sent, bodies } = await attemptWrite(update, [
      timeout,
      listed(edited),
      written({ ...edited, content: body.content, ttl: 120 }),
    ])
    expect(result).toMatchObject({ kind: 'confirmed', record: { comment: 'the attic' }, notes: [] })
    expect(sent).toBe('PUT GET PUT')
    expect(bodies).toEqual([body, undefined, { ...body, comment: 'the attic', tags: ['owner:me'] }])
  })

  it('is repeated only once', async () => {
    const { result, sent } = await attemptWrite(update, [
      timeout,
      listed(shownOld),
      timeout,
      listed(shownOld),
    ])
    expect(result).toEqual(
      unconfirmed('no complete response; reading it back, it had not changed after 2 attempts', 'record'),
    )
    expect(sent).toBe('PUT GET PUT GET')
  })

  it('is not repeated if it cannot be read back', async () => {
    const gone = refused(403, 10000, 'Authentication error')
    const { result, sent } = await attemptWrite(update, [timeout, gone])
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
    const { result, sent } = await attemptWrite(update, [timeout, listed(...records)])
    expect(result).toEqual(unconfirmed(`no complete response; reading it back, ${found}`, 'record'))
    expect(sent).toBe('PUT GET')
  })

  it('is confirmed if the record is correct, even if it is read-only now', async () => {
    const { result } = await attemptWrite(update, [
      timeout,
      listed({ ...shownNew, meta: { read_only: true } }),
    ])
    expect(result.kind).toBe('confirmed')
  })

  it.each([
    [400, 9207],
    [403, 10000],
    [404, 81044],
  ])('is read back once more if its repetition is refused with %i, code %i', async (status, code) => {
    const refusal = refused(status, code, 'No.')
    const because =
      'the outcome of the first attempt is unknown, and the service refused the second ' +
      `(the service returned ${status}, code ${code} "No.")`
    const lost = await attemptWrite(update, [timeout, listed(shownOld), refusal, listed(shownOld)])
    expect(lost.result).toEqual(
      unconfirmed(`${because}; reading it back, it had not changed after 2 attempts`, 'request'),
    )
    const late = await attemptWrite(update, [timeout, listed(shownOld), refusal, listed(shownNew)])
    expect(late.result).toMatchObject({
      kind: 'confirmed',
      notes: [`The write of home.example.com was confirmed only by reading the record back: ${because}.`],
    })
  })

  it('is not repeated without enough time', async () => {
    const { result, sent } = await attemptWrite(update, [timeout, listed(shownOld)], {
      elapsedMs: 45_000,
    })
    expect(result).toEqual(unconfirmed('no time was left to repeat the write', 'request'))
    expect(sent).toBe('PUT GET')
  })
})

describe('an update that the service confirms with other values', () => {
  it('is read back and not repeated', async () => {
    const other = written({ ...shownNew, content: '198.51.100.9' })
    const doubt = 'the response shows content "198.51.100.9" instead of 203.0.113.7'
    const { result, sent } = await attemptWrite(update, [other, listed(shownOld)])
    expect(result).toEqual(
      unconfirmed(`${doubt}; reading it back, it had not changed after one attempt`, 'request'),
    )
    expect(sent).toBe('PUT GET')
    expect((await attemptWrite(update, [other, listed(shownNew)])).result).toMatchObject({
      kind: 'confirmed',
      notes: [`The write of home.example.com was confirmed only by reading the record back: ${doubt}.`],
    })
  })

  it('is in doubt with another id or name too', async () => {
    for (const [fields, found] of [
      [{ id: secondId }, `id "${secondId}" instead of ${old.id}`],
      [{ name: 'x.example.com' }, 'name "x.example.com" instead of home.example.com'],
    ] as const) {
      const { result, sent } = await attemptWrite(update, [
        written({ ...shownNew, ...fields }),
        listed(shownOld),
      ])
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

describe('an update that carries fields over', () => {
  const mine = {
    comment: 'the attic',
    tags: ['Owner:me', 'prod'],
    settings: { ipv4_only: true },
    private_routing: true,
  }
  const noted: DnsRecord = { ...old, ...mine, privateRouting: true }
  const plan = { ...update, record: noted, body: { ...body, ...mine } } as const
  const kept: Shown = { ...shownNew, ...mine }

  it('is confirmed by a response that shows them as they were', async () => {
    const { result, sent } = await attemptWrite(plan, [written(kept)])
    expect([result.kind, sent]).toEqual(['confirmed', 'PUT'])
  })

  it('fails if they are lost, and names them', async () => {
    const shown = { ...shownNew, comment: null, tags: ['prod'] }
    const { result, sent } = await attemptWrite(plan, [written(shown), listed(shown)])
    const message =
      'The update of home.example.com to 203.0.113.7 was written, but reading it back, the record shows comment "" instead ' +
      'of "the attic", tags "prod" instead of "owner:me, prod", settings "{}" instead of "{\\"ipv4_only\\":true}", ' +
      'private_routing "false" instead of "true". Set that again by hand: the next run does not know what it was.'
    expect(result).toMatchObject({
      kind: 'failed',
      problem: { reason: 'write-unconfirmed', message },
      record: { content: body.content },
      scope: 'request',
    })
    expect(sent).toBe('PUT GET')
  })

  it('fails on a field that the record did not have', async () => {
    const shown = { ...shownNew, comment: 'from elsewhere' }
    const { result } = await attemptWrite(update, [timeout, listed(shown)])
    expect(result).toMatchObject({
      problem: { message: expect.stringContaining('comment "from elsewhere" instead of ""') },
    })
  })

  it('is confirmed by reading it back if only its response lacks them', async () => {
    const { result, sent } = await attemptWrite(plan, [written({ ...shownNew, ttl: 300 }), listed(kept)])
    expect(result).toMatchObject({
      kind: 'confirmed',
      notes: [
        expect.stringContaining('shows ttl "300" instead of 120, comment "" instead of "the attic", tags '),
      ],
    })
    expect(sent).toBe('PUT GET')
  })
})
