import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { getProxyUrl } from '@actions/http-client/lib/proxy'
import { describe, expect, it, vi } from 'vitest'
import { actionInputs, givenSecrets } from '../../../action/inputs/given.ts'
import { maskSecrets } from '../../../lib/redact.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { environment, inputsOf, problemOf, zone } from './reading.ts'

/** Returns this many names, one a line. */
const names = (count: number) => Array.from({ length: count }, (_, n) => `h${n}.example.com`).join('\n')

it('inputs left out have the defaults of action.yml', () => {
  expect(inputsOf({})).toMatchObject({
    targets: [{ hostname: 'home.example.com', zoneId: zone }],
    addresses: [{ type: 'A', source: { kind: 'asked' } }],
    addressRules: { expectedCidrs: [], allowReserved: false },
    record: { ttl: 120, proxied: null, onDrift: 'warn', create: false },
    dryRun: false,
    baseUrl: 'https://api.cloudflare.com',
    timeoutMs: 60_000,
    heartbeatUrl: null,
    notify: null,
  })
  expect(inputsOf({ 'notify-format': 'json' }).notify).toBeNull()
  const url = 'https://ntfy.example/6f1d2c9a'
  expect(inputsOf({ 'notify-url': url }).notify).toEqual({ url, format: 'text' })
})

it('a dry run has no monitor', () => {
  const url = 'https://monitor.example/6f1d2c9a'
  expect(inputsOf({ 'heartbeat-url': url }).heartbeatUrl).toBe(url)
  expect(inputsOf({ 'heartbeat-url': url, 'dry-run': 'true' }).heartbeatUrl).toBeNull()
})

describe('inputs given', () => {
  it('are accepted in equivalent forms', () => {
    expect(inputsOf({ hostname: 'HOME.Example.com.' }).targets[0]?.hostname).toBe('home.example.com')
    expect(inputsOf({ 'zone-id': zone.toUpperCase() }).targets[0]?.zoneId).toBe(zone)
    expect(inputsOf({ proxied: 'false' }).record.proxied).toBe(false)
    for (const root of ['https://dns.example', 'https://dns.example/', 'https://dns.example/client/v4/']) {
      expect(inputsOf({ 'base-url': root }).baseUrl).toBe('https://dns.example')
    }
    expect(inputsOf({ timeout: '1500ms' }).timeoutMs).toBe(1500)
    expect(inputsOf({ ttl: '1' }).record.ttl).toBe(1)
  })

  it('mask no hostname, although a secret URL may contain it', () => {
    const { shown } = givenSecrets(actionInputs(environment({ hostname: 'HOME.example.com\nb.example.com' })))
    expect(shown).toEqual(expect.arrayContaining(['home.example.com', 'b.example.com']))
  })

  it.each([
    ['https://hc.example/ping/6f1d2c9a', ['6f1d2c9a']],
    ['https://hc.example/ping/6f1d2c9a/', ['6f1d2c9a']],
    ['https://hc.example/ping/my-key/short', []],
    [
      'https://kuma.example/push/4mQz81bTzK?hostname=up&key=b%2Fcdefghi',
      ['4mQz81bTzK', 'b%2Fcdefghi', 'b/cdefghi'],
    ],
  ])('mask the last part of %s, as text and in base64', (url, parts) => {
    const { urls, shown } = givenSecrets(actionInputs(environment({ 'heartbeat-url': url })))
    expect(urls.trim().split('\n').slice(1).toSorted()).toEqual(parts.toSorted())
    const forms = maskSecrets([], urls, shown)
    for (const part of parts) expect(forms).toContain(btoa(part).slice(0, Math.floor((part.length * 8) / 6)))
    maskSecrets([])
  })

  it('may be 50 hostnames', () => {
    expect(inputsOf({ hostname: names(50) }).targets).toHaveLength(50)
  })

  it('mask addresses by default, unless the event says that the repository is private', async () => {
    const event = join(temporaryFolder(), 'event.json')
    const maskAddress = (choice = '') =>
      inputsOf({ 'mask-address': choice }, { GITHUB_EVENT_PATH: event }).maskAddress
    expect([maskAddress(), maskAddress('false')]).toEqual([true, false])
    await writeFile(event, '{"repository":{"private":true}}')
    expect([maskAddress(), maskAddress('true')]).toEqual([false, true])
    for (const text of ['{"repository":{"private":"true"}}', 'null']) {
      await writeFile(event, text)
      expect(maskAddress()).toBe(true)
    }
  })
})

describe('a wrong input', () => {
  it.each([
    ['api-token', '', /api-token is missing.*forks and Dependabot/],
    ['api-token', 'Bearer abc', /api-token starts with "Bearer"/],
    ['api-token', `cfk_${'a'.repeat(48)}`, /api-token is a global API key.*permissionGroupKeys=/],
    ['api-token', 'a'.repeat(37), /api-token is a global API key/],
    ['api-token', `"${'a'.repeat(40)}"`, /api-token is in quotes/],
    ['api-token', 'line\r\nX-Injected: 1', /api-token contains white space/],
    ['zone-id', 'example.com', /zone-id is "example.com". Use the 32 hex digits/],
    ['zone-id', `cfut_${'a'.repeat(48)}`, /zone-id is "\*\*\*"\. Use the 32 hex digits/],
    ['hostname', '', /hostname is missing/],
    ['hostname', 'home', /hostname has "home", which does not start with a fully qualified name/],
    ['hostname', `${'x'.repeat(64)}.example.com`, /has a label of 64 characters/],
    ['hostname', 'home.example.com\nHOME.example.com.', /hostname lists home.example.com twice/],
    ['hostname', `home.example.com ${zone} more`, /hostname .* has more than a name and a zone ID/],
    ['hostname', 'home.example.com nas.example.com', /hostname .* has two names/],
    ['hostname', 'home.example.com shortid', /hostname has .* shortid", which does not end with a zone ID/],
    [
      'hostname',
      names(51),
      /hostname lists 51 entries\. The limit is 50\. Make the others CNAMEs .* second step/,
    ],
    ['address-sources', 'http://echo.example', /address-sources .* is not an https URL/],
    ['address-sources', 'dns:router', /address-sources has "dns:router", which names no host/],
    [
      'address-sources',
      'dns:HOME.example.com.',
      /HOME.example.com.", which asks for a name that this run writes/,
    ],
    ['address-sources', 'interface:', /address-sources has "interface:", which names no interface/],
    ['address-sources', 'https://u:p@echo.example', /address-sources .* user name or password/],
    ['address-sources', 'https://echo.test:8443\nhttps://ECHO.test.:8443/ip', /lists echo.test:8443 twice/],
    ['address-sources', 'https://[2001:db8::1]/', /lists no source for A records.* IPv4/],
    ['ipv6-suffix', '::1/64', /ipv6-suffix needs record-type AAAA/],
    ['address-sources', names(11).replace(/^/gm, 'https://'), /lists 11 entries/],
    ['proxied', 'no', /proxied is "no". Use true or false/],
    ['ttl', '0', /ttl is "0". Use 60 to 86400/],
    ['ttl', '86401', /ttl is/],
    ['base-url', 'http://127.0.0.1.example', /base-url .* https URL \(http only on loopback\)/],
    ['base-url', 'https://u:p@dns.example', /base-url contains a user name or password/],
    ['base-url', 'https://dns.example/v4', /base-url .* Use the root/],
    ['timeout', '60', /timeout is "60". Use a time from 1s to 15m, such as 60s\./],
    ['timeout', '16m', /timeout/],
    ['heartbeat-url', 'https://monitor.example/6f1d 2c9a', /^heartbeat-url is not one https URL/],
  ])('is refused: %s %j', (name, value, message) => {
    const problem = problemOf({ [name]: value })
    expect(problem.reason).toBe('invalid-input')
    expect(problem.message).toMatch(message)
    expect(problem.message.split('\n')).toHaveLength(1)
  })

  it.each([
    ['HOSTNAMES', '"hostnames" is not an input of this action. Did you mean hostname?'],
    ['APITOKEN', '"apitoken" is not an input of this action. Did you mean api-token?'],
    [
      'CFUT_'.padEnd(45, 'A'),
      '"***" is not an input of this action. Remove it, or see docs/inputs.md for the names.',
    ],
  ])('is reported if the action does not know its name: %s', (name, message) => {
    expect(problemOf({}, { [`INPUT_${name}`]: '' })).toEqual({ reason: 'invalid-input', message })
  })

  it('is refused if it cannot be combined with another', () => {
    const problem = problemOf({ address: '203.0.113.7', 'address-sources': 'https://echo.example' })
    expect(problem.message).toMatch(/address-sources cannot be combined with address\./)
  })

  it.each(['proxy', 'socks5://proxy.example:1080', 'http://us%er@proxy.example:8080', ' '])(
    'can be the proxy variable %j, which requests could bypass',
    value => {
      for (const name of ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY']) {
        expect(problemOf({}, { [name]: value }).message).toMatch(
          new RegExp(`^${name} is not the URL of an HTTP proxy.* Write it as http://host:port`),
        )
      }
    },
  )

  it.each(['http://proxy.example:8080', 'https://us%65r:p%20w@proxy.example/', 'http://[::1]:3128'])(
    'cannot be the proxy %j, which the HTTP client uses',
    value => {
      expect(inputsOf({}, { https_proxy: value, HTTP_PROXY: value })).toBeDefined()
      vi.stubEnv('https_proxy', value)
      expect(getProxyUrl(new URL('https://dns.example'))?.hostname).toBeTruthy()
      vi.unstubAllEnvs()
    },
  )

  it('is quoted before it is logged', () => {
    const { message } = problemOf({ hostname: 'a\u202e##[error]b', ttl: '::stop-commands::x' })
    expect(message).not.toMatch(/##\[|::|\u202e/)
  })

  it.each(['base-url', 'address-sources'])('shows no password of a URL that is refused: %s', name => {
    const long = `http://p4ss${'x'.repeat(200)}@a`
    for (const text of ['https://user:p4ss@dns.example/path', 'http://p4ss@dns.example', long])
      expect(problemOf({ [name]: text }).message).not.toContain('p4ss')
  })
})

describe('name-servers', () => {
  it.each([
    ['ns1.example.net', 'ns1.example.net', 'ns1.example.net', 53],
    ['NS1.Example.NET.:5353', 'ns1.example.net:5353', 'ns1.example.net', 5353],
    ['[2001:db8::53]', '2001:db8::53', '2001:db8::53', 53],
    ['[2001:db8::53]:5353', '[2001:db8::53]:5353', '2001:db8::53', 5353],
  ])('may be %s', (text, name, host, port) => {
    const { servers } = inputsOf({ verify: 'dns', 'name-servers': text })
    expect(servers).toEqual([{ name, host, port }])
  })

  it.each(['ns1', 'ns1.example.net:0', 'ns1.example.net:65536', '2001:db8::g', 'https://ns1.example.net'])(
    'is refused: %s',
    text => {
      const { message } = problemOf({ verify: 'dns', 'name-servers': text })
      expect(message).toMatch(/^name-servers has ".*", which is not a name server\. Write host or host:port/)
    },
  )

  it('are refused if listed twice, more than twenty, or without verify: dns', () => {
    const twice = 'ns1.example.net\nNS1.example.net:53'
    expect(problemOf({ verify: 'dns', 'name-servers': twice }).message).toContain(
      'lists ns1.example.net twice',
    )
    const many = Array.from({ length: 21 }, (_, index) => `ns${index}.example.net`).join('\n')
    expect(problemOf({ verify: 'dns', 'name-servers': many }).message).toContain('lists 21 entries')
    expect(problemOf({ 'name-servers': 'ns1.example.net' }).message).toContain('only used with verify: dns')
  })

  it('are looked up if none are given', () => {
    expect(inputsOf({ verify: 'DNS' })).toMatchObject({ verify: 'dns', servers: [] })
    expect(inputsOf({})).toMatchObject({ verify: 'response', servers: [] })
  })
})
