import { describe, expect, it } from 'vitest'
import { actionInputs } from '../../../action/inputs/given.ts'
import { readInputs } from '../../../action/inputs/inputs.ts'
import { environment, inputsOf, problemOf } from './reading.ts'

describe('address sources', () => {
  const sourcesOf = (inputs: Readonly<Record<string, string>>) =>
    inputsOf(inputs).addresses.map(({ type, source }) => [
      type,
      source.kind === 'asked' ? source.sources.map(({ name }) => name) : source.address,
    ])

  it('differ by record type when they are left out, A first', () => {
    expect(sourcesOf({ 'record-type': 'aaaa , a' })).toEqual([
      ['A', ['api4.ipify.org', 'checkip.amazonaws.com', 'ipv4.icanhazip.com']],
      ['AAAA', ['api6.ipify.org', 'checkipv6.dedyn.io', 'ipv6.icanhazip.com']],
    ])
  })

  it('serve both types, but a URL with an address serves its own family', () => {
    const listed =
      'https://echo.example\ndns:router.example.net\nhttps://1.1.1.1/cdn-cgi/trace\nhttps://[2001:db8::1]/'
    const { addresses } = inputsOf({ 'record-type': 'A,AAAA', 'address-sources': listed })
    expect(sourcesOf({ 'record-type': 'A,AAAA', 'address-sources': listed })).toEqual([
      ['A', ['echo.example', 'dns:router.example.net', '1.1.1.1']],
      ['AAAA', ['echo.example', 'dns:router.example.net', '[2001:db8::1]']],
    ])
    expect(addresses).toMatchObject([
      { source: { sources: [{ form: 'text' }, { kind: 'dns' }, { form: 'trace' }] } },
      { source: { kind: 'asked' } },
    ])
  })

  it('know which names this run writes', () => {
    const { addresses } = inputsOf({ 'address-sources': 'dns:router.example.net' })
    expect(addresses).toMatchObject([{ source: { sources: [{ managed: ['home.example.com'] }] } }])
  })

  it('may be a given address for each type', () => {
    const address = '2001:DB8::7\n203.0.113.7'
    expect(sourcesOf({ 'record-type': 'A,AAAA', address })).toEqual([
      ['A', '203.0.113.7'],
      ['AAAA', '2001:db8::7'],
    ])
  })

  it.each([
    ['A,AAAA', '203.0.113.7', /one IPv4 address, such as 198.51.100.7, and on a line of its own one IPv6/],
    ['AAAA', '203.0.113.7', /Enter one IPv6 address, such as 2001:db8::7/],
    ['A', '203.0.113.7\n2001:db8::7', /Enter one IPv4 address/],
  ])('must be addresses of the types: %s %j', (types, address, message) => {
    expect(problemOf({ 'record-type': types, address }).message).toMatch(message)
  })

  it('cannot be a name that a wildcard of this run may answer for', () => {
    const wildcard = { hostname: '*.example.com', 'address-sources': 'dns:router.example.com' }
    expect(problemOf(wildcard).message).toContain(
      'a name that the record *.example.com of this run may answer for',
    )
  })

  it('need an expected range for each record type', () => {
    const both = { 'record-type': 'A,AAAA', 'expected-cidr': '203.0.113.0/24' }
    expect(problemOf(both).message).toBe('expected-cidr lists no IPv6 range for AAAA records. Add one.')
    const ranges = '203.0.113.0/24\n2001:db8::/32'
    expect(inputsOf({ ...both, 'expected-cidr': ranges }).addressRules.expectedCidrs).toHaveLength(2)
  })
})

describe('ipv6-suffix', () => {
  const names = { 'record-type': 'AAAA', hostname: 'a.example.com\nb.example.com' }
  const suffixesOf = (suffix: string) => {
    const [address] = inputsOf({ ...names, 'ipv6-suffix': suffix }).addresses
    return Object.fromEntries([...(address?.suffixes ?? [])].map(([name, { host }]) => [name, host]))
  }

  it('may be one for all, one for each, or one for the others', () => {
    expect(suffixesOf('::1/64')).toEqual({ 'a.example.com': '::1', 'b.example.com': '::1' })
    expect(suffixesOf('B.example.com. ::2/64\na.example.com\t::1/64')).toEqual({
      'a.example.com': '::1',
      'b.example.com': '::2',
    })
    expect(suffixesOf('::9/64\na.example.com ::1/64')).toEqual({
      'a.example.com': '::1',
      'b.example.com': '::9',
    })
    expect(suffixesOf('')).toEqual({})
  })

  it.each([
    ['a.example.com ::1/64', /has no host part for b.example.com/],
    [
      'c.example.com ::1/64\n::2/64',
      /"c.example.com ::1\/64", which does not start with one of the hostnames/,
    ],
    ['a.example.com ::1/64\na.example.com ::2/64\n::3/64', /lists a.example.com twice/],
    ['::1/64\n::2/64', /lists a host part for all names twice/],
    ['::1', /has "::1", which is not the host part of an IPv6 address; write it with its prefix length/],
    ['::1/128', /with its prefix length/],
    ['::1/64/64', /with its prefix length/],
    ['1.2.3.4/24', /with its prefix length/],
    ['::/64', /names no host/],
    ['::1:0:0:0:1/64', /has bits inside its prefix of 64 bits/],
  ])('is refused: %j', (suffix, message) => {
    expect(problemOf({ ...names, 'ipv6-suffix': suffix }).message).toMatch(message)
  })
})

describe('echo services behind a proxy', () => {
  const proxied = (inputs: Readonly<Record<string, string>>) => {
    const given = environment(inputs)
    const proxyOf = (url: string) => (url.includes('//echo.') ? 'http://proxy.example' : null)
    return readInputs(actionInputs(given), given, proxyOf)
  }
  const sources = { 'address-sources': 'https://echo.example\nhttps://other.example' }

  it('are refused, and the message names them', () => {
    const reading = proxied(sources)
    expect(reading).toMatchObject({ problem: { reason: 'invalid-input' } })
    if ('problem' in reading) expect(reading.problem.message).toContain('no_proxy (echo.example)')
  })

  it('are accepted with an expected range of the family, and beside a given address', () => {
    expect(proxied({ ...sources, 'expected-cidr': '203.0.113.0/24' })).toHaveProperty('value')
    expect(proxied({ address: '203.0.113.7' })).toHaveProperty('value')
    expect(proxied({ 'address-sources': 'dns:echo.example.net' })).toHaveProperty('value')
  })
})

describe('a GitHub-hosted runner', () => {
  const hosted = { RUNNER_ENVIRONMENT: 'github-hosted' }

  it('cannot ask echo services, because the address belongs to GitHub', () => {
    const problem = problemOf({}, hosted)
    expect(problem.reason).toBe('hosted-runner')
    expect(problem.message).toMatch(/self-hosted runner.*input address.*dns: source/)
    expect(problemOf({ 'address-sources': 'interface:eth0' }, hosted).reason).toBe('hosted-runner')
  })

  it('can use a given address, or the one of another hostname', () => {
    expect(inputsOf({ address: '203.0.113.7' }, hosted).addresses).toMatchObject([
      { source: { kind: 'given', address: '203.0.113.7' } },
    ])
    const dns = { 'address-sources': 'dns:router.example.net' }
    expect(inputsOf(dns, hosted).addresses).toMatchObject([{ source: { kind: 'asked' } }])
  })
})
