import { describe, expect, it } from 'vitest'
import { listZone, shadowQuery } from '../../../action/records/list.ts'
import { cloudflareUrl } from '../../../lib/cloudflare.ts'
import { failure, type HttpOutcome } from '../../../lib/exchange.ts'
import { fc, runs } from '../../support/random.ts'
import { recorded, response } from '../../support/response.ts'
import { openApi, shownRecord, slot } from './api.ts'

type Entry = Readonly<Record<keyof typeof shownRecord, unknown>>

const idOf = (index: number) => index.toString(16).padStart(32, '0')
const entry = (index: number, name: string) => ({ ...shownRecord, id: idOf(index), name })

/** Lists names in a zone that `respondTo` serves. Returns the listings and the queries, in order. */
async function listIn(
  hostnames: readonly string[],
  respondTo: (query: URLSearchParams, request: number) => HttpOutcome,
) {
  const { exchange, sent } = recorded(({ url }, sent) => respondTo(new URL(url).searchParams, sent.length))
  const { api, sleptMs } = openApi(exchange)
  const listings = await listZone(api, slot.zoneId, hostnames)
  const requests = sent.map(({ url }) => new URL(url).searchParams.toString())
  return { listings, requests, sleptMs, limitsMs: new Set(sent.map(({ timeoutMs }) => timeoutMs)) }
}

/** Serves pages of this size whatever size is asked for, as a service with a lower limit does. */
function zoneOf(entries: readonly Entry[], perPage: number, info: object = {}) {
  return (query: URLSearchParams): HttpOutcome => {
    const name = query.get('name')
    const found = name === null ? entries : entries.filter(one => one.name === name)
    const page = Number(query.get('page') ?? 1)
    const result = found.slice((page - 1) * perPage, page * perPage)
    const totals = { total_count: found.length, total_pages: Math.ceil(found.length / perPage) }
    const result_info = { page, per_page: perPage, count: result.length, ...totals, ...info }
    return response({ success: true, result, result_info })
  }
}

describe('a name', () => {
  const answer = (status: number, body = '') => response(body, { status, contentType: 'text/html' })

  it.each<[string, HttpOutcome, string]>([
    ['429', answer(429), 'rate-limited'],
    ['200 with HTML', answer(200, '<html>'), 'service-unavailable'],
  ])('is listed three times, and fails after %s each time', async (_, outcome, reason) => {
    const { listings, requests, sleptMs, limitsMs } = await listIn(['home.example.com'], () => outcome)
    expect(listings.get('home.example.com')).toMatchObject({ problem: { reason } })
    expect(requests).toEqual(Array(3).fill('name=home.example.com'))
    expect(sleptMs).toEqual([250, 500])
    expect([...limitsMs]).toEqual([10_000])
  })

  it('is listed once if Cloudflare refuses, whatever the status', async () => {
    const refusal = response({ success: false, errors: [{ code: 1000, message: 'No.' }] })
    const { listings, requests } = await listIn(['home.example.com'], () => refusal)
    expect(listings.get('home.example.com')).toMatchObject({ problem: { reason: 'unexpected' } })
    expect(requests).toHaveLength(1)
  })

  it('is listed again after Retry-After, and no more if that is later than the deadline', async () => {
    for (const [retryAfterMs, waits] of [
      [7000, [7000, 7000]],
      [300_000, []],
    ] as const) {
      const { sleptMs } = await listIn(['home.example.com'], () => ({ ...answer(503), retryAfterMs }))
      expect(sleptMs).toEqual(waits)
    }
  })
})

it('refuses an incomplete list of one name, whose second record may be on the next page', async () => {
  const records = [entry(1, 'a.example.com'), entry(2, 'a.example.com')]
  const { listings } = await listIn(['a.example.com'], zoneOf(records, 1))
  expect(listings.get('a.example.com')).toMatchObject({
    problem: { message: expect.stringContaining('the list may be incomplete') },
  })
})

it('asks Cloudflare and the sandbox, and nothing else, which records are hidden', () => {
  const token = `cfut_${'t'.repeat(40)}00000000`
  const asked = '&include_shadow_metadata=true'
  expect(shadowQuery({ baseUrl: cloudflareUrl, token })).toBe(asked)
  for (const baseUrl of ['http://127.0.0.1:8080', 'https://api.cloudflare.com.example']) {
    expect(shadowQuery({ baseUrl, token })).toBe('')
    expect(shadowQuery({ baseUrl, token: token.replace('cfut_', 'cfut_sandbox') })).toBe(asked)
  }
})

describe('a zone', () => {
  it('is read as one page, or name by name if it has more', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 60 }),
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 2, max: 12 }),
        async (records, perPage, names) => {
          const entries = Array.from({ length: records }, (_, index) => entry(index, `n${index}.example.com`))
          const hostnames = Array.from({ length: names }, (_, index) => `n${index * 5}.example.com`)
          const { listings, requests } = await listIn(hostnames, zoneOf(entries, perPage))
          expect(requests).toHaveLength(records <= perPage ? 1 : 1 + names)
          for (const hostname of hostnames) {
            const ids = entries.filter(({ name }) => name === hostname).map(({ id }) => id)
            const listing = listings.get(hostname)
            expect(listing).toMatchObject({ value: ids.map(id => ({ id })) })
          }
        },
      ),
      { numRuns: runs(200) },
    )
  })

  const entries = Array.from({ length: 25 }, (_, index) => entry(index, `n${index}.example.com`))
  const hostnames = ['n0.example.com', 'n24.example.com', 'n12.example.com']

  it('is read name by name if its page is too large, or does not say whether there are more', async () => {
    const tooLarge = failure('too-large', 'too long')
    const withoutTotals = { total_count: null, total_pages: null }
    for (const serve of [
      (query: URLSearchParams) => (query.has('name') ? zoneOf(entries, 100)(query) : tooLarge),
      (query: URLSearchParams) => zoneOf(entries, query.has('name') ? 100 : 10, withoutTotals)(query),
    ]) {
      const { listings, requests } = await listIn(hostnames, serve)
      expect([...listings.values()]).toMatchObject(Array(3).fill({ value: {} }))
      expect(requests).toHaveLength(4)
    }
  })

  it('may have malformed records at other names, but not at the wanted ones', async () => {
    const broken = (name: string) => ({ ...entry(99, name), content: 'x' })
    const beside = await listIn(hostnames, zoneOf([...entries, broken('other.example.com')], 100))
    expect(beside.listings.get('n0.example.com')).toHaveProperty('value')
    const at = await listIn(hostnames, zoneOf([...entries, broken('n12.example.com')], 100))
    expect(at.listings.get('n0.example.com')).toMatchObject({
      problem: { reason: 'unexpected' },
    })
  })
})
