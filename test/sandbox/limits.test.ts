import { beforeEach, describe, expect, it } from 'vitest'
import { Limits } from '../../sandbox/cloudflare/limits.ts'
import { runSandbox } from './running.ts'

const sandbox = runSandbox()

async function listHome(token: string | null = sandbox.at.cloudflare.dnsToken) {
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

async function enforce(body: object) {
  expect((await sandbox.control('PUT', '/limits', body)).body).toEqual({ ok: true })
}
const advance = (ms: number) => sandbox.control('PUT', '/clock', { advanceMs: ms })

describe('rate limits', () => {
  beforeEach(() => enforce({ enforce: false }))

  it('block an owner for five minutes after 1200 requests in five minutes', async () => {
    await enforce({ enforce: true, used: 1199 })
    expect(await listHome()).toMatchObject({ status: 200, left: '"default";r=0;t=300', retryAfter: null })
    await advance(200_000)
    const blocked = { status: 429, code: 10100, left: expect.stringContaining('r=0'), retryAfter: '300' }
    expect(await listHome()).toMatchObject(blocked)
    expect(await listHome(sandbox.at.cloudflare.adminToken)).toMatchObject({ status: 429 })
    await advance(299_000)
    expect(await listHome()).toMatchObject({ status: 429, retryAfter: '1' })
    await advance(1001)
    expect(await listHome()).toMatchObject({ status: 200, left: '"default";r=1199;t=300' })
  })
})

it('an address is blocked after 200 requests in one second, until the second ends', () => {
  const limits = new Limits()
  limits.begin(true, 0, 0)
  const take = (nowMs: number) => limits.take(null, '127.0.0.1', nowMs)
  for (let request = 0; request < 200; request += 1) expect(take(0).refusal).toBeUndefined()
  const blocked = take(999)
  expect(blocked.refusal).toMatchObject({ status: 429, errors: [{ code: 10100 }] })
  expect(blocked.headers).toMatchObject({ 'retry-after': '1' })
  expect(take(1000).refusal).toBeUndefined()
})
