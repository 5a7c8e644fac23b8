import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect } from 'vitest'
import type { FaultAnswer } from '../../../sandbox/http/faults.ts'
import { after, before, list, onList, onPost, onPut, put, scenario, zoneNames } from '../../support/stage.ts'

const html = (status: number): FaultAnswer => ({
  kind: 'respond',
  status,
  headers: { 'content-type': 'text/html' },
  body: '<html><h1>502 Bad Gateway</h1><hr>cloudflare-lb</html>',
})
const limited = (headers: Readonly<Record<string, string>> = {}): FaultAnswer => ({
  kind: 'errors',
  status: 429,
  errors: [{ code: 10100, message: 'More than 1200 requests per 300 seconds reached.' }],
  headers,
})

const post = 'POST dns_records'

/** One request gets 1.6 s of this: long enough for a busy machine, short enough to sit out a stalled response. */
const timeout = '8s'

/** Faults that a second attempt can overcome. */
const passing: readonly (readonly [string, FaultAnswer])[] = [
  ['429 without Retry-After', limited()],
  ['429 with Retry-After', limited({ 'retry-after': '1' })],
  ['500', { kind: 'errors', status: 500, errors: [] }],
  ['502 with HTML', html(502)],
  ['503 with Retry-After', { kind: 'respond', status: 503, headers: { 'retry-after': '0' } }],
  ['200 with HTML', html(200)],
  ['200 with an empty body', { kind: 'respond', status: 200 }],
  ['a response cut off in its body', { kind: 'cut', after: 40 }],
  ['a response that stalls before its headers', { kind: 'stall', at: 'before-headers' }],
  ['a response that stalls in its body', { kind: 'stall', at: 'after-headers', after: 20 }],
  ['a response that drips', { kind: 'drip', everyMs: 200 }],
  ['a connection that is reset', { kind: 'reset' }],
]

describe('a list', () => {
  for (const [name, answer] of passing) {
    scenario(`is repeated after ${name}`, async ({ stage }) => {
      const [record] = await stage.setRecords({ content: before })
      await stage.setFaults({ match: onList, answer })
      const run = await stage.run({ timeout })
      expect(run.outputs).toMatchObject({ result: 'updated', requests: '6' })
      expect(await stage.dnsRequests()).toEqual([list, list, put(record)])
    })
  }

  for (const [name, answer, reason] of [
    ['429', limited(), 'rate-limited'],
    ['500', { kind: 'errors', status: 500, errors: [] }, 'service-unavailable'],
    ['502 with HTML', html(502), 'service-unavailable'],
    ['200 with HTML', html(200), 'service-unavailable'],
    ['an empty body', { kind: 'respond', status: 200 }, 'service-unavailable'],
    ['a response cut off', { kind: 'cut', after: 40 }, 'service-unavailable'],
    ['a reset connection', { kind: 'reset' }, 'service-unavailable'],
  ] satisfies readonly (readonly [string, FaultAnswer, string])[]) {
    scenario(`fails with ${reason} after three times ${name}, and creates nothing`, async ({ stage }) => {
      const records = await stage.setRecords({ content: before })
      await stage.setFaults({ match: onList, times: null, answer })
      const run = await stage.run({ create: 'true' })
      expect(run.outputs).toMatchObject({
        result: 'failed',
        reason,
        changed: 'false',
        'previous-address': '',
      })
      expect(await stage.dnsRequests()).toEqual([list, list, list])
      expect(await stage.records()).toEqual(records)
    })
  }

  scenario('waits for a Retry-After within the deadline', async ({ stage }) => {
    await stage.setRecords({ content: after })
    await stage.setFaults({ match: onList, answer: limited({ 'retry-after': '2' }) })
    expect((await stage.run({ timeout: '20s' })).outputs['result']).toBe('unchanged')
    const [first = 0, second = 0] = (await stage.journal())
      .filter(({ service }) => service === 'cloudflare')
      .map(({ at }) => Date.parse(at))
    expect(second - first).toBeGreaterThanOrEqual(1990)
  })

  scenario('fails at once if Retry-After is later than the deadline', async ({ stage }) => {
    await stage.setFaults({ match: onList, times: null, answer: limited({ 'retry-after': '300' }) })
    const started = performance.now()
    const run = await stage.run({ timeout: '10s' })
    expect(run.outputs['reason']).toBe('rate-limited')
    expect(await stage.dnsRequests()).toEqual([list])
    expect(performance.now() - started).toBeLessThan(8000)
  })

  scenario('writes nothing if no time is left to read the record back', async ({ stage }) => {
    const records = await stage.setRecords({ content: before })
    await stage.setFaults({ match: onList, answer: limited({ 'retry-after': '8' }) })
    const run = await stage.run({ timeout: '10s' })
    expect(run.outputs).toMatchObject({ result: 'failed', reason: 'deadline', changed: 'false' })
    expect(run.annotations[0]?.message).toMatch(/^No time was left .*\ndeadline: .*What to do: raise timeout/)
    expect(run.summary).toContain('What to do: raise timeout')
    expect(await stage.records()).toEqual(records)
  })

  scenario('fails in time if every response stalls', async ({ stage }) => {
    await stage.setFaults({ match: onList, times: null, answer: { kind: 'stall', at: 'before-headers' } })
    const run = await stage.run({ timeout: '3s' })
    expect(run.outputs['reason']).toMatch(/^(deadline|service-unavailable)$/)
    expect((await stage.dnsRequests()).length).toBeLessThanOrEqual(3)
  })

  scenario('refuses an oversized response', async ({ stage }) => {
    const records = await stage.setRecords({ content: before })
    await stage.setFaults({
      match: onList,
      times: null,
      answer: { kind: 'oversize', bytes: 3 * 1024 * 1024 },
    })
    const run = await stage.run()
    expect(run.outputs['reason']).toBe('service-unavailable')
    expect(run.annotations[0]?.message).toContain('longer than 1048576 bytes')
    expect(await stage.dnsRequests()).toEqual([list])
    expect(await stage.records()).toEqual(records)
  })

  scenario('is refused if it may be incomplete by total_count', async ({ stage }) => {
    await stage.setRecords({ content: before })
    const { body } = await wholeList(stage)
    const first = { ...body, result_info: { ...body.result_info, total_count: 101 } }
    await stage.setFaults({
      match: onList,
      answer: { kind: 'respond', status: 200, body: JSON.stringify(first) },
    })
    const run = await stage.run()
    expect(run.outputs['reason']).toBe('unexpected')
    expect(run.annotations[0]?.message).toContain('shows 1 of 101 entries')
    expect(await stage.dnsRequests()).toEqual([list])
  })

  for (const [name, info, why] of [
    ['total_pages alone', { page: 1, per_page: 1, count: 1, total_pages: 2 }, 'page 1 of 2'],
    [
      'a count that is text',
      { page: 1, per_page: 1, count: 1, total_count: '2' },
      'result_info contains "total_count"',
    ],
    ['a cursor', { count: 1, cursors: { after: 'x' } }, 'result_info contains "cursors"'],
  ] as const) {
    scenario(`is refused if it may be incomplete by ${name}`, async ({ stage }) => {
      const records = await stage.setRecords({ content: before })
      const { body } = await wholeList(stage)
      const answer = {
        kind: 'respond',
        status: 200,
        body: JSON.stringify({ ...body, result_info: info }),
      } as const
      await stage.setFaults({ match: onList, answer })
      const run = await stage.run()
      expect(run.outputs).toMatchObject({ result: 'failed', reason: 'unexpected' })
      expect(run.annotations[0]?.message).toContain(why)
      expect(await stage.dnsRequests()).toEqual([list])
      expect(await stage.records()).toEqual(records)
    })
  }

  scenario('is refused if one record is malformed', async ({ stage }) => {
    await stage.setRecords({ content: before })
    await stage.setFaults({
      match: onList,
      answer: { kind: 'alter', result: { content: '<b>192.0.2.10</b>' } },
    })
    const run = await stage.run()
    expect(run.outputs['reason']).toBe('unexpected')
    expect(await stage.dnsRequests()).toEqual([list])
  })

  scenario('is refused if it redirects, and the token goes nowhere else', async ({ stage }) => {
    const seen: string[] = []
    const stranger = createServer((request, response) => {
      seen.push(`${request.method} ${request.url} ${request.headers.authorization}`)
      response.end('{}')
    })
    await new Promise<void>(resolve => stranger.listen(0, '127.0.0.1', resolve))
    const location = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}/`
    for (const status of [301, 302, 307, 308]) {
      await stage.setFaults({ match: onList, answer: { kind: 'respond', status, headers: { location } } })
      const run = await stage.run()
      expect(run.outputs['reason']).toBe('unexpected')
      expect(await stage.dnsRequests()).toEqual([list])
    }
    expect(seen).toEqual([])
    stranger.close()
  })

  scenario('quotes workflow commands instead of executing them', async ({ stage }) => {
    const hostile =
      'x\n::add-mask::failed\n::stop-commands::t\n::set-output name=result::unchanged\n##[error]y\u202e'
    await stage.setFaults({
      match: onList,
      answer: { kind: 'errors', status: 400, errors: [{ code: 1, message: hostile }] },
    })
    const run = await stage.run()
    expect(run.outputs['result']).toBe('failed')
    expect(run.raw).not.toMatch(/^::(add-mask::failed|stop-commands|set-output)/m)
    expect(run.raw).not.toContain('##[')
    expect(run.raw).not.toContain('\u202e')
    expect(run.summary).not.toContain('\u202e')
  })
})

describe('a write whose outcome is unknown', () => {
  for (const [name, answer] of passing) {
    scenario(`${name}, done: confirmed by reading it back`, async ({ stage }) => {
      const [record] = await stage.setRecords({ content: before })
      await stage.setFaults({ match: onPut, commit: true, answer })
      const run = await stage.run({ timeout })
      expect(run.outputs).toMatchObject({ result: 'updated', changed: 'true', requests: '6' })
      expect(run.annotations).toMatchObject([
        { level: 'warning', message: expect.stringContaining('reading') },
      ])
      expect(await stage.dnsRequests()).toEqual([list, put(record), list])
    })

    scenario(`${name}, lost: repeated after reading it back`, async ({ stage }) => {
      const [record] = await stage.setRecords({ content: before })
      await stage.setFaults({ match: onPut, commit: false, answer })
      const run = await stage.run({ timeout })
      expect(run.outputs).toMatchObject({ result: 'updated', changed: 'true', requests: '7' })
      expect(await stage.dnsRequests()).toEqual([list, put(record), list, put(record)])
      expect(await stage.records()).toMatchObject([{ content: after }])
    })
  }

  scenario('fails if the write is lost twice, and says so', async ({ stage }) => {
    const [record] = await stage.setRecords({ content: before })
    await stage.setFaults({ match: onPut, times: null, answer: { kind: 'reset' } })
    const run = await stage.run()
    expect(run.outputs).toMatchObject({ result: 'failed', reason: 'write-unconfirmed', changed: 'false' })
    expect(run.annotations[0]?.message).toMatch(/^Could not confirm the update of home\.example\.com/)
    expect(await stage.dnsRequests()).toEqual([list, put(record), list, put(record), list])
  })

  scenario('fails if it cannot be read back', async ({ stage }) => {
    const [record] = await stage.setRecords({ content: before })
    await stage.setFaults(
      { match: onPut, commit: true, answer: { kind: 'reset' } },
      { match: onList, skip: 1, times: null, answer: html(502) },
    )
    const run = await stage.run()
    expect(run.outputs['reason']).toBe('write-unconfirmed')
    expect(run.annotations[0]?.message).toMatch(/^Could not confirm/)
    expect(run.log).not.toContain('Nothing was written')
    expect(await stage.dnsRequests()).toEqual([list, put(record), list, list, list])
  })

  scenario('fails if someone else changed the record meanwhile', async ({ stage }) => {
    const [record] = await stage.setRecords({ content: before })
    await stage.setFaults(
      { match: onPut, answer: { kind: 'reset' } },
      { match: onList, skip: 1, answer: { kind: 'alter', result: { content: '198.51.100.99' } } },
    )
    const run = await stage.run()
    expect(run.outputs['reason']).toBe('write-unconfirmed')
    expect(run.annotations[0]?.message).toContain('198.51.100.99')
    expect(await stage.dnsRequests()).toEqual([list, put(record), list])
  })

  scenario('fails if the record is gone', async ({ stage }) => {
    const [record] = await stage.setRecords({ content: before })
    await stage.setFaults(
      { match: onPut, answer: { kind: 'reset' } },
      {
        match: onList,
        skip: 1,
        answer: { kind: 'alter', result: { name: 'other.example.com', id: 'f'.repeat(32) } },
      },
    )
    const run = await stage.run()
    expect(run.outputs['reason']).toBe('write-unconfirmed')
    expect(run.annotations[0]?.message).toContain('the record is gone')
    expect(await stage.dnsRequests()).toEqual([list, put(record), list])
  })

  for (const [name, fields, why] of [
    [
      'a second A record',
      { type: 'A', content: '198.51.100.99' },
      /the name has 2 A records: .*198\.51\.100\.99/,
    ],
    ['a CNAME', { type: 'CNAME', content: 'router.example.net' }, /the name has a CNAME/],
  ] as const) {
    scenario(`fails if ${name} appeared at the name`, async ({ stage }) => {
      const [record] = await stage.setRecords({ content: before }, { type: 'TXT', content: 'x' })
      await stage.setFaults({
        match: onPut,
        commit: true,
        answer: html(500),
        effect: { kind: 'change-record', name: 'home.example.com', type: 'TXT', fields },
      })
      const run = await stage.run()
      expect(run.outputs).toMatchObject({ result: 'failed', reason: 'write-unconfirmed', changed: 'false' })
      expect(run.annotations[0]?.message).toMatch(why)
      expect(await stage.dnsRequests()).toEqual([list, put(record), list])
    })
  }

  scenario('fails if another record with the address replaced it', async ({ stage }) => {
    await stage.setRecords({ content: before })
    await stage.setFaults(
      { match: onPut, answer: { kind: 'reset' } },
      { match: onList, skip: 1, answer: { kind: 'alter', result: { id: 'f'.repeat(32), content: after } } },
    )
    const run = await stage.run()
    expect(run.outputs['reason']).toBe('write-unconfirmed')
    expect(run.annotations[0]?.message).toContain(`${'f'.repeat(32)} has replaced it`)
  })

  for (const [status, code] of [
    [400, 9207],
    [403, 10000],
    [404, 81044],
  ] as const) {
    const refused: FaultAnswer = { kind: 'errors', status, errors: [{ code, message: 'No.' }] }

    scenario(`is uncertain if the repetition is refused with ${status}`, async ({ stage }) => {
      const [record] = await stage.setRecords({ content: before })
      await stage.setFaults(
        { match: onPut, commit: true, answer: html(504) },
        { match: onPut, answer: refused },
        { match: onList, skip: 1, times: null, answer: { kind: 'alter', result: { content: before } } },
      )
      const run = await stage.run()
      expect(run.outputs).toMatchObject({ result: 'failed', reason: 'write-unconfirmed' })
      expect(run.annotations[0]?.message).toMatch(
        /^Could not confirm .*refused the second .*The record may hold either/,
      )
      expect(`${run.log}${run.summary}`).not.toMatch(/nothing was written/i)
      expect(run.summary.replaceAll('\\', '')).toContain(`| home.example.com | A | ${before} | unknown |`)
      expect(await stage.dnsRequests()).toEqual([list, put(record), list, put(record), list])
      expect(await stage.records()).toMatchObject([{ content: after }])
    })

    scenario(`is confirmed by reading it back after ${status} to the repetition`, async ({ stage }) => {
      const [record] = await stage.setRecords({ content: before })
      await stage.setFaults(
        { match: onPut, commit: true, answer: html(504) },
        { match: onPut, answer: refused },
        { match: onList, skip: 1, answer: { kind: 'alter', result: { content: before } } },
      )
      const run = await stage.run()
      expect(run.outputs).toMatchObject({ result: 'updated', changed: 'true', requests: '8' })
      expect(await stage.dnsRequests()).toEqual([list, put(record), list, put(record), list])
    })
  }

  scenario('creates: a repetition refused as a duplicate confirms the first attempt', async ({ stage }) => {
    await stage.setRecords()
    const nothing = JSON.stringify((await wholeList(stage)).body)
    await stage.setFaults(
      { match: onPost, commit: true, answer: html(502) },
      { match: onList, skip: 2, answer: { kind: 'respond', status: 200, body: nothing } },
    )
    const run = await stage.run({ create: 'true' })
    expect(run.outputs).toMatchObject({ result: 'created', changed: 'true', address: after })
    const [record] = await stage.records()
    expect(run.outputs['record-id']).toBe(record?.id)
    expect(await stage.dnsRequests()).toEqual([list, zoneNames, post, list, post, list])
  })

  scenario('creates: fails if the duplicate cannot be found', async ({ stage }) => {
    await stage.setRecords()
    await stage.setFaults(
      { match: onPost, answer: html(502) },
      {
        match: onPost,
        answer: { kind: 'errors', status: 400, errors: [{ code: 81058, message: 'identical' }] },
      },
    )
    const run = await stage.run({ create: 'true' })
    expect(run.outputs).toMatchObject({ result: 'failed', reason: 'write-unconfirmed' })
    expect(run.annotations[0]?.message).toMatch(/^Could not confirm the creation of home\.example\.com/)
    expect(await stage.dnsRequests()).toEqual([list, zoneNames, post, list, post, list])
  })

  for (const commit of [true, false]) {
    const name = commit ? 'done, is confirmed' : 'lost, is not repeated'
    scenario(`503 with a Retry-After later than the deadline: ${name}`, async ({ stage }) => {
      const [record] = await stage.setRecords({ content: before })
      const answer: FaultAnswer = { kind: 'respond', status: 503, headers: { 'retry-after': '3600' } }
      await stage.setFaults({ match: onPut, times: null, commit, answer })
      const run = await stage.run()
      expect(run.outputs).toMatchObject(
        commit ? { result: 'updated' } : { result: 'failed', reason: 'write-unconfirmed' },
      )
      if (!commit) expect(run.annotations[0]?.message).toContain('its Retry-After is later than the deadline')
      expect(await stage.dnsRequests()).toEqual([list, put(record), list])
    })
  }

  scenario('waits for a Retry-After within the deadline', async ({ stage }) => {
    const [record] = await stage.setRecords({ content: before })
    await stage.setFaults({
      match: onPut,
      answer: { kind: 'respond', status: 503, headers: { 'retry-after': '2' } },
    })
    expect((await stage.run({ timeout: '20s' })).outputs['result']).toBe('updated')
    expect(await stage.dnsRequests()).toEqual([list, put(record), list, put(record)])
    const [, first = 0, second = 0] = (await stage.journal())
      .filter(({ service }) => service === 'cloudflare')
      .map(({ at }) => Date.parse(at))
    expect(second - first).toBeGreaterThanOrEqual(1990)
  })

  scenario('fails with rate-limited if the limiter refuses: nothing was written', async ({ stage }) => {
    const [record] = await stage.setRecords({ content: before })
    await stage.setFaults({ match: onPut, times: null, answer: limited({ 'retry-after': '300' }) })
    const run = await stage.run()
    expect(run.outputs['reason']).toBe('rate-limited')
    expect(await stage.dnsRequests()).toEqual([list, put(record)])
    expect(await stage.records()).toEqual([record])
  })

  scenario('leaves time to read it back if it stalls', async ({ stage }) => {
    const [record] = await stage.setRecords({ content: before })
    await stage.setFaults({
      match: onPut,
      times: null,
      commit: true,
      answer: { kind: 'stall', at: 'before-headers' },
    })
    const run = await stage.run({ timeout })
    expect(run.outputs['result']).toBe('updated')
    expect(await stage.dnsRequests()).toEqual([list, put(record), list])
  })
})

describe('a response to a write with other values', () => {
  for (const [field, result] of [
    ['content', { content: '198.51.100.99' }],
    ['ttl', { ttl: 300 }],
    ['proxied', { proxied: true }],
    ['name', { name: 'other.example.com' }],
    ['type', { type: 'TXT' }],
    ['id', { id: 'f'.repeat(32) }],
  ] as const) {
    scenario(
      `another ${field}, but the record is correct: confirmed by reading it back`,
      async ({ stage }) => {
        const [record] = await stage.setRecords({ content: before })
        await stage.setFaults({ match: onPut, commit: true, answer: { kind: 'alter', result } })
        const run = await stage.run()
        expect(run.outputs['result']).toBe('updated')
        expect(run.annotations[0]?.message).toMatch(new RegExp(`the response shows .*${field} `))
        expect(await stage.dnsRequests()).toEqual([list, put(record), list])
      },
    )

    scenario(`another ${field}, and the record is wrong: fails, not repeated`, async ({ stage }) => {
      const [record] = await stage.setRecords({ content: before })
      await stage.setFaults({ match: onPut, commit: false, answer: { kind: 'alter', result } })
      const run = await stage.run()
      expect(run.outputs).toMatchObject({ result: 'failed', reason: 'write-unconfirmed', changed: 'false' })
      expect(await stage.dnsRequests()).toEqual([list, put(record), list])
    })
  }
})

/** Returns the list of the emulator. */
async function wholeList(stage: {
  description: { cloudflare: { apiUrl: string; zoneId: string; dnsToken: string } }
}) {
  const { apiUrl, zoneId, dnsToken } = stage.description.cloudflare
  const response = await fetch(`${apiUrl}/zones/${zoneId}/dns_records?name=home.example.com`, {
    headers: { authorization: `Bearer ${dnsToken}` },
  })
  return { body: (await response.json()) as { result_info: object } }
}
