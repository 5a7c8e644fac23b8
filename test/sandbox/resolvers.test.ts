import { promises as dns } from 'node:dns'
import { TCPClient, UDPClient } from 'dns2'
import { beforeAll, describe, expect, it } from 'vitest'
import { runSandbox } from './running.ts'

const sandbox = runSandbox()

beforeAll(async () => {
  await sandbox.create({ type: 'AAAA', name: 'six', content: '2001:db8::5' })
  await sandbox.create({ type: 'CNAME', name: 'www', content: 'home.example.com' })
  await sandbox.create({ type: 'A', name: 'two', content: '192.0.2.41' })
  await sandbox.create({ type: 'A', name: 'two', content: '192.0.2.42' })
  await sandbox.create({ type: 'MX', name: '@', content: 'mail.example.com', priority: 10 })
  const service = { priority: 1, weight: 5, port: 5060, target: 'sip.example.com' }
  await sandbox.create({ type: 'SRV', name: '_sip._tcp', data: service })
  await sandbox.create({
    type: 'CAA',
    name: '@',
    data: { flags: 128, tag: 'issue', value: 'ca.example.net' },
  })
})

describe("Node's resolver", () => {
  function resolver() {
    const own = new dns.Resolver({ timeout: 2000, tries: 1 })
    own.setServers([`${sandbox.at.nameServer.host}:${sandbox.at.nameServer.port}`])
    return own
  }

  it('gets addresses with their ttl, several for a round robin, and follows a CNAME', async () => {
    expect(await resolver().resolve4('home.example.com', { ttl: true })).toEqual([
      { address: '192.0.2.10', ttl: 120 },
    ])
    expect((await resolver().resolve4('two.example.com')).sort()).toEqual(['192.0.2.41', '192.0.2.42'])
    expect(await resolver().resolve4('www.example.com')).toEqual(['192.0.2.10'])
    expect(await resolver().resolve6('six.example.com')).toEqual(['2001:db8::5'])
  })

  it('gets TXT, CNAME, NS and SOA records', async () => {
    expect(await resolver().resolveTxt('example.com')).toEqual([['v=spf1 -all']])
    expect(await resolver().resolveCname('www.example.com')).toEqual(['home.example.com'])
    expect((await resolver().resolveNs('example.com')).sort()).toEqual(['ns1.example.com', 'ns2.example.com'])
    expect((await resolver().resolveSoa('example.com')).nsname).toBe('ns1.example.com')
    expect(await resolver().resolve4('ns1.example.com')).toEqual(['127.0.0.1'])
  })

  it('gets MX, SRV and CAA records', async () => {
    expect(await resolver().resolveMx('example.com')).toMatchObject([
      { exchange: 'mail.example.com', priority: 10 },
    ])
    expect(await resolver().resolveSrv('_sip._tcp.example.com')).toMatchObject([
      { name: 'sip.example.com', port: 5060, priority: 1, weight: 5 },
    ])
    expect(await resolver().resolveCaa('example.com')).toMatchObject([
      { critical: 128, issue: 'ca.example.net' },
    ])
  })

  it('distinguishes a missing name, a missing type and another zone', async () => {
    await expect(resolver().resolve4('missing.example.com')).rejects.toMatchObject({ code: 'ENOTFOUND' })
    await expect(resolver().resolve6('home.example.com')).rejects.toMatchObject({ code: 'ENODATA' })
    await expect(resolver().resolve4('example.net')).rejects.toMatchObject({ code: 'EREFUSED' })
  })
})

describe.each([
  ['UDP', UDPClient],
  ['TCP', TCPClient],
] as const)('the resolver library dns2 over %s', (_, makeClient) => {
  async function query(name: string, type: string) {
    const { host, port } = sandbox.at.nameServer
    const packet = await makeClient({ dns: host, port })(name, type)
    return { header: packet.header, answers: packet.answers as unknown as Record<string, unknown>[] }
  }

  it('gets an authoritative answer', async () => {
    const { header, answers } = await query('home.example.com', 'A')
    expect(header).toMatchObject({ aa: 1, rcode: 0 })
    expect(answers).toMatchObject([{ name: 'home.example.com', address: '192.0.2.10', ttl: 120 }])
  })

  it('gets a CNAME with its target, and TXT records', async () => {
    expect((await query('www.example.com', 'A')).answers).toMatchObject([
      { domain: 'home.example.com' },
      { address: '192.0.2.10' },
    ])
    expect((await query('example.com', 'TXT')).answers).toMatchObject([{ data: ['v=spf1 -all'] }])
  })

  it('gets MX and SRV records', async () => {
    expect((await query('example.com', 'MX')).answers).toMatchObject([
      { exchange: 'mail.example.com', priority: 10 },
    ])
    expect((await query('_sip._tcp.example.com', 'SRV')).answers).toMatchObject([
      { priority: 1, weight: 5, port: 5060, target: 'sip.example.com' },
    ])
  })

  it('gets NXDOMAIN and REFUSED', async () => {
    expect((await query('missing.example.com', 'A')).header.rcode).toBe(3)
    expect((await query('example.net', 'A')).header.rcode).toBe(5)
  })
})
