import { beforeEach, describe, expect, test } from 'vitest'
import { Limits } from '../../sandbox/cloudflare/limits.ts'
import { runSandbox } from './running.ts'

const sandbox = runSandbox()

const ask = async (token: string | null = sandbox.at.cloudflare.dnsToken) => {
  const response = await fetch(`${sandbox.at.cloudflare.apiUrl}${sandbox.records}?name=home.example.com`, {
    ...(token === null ? {} : { headers: { authorization: `Bearer ${token}` } }),
  })
  const header = (name: string) => response.headers.get(name)
  const body = (await response.json()) as { errors: { code: number }[] }
  return {
    status: response.status,
    code: body.errors[0]?.code,
    left: header('ratelimit'),
    policy: header('ratelimit-policy'),
    retryAfter: header('retry-after'),
  }
}

const enforce = async (body: object) => {
  expect((await sandbox.control('PUT', '/limits', body)).body).toEqual({ ok: true })
}
const advance = (ms: number) => sandbox.control('PUT', '/clock', { advanceMs: ms })

describe('the limits', () => {
  beforeEach(() => enforce({ enforce: false }))

  test('are told in every answer and enforced in none, unless control says so', async () => {
    await enforce({ enforce: false, used: 5000 })
    expect(await ask()).toMatchObject({
      status: 200,
      left: expect.stringMatching(/^"default";r=0;t=300$/),
      policy: '"default";q=1200;w=300',
      retryAfter: null,
    })
    expect(await ask('a'.repeat(40))).toMatchObject({ status: 403, policy: '"address";q=200;w=1' })
    expect(await ask(null)).toMatchObject({ status: 400, policy: '"address";q=200;w=1' })
  })

  test('count the tokens of one owner together', async () => {
    await enforce({ enforce: false })
    await ask()
    expect(await ask(sandbox.at.cloudflare.adminToken)).toMatchObject({ left: '"default";r=1198;t=300' })
  })

  test('let 1200 requests pass in five minutes, then none of that owner for five', async () => {
    await enforce({ enforce: true, used: 1199 })
    expect(await ask()).toMatchObject({ status: 200, left: '"default";r=0;t=300', retryAfter: null })
    await advance(200_000)
    const blocked = { status: 429, code: 10100, left: expect.stringContaining('r=0'), retryAfter: '300' }
    expect(await ask()).toMatchObject(blocked)
    expect(await ask(sandbox.at.cloudflare.adminToken)).toMatchObject({ status: 429 })
    await advance(299_000)
    expect(await ask()).toMatchObject({ status: 429, retryAfter: '1' })
    await advance(1001)
    expect(await ask()).toMatchObject({ status: 200, left: '"default";r=1199;t=300' })
  })

  test('begin anew when five minutes have passed without too many', async () => {
    await enforce({ enforce: true, used: 1200 })
    await advance(300_000)
    expect(await ask()).toMatchObject({ status: 200, left: '"default";r=1199;t=300' })
  })

  test('let 200 requests a second pass from one address', async () => {
    await enforce({ enforce: true })
    const at = '2030-01-01T00:00:00Z'
    const answers = []
    for (let request = 0; request < 202; request += 1) {
      await sandbox.control('PUT', '/clock', { now: at })
      answers.push(await ask('a'.repeat(40)))
    }
    expect(answers.slice(0, 200).every(({ status }) => status === 403)).toBe(true)
    expect(answers.at(-1)).toMatchObject({ status: 429, code: 10100, retryAfter: '1' })
    await sandbox.control('PUT', '/clock', { now: '2030-01-01T00:00:02Z' })
    expect(await ask()).toMatchObject({ status: 200 })
  })

  test('are set and seen by control, and validated', async () => {
    await enforce({ enforce: true })
    expect((await sandbox.control('GET', '/limits')).body).toEqual({ enforce: true })
    for (const body of [{}, { enforce: 'yes' }, { enforce: true, used: -1 }, { enforced: true }]) {
      expect((await sandbox.control('PUT', '/limits', body)).status).toBe(400)
    }
    await enforce({ enforce: false })
  })
})

test('an account has a quota of its own', () => {
  const limits = new Limits()
  limits.begin(true, 1200, 0)
  expect(limits.take('user', 'a', 1).refusal?.status).toBe(429)
  expect(limits.take('account', 'a', 1).refusal?.status).toBe(429)
  limits.begin(true, 0, 0)
  for (let request = 0; request <= 1200; request += 1) limits.take('user', `${request}`, 1)
  expect(limits.take('user', 'b', 2).refusal?.status).toBe(429)
  expect(limits.take('account', 'b', 2).refusal).toBeUndefined()
})
