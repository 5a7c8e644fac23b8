import { type ChildProcess, fork } from 'node:child_process'
import { promises as dns } from 'node:dns'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { SandboxDescription } from '../../sandbox/sandbox.ts'
import { Random, times } from '../../sandbox/testing/random.ts'
import { type Statuses, sendPackets, sendRequests } from './fuzz/drive.ts'

const batch = 2500
/** Share by which the heap may grow from the first half to the second. Early requests still fill caches. */
const maxGrowth = (sent: number): number => (sent > 10 * batch ? 0.05 : 0.1)

let child: ChildProcess
let at: SandboxDescription

beforeAll(async () => {
  const script = fileURLToPath(new URL('./fuzz/child.ts', import.meta.url))
  child = fork(script, { execArgv: ['--expose-gc'] })
  const [message] = (await once(child, 'message')) as [{ description: SandboxDescription }]
  at = message.description
})
afterAll(() => child.kill())

async function heap(): Promise<number> {
  const answer = once(child, 'message')
  child.send('heap')
  const [{ heap: bytes }] = (await answer) as [{ heap: number }]
  return bytes
}

async function control(method: string, path: string, body?: unknown) {
  const response = await fetch(`${at.control}${path}`, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return (await response.json()) as Record<string, unknown>
}

async function expectCorrectAnswers() {
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

it('malformed requests and packets do not stop the sandbox and leak no memory', async () => {
  const random = new Random()
  const statuses: Statuses = new Map()
  const before = await control('GET', '/state')
  await sendPackets(random, at, 2 * batch)
  await sendRequests(random, at, 2 * batch, new Map())
  await heap()
  async function sendHalf(): Promise<{ sent: number; bytes: number }> {
    let sent = 0
    for (const _ of times(1)) {
      await sendPackets(random, at, batch)
      await sendRequests(random, at, batch, statuses)
      sent += batch
      // A few requests are valid by chance. If one removed the tokens, all later requests would be refused early.
      await control('PUT', '/limits', { enforce: false })
      await control('PUT', '/state', before)
    }
    await expectCorrectAnswers()
    return { sent, bytes: await heap() }
  }
  const [first, second] = [await sendHalf(), await sendHalf()]
  expect(child.exitCode).toBeNull()
  // A 500 is a bug in the sandbox, even if it keeps running.
  expect(statuses.get('500')).toBeUndefined()
  expect(statuses.get('400')).toBeGreaterThan((first.sent + second.sent) / 4)
  expect(second.bytes / first.bytes - 1).toBeLessThan(maxGrowth(first.sent))
})
