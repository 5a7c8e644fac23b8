import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts'
import { findDebianProgram, librariesOf } from '../../tools/debian.ts'

const program = await findDebianProgram('dig')
const absent = program === undefined ? ' (it is not installed: run npx node tools/debian.ts dig)' : ''

describe.skipIf(program === undefined)(`dig${absent}`, () => {
  let sandbox: Sandbox
  beforeAll(async () => {
    sandbox = await startSandbox()
    const { apiUrl, zoneId, adminToken } = sandbox.description.cloudflare
    const created = await fetch(`${apiUrl}/zones/${zoneId}/dns_records`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ type: 'MX', name: '@', content: 'mail.example.com', priority: 10, ttl: 120 }),
    })
    expect(created.status).toBe(200)
  })
  afterAll(() => sandbox?.close())

  /** Not execFileSync: the name server runs in this process and must stay responsive. */
  async function dig(...args: string[]) {
    const { host, port } = sandbox.description.nameServer
    const env = { ...process.env, LD_LIBRARY_PATH: await librariesOf(program ?? '') }
    const query = [`@${host}`, '-p', String(port), ...args]
    return (await promisify(execFile)(program ?? '', query, { env })).stdout
  }

  it.for(['+notcp', '+tcp'])('reads answers with EDNS: %s', async transport => {
    const stdout = await dig('HOME.example.com', 'A', transport)
    expect(stdout).toContain('status: NOERROR')
    expect(stdout).toMatch(/flags: qr aa rd;/)
    expect(stdout).toMatch(/EDNS: version: 0,.* udp: 1232/)
    expect(stdout).toMatch(/HOME\.example\.com\.\s+120\s+IN\s+A\s+192\.0\.2\.10/)
    // dig warns that recursion is not available, which is right for an authoritative server.
    expect(stdout).not.toMatch(/WARNING: (?!recursion)|malformed/)
  })

  it('reads MX records', async () => {
    expect((await dig('example.com', 'MX', '+short')).trim()).toBe('10 mail.example.com.')
  })
})
