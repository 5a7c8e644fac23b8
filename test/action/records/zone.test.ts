import { describe, expect, it } from 'vitest'
import { createZoneFinder, type NamedZone } from '../../../action/records/zone.ts'
import type { HttpOutcome } from '../../../lib/exchange.ts'
import { recorded, response } from '../../support/response.ts'
import { openApi } from './api.ts'

const id = 'a'.repeat(32)
const otherId = 'b'.repeat(32)
const found = (...result: readonly unknown[]) => response({ success: true, errors: [], result })

/** Finds the zones of names. `answer` says what the service returns for a name of a zone. */
async function find(hostnames: readonly string[], answer: (zone: string) => HttpOutcome) {
  const known = new Map<string, NamedZone>()
  const nameIn = (url: string) => new URL(url).searchParams.get('name') ?? ''
  const { exchange, sent } = recorded(({ url }) => answer(nameIn(url)))
  const findZone = createZoneFinder(openApi(exchange).api, known)
  const zones = new Map(
    await Promise.all(hostnames.map(async hostname => [hostname, await findZone(hostname)] as const)),
  )
  return { zones, asked: sent.map(({ url }) => nameIn(url)), known }
}

describe('the zone of a name', () => {
  it('is its longest suffix that the token sees, and is asked for once', async () => {
    const hostnames = ['a.b.example.com', 'c.b.example.com', '*.example.com']
    const { zones, asked, known } = await find(hostnames, zone =>
      zone === 'example.com' ? found({ id, name: 'example.com' }) : found(),
    )
    expect(asked).toEqual(['a.b.example.com', 'c.b.example.com', 'example.com', 'b.example.com'])
    const value = { id, name: 'example.com' }
    expect([...zones.values()]).toEqual(Array(3).fill({ value }))
    expect(known.get('*.example.com')).toEqual(value)
  })

  it('may be returned in Unicode, beside others', async () => {
    const zones = found({ id: otherId, name: 'other.example' }, { id, name: 'bücher.example' })
    const unicode = await find(['xn--bcher-kva.example'], () => zones)
    expect(unicode.known.get('xn--bcher-kva.example')).toMatchObject({ id })
  })

  it.each(['active', 'pending', 'moved', 'deactivated', undefined])('with the status %s', async status => {
    const { known } = await find(['home.example'], () => found({ id, name: 'home.example', status }))
    const warning = expect.stringContaining(`the zone home.example is ${status}, so its records`)
    const isServed = status === 'active' || status === undefined
    expect(known.get('home.example')).toEqual({ id, name: 'home.example', ...(!isServed && { warning }) })
  })

  it.each<[string, HttpOutcome, string, RegExp]>([
    [
      'no zone has it',
      found(),
      'zone-not-found',
      /for home\.example\. Most likely it may not list zones\. .* name home\.example: check/,
    ],
    [
      'two zones have it',
      found({ id, name: 'home.example' }, { id: otherId, name: 'home.example' }),
      'zone-not-found',
      /sees 2 zones with the name home\.example \(a+, b+\)/,
    ],
    [
      'the token may not look it up',
      response({ success: false, errors: [{ code: 0, message: 'zone.list' }] }, { status: 403 }),
      'zone-not-found',
      /may not find zones by their name, or it is wrong/,
    ],
    ['the response is no list of zones', found({ id }), 'unexpected', /contains no list of zones/],
    [
      'the response may not be the whole list',
      response({ success: true, result: [{ id, name: 'home.example' }], result_info: { total_count: 2 } }),
      'unexpected',
      /it shows 1 of 2 entries/,
    ],
  ])('is not found if %s', async (_, outcome, reason, message) => {
    const { zones, asked } = await find(['home.example'], () => outcome)
    const problem = { reason, message: expect.stringMatching(message) }
    expect(zones.get('home.example')).toMatchObject({ problem })
    expect(asked).toEqual(['home.example'])
  })
})
