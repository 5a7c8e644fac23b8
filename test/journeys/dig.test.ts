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
    const records = [
      { type: 'MX', name: '@', content: 'mail.example.com', priority: 10 },
      {
        type: 'SRV',
        name: '_sip._tcp',
        data: { priority: 1, weight: 5, port: 5060, target: 'sip.example.com' },
      },
      { type: 'CAA', name: '@', data: { flags: 128, tag: 'issue', value: 'ca.example.net' } },
      {
        type: 'HTTPS',
        name: '@',
        data: {
          priority: 1,
          target: '.',
          value: 'ipv4hint=192.0.2.1 alpn="h3,h2" ipv6hint=2001:db8::1 port="8443"',
        },
      },
    ]
    for (const record of records) {
      const created = await fetch(`${apiUrl}/zones/${zoneId}/dns_records`, {
        method: 'POST',
        headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
        body: JSON.stringify({ ttl: 120, ...record }),
      })
      expect(created.status).toBe(200)
    }
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

  it.for([
    ['MX', 'example.com', '10 mail.example.com.'],
    ['SRV', '_sip._tcp.example.com', '1 5 5060 sip.example.com.'],
    ['CAA', 'example.com', '128 issue "ca.example.net"'],
    ['HTTPS', 'example.com', '1 . alpn="h3,h2" port=8443 ipv4hint=192.0.2.1 ipv6hint=2001:db8::1'],
  ] as const)('reads %s records', async ([type, name, shown]) => {
    expect((await dig(name, type, '+short')).trim()).toBe(shown)
  })
})
