import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createD1EmployeeStore } from '../../../src/employees/d1.ts'
import { StoreFailure } from '../../../src/employees/employee-store.ts'
import { problemReply } from '../../../src/http/problem.ts'
import { createPostgresEmployeeStore } from '../../../src/node/postgres/employees.ts'
import { createPool } from '../../../src/node/postgres/pool.ts'
import { createSessionKey } from '../../../src/session/keys.ts'
import { readSession } from '../../../src/session/session.ts'
import { maxAgeOf, pairOf, startInProcess } from '../support/in-process.ts'

const minute = 60_000

describe('a session', () => {
  async function signIn(env: Readonly<Record<string, string>>) {
    const app = startInProcess(env)
    const { answer, session } = await app.signIn()
    return { app, setCookie: answer.headers.getSetCookie()[0], cookie: session }
  }

  it.each([
    ['8h', {}, 8 * 60],
    ['7d', { SESSION_LIFETIME: '7d' }, 7 * 24 * 60],
  ])('lasts %s and no longer', async (_, env, minutes) => {
    const { app, setCookie, cookie } = await signIn(env)
    expect(maxAgeOf(setCookie)).toBe(minutes * 60)
    app.now += minutes * minute - 1
    expect((await app.call('/api/session', cookie)).status).toBe(200)
    app.now += 1
    const over = await app.call('/api/session', cookie)
    expect(over.status).toBe(401)
    expect(await over.json()).toMatchObject({ code: 'signed-out' })
    expect((await app.call('/api/auth/forward', cookie)).status).toBe(401)
  })

  it('expires even if it is used all the time (ASVS 5.0 7.3.2)', async () => {
    const { app, ...first } = await signIn({ SESSION_LIFETIME: '90m', SESSION_IDLE: '30m' })
    let { cookie } = first
    for (let passed = 20; passed < 90; passed += 20) {
      app.now += 20 * minute
      const answer = await app.call('/api/session', cookie)
      expect(answer.status).toBe(200)
      const [renewed] = answer.headers.getSetCookie()
      expect(maxAgeOf(renewed)).toBe((90 - passed) * 60)
      cookie = pairOf(renewed)
    }
    app.now += 10 * minute - 1
    expect((await app.call('/api/session', cookie)).status).toBe(200)
    app.now += 1
    expect((await app.call('/api/session', cookie)).status).toBe(401)
  })

  it('ends half an hour after its last use if that is set', async () => {
    const { app, cookie } = await signIn({ SESSION_IDLE: '30m' })
    app.now += 30 * minute - 1
    const answer = await app.call('/api/session', cookie)
    const renewed = pairOf(answer.headers.getSetCookie()[0])
    app.now += 1
    expect((await app.call('/api/session', cookie)).status).toBe(401)
    app.now += 30 * minute - 2
    expect((await app.call('/api/session', renewed)).status).toBe(200)
    app.now += 1
    expect((await app.call('/api/session', renewed)).status).toBe(401)
  })

  it('ends at the shorter of its own end and today’s SESSION_LIFETIME, and so does its cookie (ASVS 5.0 7.3.2)', async () => {
    const key = createSessionKey(new Date())
    const { cookie } = await signIn({ SESSION_KEYS: key })
    const app = startInProcess({ SESSION_KEYS: key, SESSION_LIFETIME: '30m', SESSION_IDLE: '10m' })
    app.now += 5 * minute
    const renewed = await app.call('/api/session', cookie)
    expect(renewed.status).toBe(200)
    expect(maxAgeOf(renewed.headers.getSetCookie()[0])).toBe(25 * 60)
    const long = startInProcess({ SESSION_KEYS: key, SESSION_LIFETIME: '30m' })
    long.now += 30 * minute - 1
    expect((await long.call('/api/session', cookie)).status).toBe(200)
    long.now += 1
    expect((await long.call('/api/session', cookie)).status).toBe(401)
    // A longer lifetime extends nothing.
    const short = await signIn({ SESSION_KEYS: key, SESSION_LIFETIME: '20m' })
    long.now -= 10 * minute
    expect((await long.call('/api/session', short.cookie)).status).toBe(401)
  })

  it('is none without one of its fields, or with another type of one', async () => {
    const app = startInProcess()
    const claims = { username: 'ada', resourceId: 'E1', isAdmin: 0 }
    const times = { iat: app.now, exp: app.now + minute, seen: app.now, from: 7 }
    const whole = { id: 'an-id', ...times, callback: null, bound: null, claims }
    async function read(fields: object) {
      const sealed = await app.sessions.sealer.seal('session', JSON.stringify(fields))
      return readSession(app.sessions, `__Host-homeport-session=${sealed}`)
    }
    expect(await read(whole)).toMatchObject({ boundTo: null, endsFrom: 7 })
    for (const name of Object.keys(whole)) {
      expect(await read({ ...whole, [name]: undefined }), name).toBeNull()
      expect(await read({ ...whole, [name]: [7] }), name).toBeNull()
    }
  })

  it('is refused if it starts more than a minute in the future', async () => {
    const { app, cookie } = await signIn({})
    app.now -= minute
    expect((await app.call('/api/session', cookie)).status).toBe(200)
    app.now -= 1
    expect((await app.call('/api/session', cookie)).status).toBe(401)
  })
})

describe('Retry-After', () => {
  it.each([
    [undefined, '10'],
    [0, '1'],
    [0.2, '1'],
    [17.1, '18'],
    [600, '600'],
    [600.5, '600'],
    [999_999_999, '600'],
  ])('for %s seconds is %s', (retryAfter, said) => {
    for (const code of ['provider-unavailable', 'employees-unavailable'] as const)
      expect(problemReply({ code, retryAfter }, 'id').headers['retry-after']).toBe(said)
    const { headers } = problemReply({ code: 'provider-timeout', retryAfter }, 'id')
    expect(headers['retry-after']).toBeUndefined()
  })
})

describe('a store that never answers', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
  afterEach(() => void vi.useRealTimers())

  const never = new Promise<never>(() => undefined)
  const statement = { bind: () => statement, all: () => never }
  const pool = createPool('postgresql://nobody@127.0.0.1:9/nowhere')
  pool.query = () => never

  it.each([
    ['D1', createD1EmployeeStore({ prepare: () => statement, batch: () => never })],
    ['PostgreSQL', createPostgresEmployeeStore(pool)],
  ])('fails after five seconds, whatever it is asked: %s', async (_, employees) => {
    const asked = [
      employees.findByName(['ada'], 'D1', 'ada'),
      employees.bind('E1', 'D1', 0),
      employees.checkSession('s', 'E1', 0),
      employees.endSession('s', 0, 1),
      employees.endEmployeeSessions('E1', 0, 1),
      employees.check(),
      employees.findSharedIds(),
    ]
    const errors: unknown[] = []
    for (const one of asked) one.catch((error: unknown) => errors.push(error))
    await vi.advanceTimersByTimeAsync(4999)
    expect(errors).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(errors).toHaveLength(asked.length)
    for (const error of errors) {
      expect(error).toBeInstanceOf(StoreFailure)
      expect(error).toMatchObject({ reason: 'timeout' })
    }
  })
})
