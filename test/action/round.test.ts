import { describe, expect, it } from 'vitest'
import type { Exchange, HttpRequest } from '../../action/http.ts'
import { runRound } from '../../action/round.ts'
import { response } from '../support/response.ts'
import { virtualClock } from '../support/virtual-clock.ts'
import { inputsOf } from './inputs/reading.ts'

const names = ['a.example.com', 'b.example.com', 'c.example.com', 'd.example.com']

const address = '8.8.4.4'
const inputsFor = (inputs: Readonly<Record<string, string>> = {}) =>
  inputsOf({ hostname: names.join('\n'), address, ...inputs })

/** Creates a zone with the names, all at one address. `disturb` may throw during a request. */
function zone(content: string, disturb: (request: HttpRequest) => void): Exchange {
  const records = new Map(
    names.map((name, index) => [
      String(index).repeat(32),
      { id: String(index).repeat(32), type: 'A', name, content, ttl: 120, proxied: false },
    ]),
  )
  return async request => {
    const { method, url, body = '' } = request
    const id = url.split('/').at(-1) ?? ''
    const before = records.get(id)
    if (method === 'PUT' && before) records.set(id, { ...before, ...JSON.parse(body) })
    disturb(request)
    const name = new URL(url).searchParams.get('name')
    const listed = [...records.values()].filter(record => name === null || record.name === name)
    const result = method === 'PUT' ? records.get(id) : listed
    return response({ success: true, errors: [], result })
  }
}

describe('an unexpected error', () => {
  it('in one write fails only that name, and says that it may have been written', async () => {
    const exchange = zone('192.0.2.1', ({ method, url }) => {
      if (method === 'PUT' && url.endsWith('2'.repeat(32))) throw new RangeError('too deep')
    })
    const progress: number[] = []
    const round = await runRound(inputsFor(), exchange, virtualClock().clock, {
      onProgress: ({ done }) => progress.push(done),
    })
    expect(round.records.map(({ result, written, problem }) => [result, written, problem?.reason])).toEqual([
      ['updated', true, undefined],
      ['updated', true, undefined],
      ['failed', false, 'write-unconfirmed'],
      ['updated', true, undefined],
    ])
    expect(round.records[2]?.problem?.message).toMatch(
      /RangeError: too deep.*may have written c\.example\.com/,
    )
    expect(progress).toEqual([1, 2, 3, 4])
    expect(round.requests).toBe(5)
  })

  it('while name servers are asked does not hide what was written', async () => {
    const exchange = zone('192.0.2.1', () => {})
    const inputs = inputsFor({ verify: 'dns', 'name-servers': 'ns1.example.net' })
    const throwing = () => {
      throw new TypeError('no socket')
    }
    const dns = { ask: throwing, addressesOf: throwing, nameServersOf: throwing }
    const round = await runRound(inputs, exchange, virtualClock().clock, { dns })
    expect(round.records.map(({ result, written }) => [result, written])).toEqual(
      Array(4).fill(['failed', true]),
    )
  })
})
