import { describe, expect, it } from 'vitest'
import { formatEntry } from '../../../src/http/log.ts'
import { createSingleFlight } from '../../../src/sign-in/single-flight.ts'
import { startInProcess } from '../support/in-process.ts'

// `attacks.test.ts` has a callback that is repeated at once and later.
describe('a single flight', () => {
  it('runs work again after a failure', async () => {
    const singleFlight = createSingleFlight<string>(Date.now, () => true)
    await expect(singleFlight('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(await singleFlight('a', async () => 'yes')).toBe('yes')
  })

  it('shares a result that must not last with concurrent callers only', async () => {
    let runs = 0
    const singleFlight = createSingleFlight<number>(Date.now, result => result > 1)
    const ask = () => singleFlight('a', async () => ++runs)
    expect(await Promise.all([ask(), ask()])).toEqual([1, 1])
    expect([await ask(), await ask()]).toEqual([2, 2])
  })

  it('remembers a limited number of results', async () => {
    let runs = 0
    const work = async () => ++runs
    const singleFlight = createSingleFlight<number>(
      () => 0,
      () => true,
    )
    for (let key = 0; key < 3000; key += 1) await singleFlight(String(key), work)
    expect(await singleFlight('0', work)).toBe(3001)
    expect(await singleFlight('2999', work)).toBe(3000)
  })
})

describe('a log line', () => {
  it('has only the allowed fields', () => {
    const wide = {
      level: 'info',
      event: 'request',
      employeeId: 'E1',
      username: 'alice',
      code: 'inactive',
      token: 'x',
    } as const
    expect(JSON.parse(formatEntry(wide, new Date(0)))).toEqual({
      time: '1970-01-01T00:00:00.000Z',
      level: 'info',
      event: 'request',
      code: 'inactive',
      employeeId: 'E1',
    })
  })

  it('has the name of an unexpected error, and never its message (ASVS 5.0 16.5.1)', async () => {
    const thrown = new TypeError('secret text', { cause: new Error('secret text') })
    const app = startInProcess({}, { findByName: () => Promise.reject(thrown) })
    const { answer } = await app.signIn()
    const text = await answer.text()
    expect(JSON.parse(text)).toMatchObject({ code: 'unexpected', status: 500 })
    expect(`${text}${JSON.stringify([...answer.headers])}`).not.toContain('secret')
    expect(app.logged.at(-1)).toStrictEqual({
      level: 'error',
      event: 'request',
      correlationId: answer.headers.get('x-correlation-id'),
      method: 'GET',
      route: '/api/auth/callback',
      status: 500,
      code: 'unexpected',
      durationMs: expect.any(Number),
      errorName: 'TypeError',
    })
  })
})
