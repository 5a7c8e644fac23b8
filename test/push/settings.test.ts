import { describe, expect, it } from 'vitest'
import { readSettings, rows } from '../../push/settings.ts'
import { expectValue } from '../support/expect-value.ts'

const hash = 'a'.repeat(64)
const valid = {
  API_TOKEN: 'cfut_0123456789abcdefghijklmnopqrstuvwxyz',
  ZONE_ID: '023E105f4ecef8ad9ca31a8372d0c353',
  HOSTS: `home.example.com A,AAAA sha256:${hash}`,
}

const settingsOf = (change: Readonly<Record<string, unknown>>) =>
  expectValue(readSettings({ ...valid, ...change }))

function problemsOf(change: Readonly<Record<string, unknown>>) {
  const reading = readSettings({ ...valid, ...change })
  return 'problems' in reading ? reading.problems : []
}

describe('settings of the endpoint', () => {
  it('have their defaults when missing or blank', () => {
    const defaults = {
      apiToken: valid.API_TOKEN,
      zoneId: '023e105f4ecef8ad9ca31a8372d0c353',
      hosts: [{ name: 'home.example.com', types: ['A', 'AAAA'], hashes: [hash] }],
      expectedCidrs: [],
      heartbeatUrl: null,
      notifyUrl: null,
      notifyFormat: 'text',
      queryPasswords: false,
      plainHttp: false,
      baseUrl: 'https://api.cloudflare.com',
      trustedProxies: [],
      host: '127.0.0.1',
      port: 8080,
    }
    expect(settingsOf({})).toEqual(defaults)
    const blank = Object.fromEntries(rows.flatMap(([name]) => (name in valid ? [] : [[name, ' \n']])))
    expect(settingsOf(blank)).toEqual(defaults)
  })

  it('are read from texts, and from the true and the numbers of a Worker’s bindings', () => {
    const settings = settingsOf({
      EXPECTED_CIDR: '198.51.100.0/24, 2001:db8::/32',
      HEARTBEAT_URL: 'https://monitor.example.com/ping/1',
      NOTIFY_URL: 'http://127.0.0.1:8081/topic',
      NOTIFY_FORMAT: 'json',
      QUERY_PASSWORDS: true,
      PORT: 8081,
      PLAIN_HTTP: 'TRUE',
      BASE_URL: 'http://127.0.0.1:9000/client/v4/',
      TRUSTED_PROXIES: '127.0.0.1 ::1 10.0.0.0/8',
      LIMITER: { limit: () => null },
    })
    expect(settings).toMatchObject({
      heartbeatUrl: 'https://monitor.example.com/ping/1',
      notifyUrl: 'http://127.0.0.1:8081/topic',
      notifyFormat: 'json',
      queryPasswords: true,
      plainHttp: true,
      baseUrl: 'http://127.0.0.1:9000',
      port: 8081,
    })
    expect(settings.expectedCidrs.map(({ text }) => text)).toEqual(['198.51.100.0/24', '2001:db8::/32'])
    expect(settings.trustedProxies.map(({ text }) => text)).toEqual(['127.0.0.1/32', '::1/128', '10.0.0.0/8'])
  })

  it('are named with what to do if they are missing', () => {
    expect(problemsOf({ API_TOKEN: '', ZONE_ID: undefined, HOSTS: ' ' })).toEqual([
      expect.stringMatching(/^API_TOKEN is missing\. Create a token with https:/),
      'ZONE_ID is missing. Copy the zone ID from the overview page of the zone.',
      'HOSTS is missing. Create a line with `npm run push -- add HOSTNAME`.',
    ])
  })

  it('take a monitor with one name only', () => {
    const HOSTS = `${valid.HOSTS}\nvpn.example.com A sha256:${hash}`
    const problem = expect.stringContaining('HEARTBEAT_URL is for one name, and HOSTS has 2')
    expect(problemsOf({ HEARTBEAT_URL: 'https://monitor.example.com/ping', HOSTS })).toEqual([problem])
  })

  it('are refused together, without a word of a secret', () => {
    const secret = 'Wx7Yz3Kq9'
    const problems = problemsOf({
      API_TOKEN: `Bearer ${secret}`,
      HOSTS: `home.example.com A ${secret}`,
      HEARTBEAT_URL: `ftp://${secret}.example.com`,
      NOTIFY_URL: `http://example.com/${secret}`,
      NOTIFY_FORMAT: 'x',
    })
    expect(problems).toHaveLength(5)
    expect(problems.join()).not.toContain(secret)
  })

  it('are refused together with what only two of them show', () => {
    const problems = problemsOf({ PLAIN_HTTP: 'x', EXPECTED_CIDR: '198.51.100.0/24' })
    expect(problems).toEqual([
      'EXPECTED_CIDR lists no IPv6 range for AAAA records. Add one.',
      expect.stringMatching(/^PLAIN_HTTP /),
    ])
    expect(problemsOf({ HOSTS: 'x', EXPECTED_CIDR: '198.51.100.0/24' })).toEqual([
      expect.stringMatching(/^HOSTS /),
    ])
  })

  it('are not mistaken for the names of other programs', () => {
    expect(
      problemsOf({ HOSTNAME: 'router', TTY: '/dev/pts/0', PROXY: 'x', HOST: '::1', API_TOKEN_FILE: 'x' }),
    ).toEqual([])
  })
})
