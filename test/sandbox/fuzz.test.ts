import { type ChildProcess, fork } from 'node:child_process'
import { promises as dns } from 'node:dns'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { SandboxDescription } from '../../sandbox/sandbox.ts'
import { type Statuses, sendPackets, sendRequests } from './fuzz/drive.ts'
import { Random } from './fuzz/random.ts'

const seed = 20261121
const half = 50_000
const warmUp = 4000
/** How much more the heap may hold behind the second half than behind the first. */
const growth = 0.05

let child: ChildProcess
let at: SandboxDescription

beforeAll(async () => {
  const script = fileURLToPath(new URL('./fuzz/child.ts', import.meta.url))
  child = fork(script, { execArgv: ['--expose-gc'] })
  const [message] = (await once(child, 'message')) as [{ description: SandboxDescription }]
  at = message.description
})
afterAll(() => child.kill())

const heap = async (): Promise<number> => {
  const answer = once(child, 'message')
  child.send('heap')
  const [{ heap: bytes }] = (await answer) as [{ heap: number }]
  return bytes
}

const control = async (method: string, path: string, body?: unknown) => {
  const response = await fetch(`${at.control}${path}`, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return (await response.json()) as Record<string, unknown>
}

const expectTrueAnswers = async () => {
  const { apiUrl, zoneId, dnsToken } = at.cloudflare
  const listing = await fetch(`${apiUrl}/zones/${zoneId}/dns_records?name=home.example.com`, {
    headers: { authorization: `Bearer ${dnsToken}` },
  })
  expect(await listing.json()).toMatchObject({
    success: true,
    result: [{ type: 'A', content: '192.0.2.10' }],
  })
  for (const { host, port } of at.nameServers) {
    const resolver = new dns.Resolver({ timeout: 2000, tries: 2 })
    resolver.setServers([`${host}:${port}`])
    expect(await resolver.resolve4('home.example.com')).toEqual(['192.0.2.10'])
  }
  for (const url of at.echo) expect(await (await fetch(url)).text()).toBe('203.0.113.10\n')
}

test('a hundred thousand malformed requests and as many packets end nothing and leave nothing behind', {
  timeout: 180_000,
}, async () => {
  const random = new Random(seed)
  const statuses: Statuses = new Map()
  const before = await control('GET', '/state')
  const heaps: number[] = []
  // What only the first requests load and compile is no growth.
  await sendPackets(random, at, warmUp)
  await sendRequests(random, at, warmUp, new Map())
  await heap()
  for (const _ of ['first', 'second']) {
    await sendPackets(random, at, half)
    await sendRequests(random, at, half, statuses)
    // A few requests are well-formed after all, and set what they ask for.
    await control('PUT', '/limits', { enforce: false })
    await control('PUT', '/state', before)
    await expectTrueAnswers()
    heaps.push(await heap())
  }
  const [first = 0, second = 0] = heaps
  expect(child.exitCode).toBeNull()
  // A 500 is a mistake of the sandbox: it says so and goes on, but it must not come to that.
  expect(statuses.get('500')).toBeUndefined()
  expect(statuses.get('400')).toBeGreaterThan(half / 2)
  expect(second / first).toBeLessThan(1 + growth)
})
