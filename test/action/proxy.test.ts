import { getProxyUrl } from '@actions/http-client/lib/proxy'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { credentialsOf, parseProxy, proxyFor } from '../../action/proxy.ts'
import { fc, runs } from '../support/random.ts'

afterEach(() => {
  vi.unstubAllEnvs()
})

/** What GitHub's own client (@actions/http-client) uses for the URL. */
function clientProxy(url: string, variables: Readonly<Record<string, string>>): string {
  for (const name of ['https_proxy', 'HTTPS_PROXY', 'no_proxy', 'NO_PROXY'])
    vi.stubEnv(name, variables[name] ?? '')
  const proxy = getProxyUrl(new URL(url))
  return proxy ? `${proxy.protocol}//${proxy.username}:${proxy.password}@${proxy.host}` : ''
}

function ownProxy(url: string, variables: Readonly<Record<string, string>>): string {
  const proxy = proxyFor(new URL(url), variables)
  return proxy ? `${proxy.protocol}//${credentialsOf(proxy) || ':'}@${proxy.host}` : ''
}

describe('the proxy of a URL', () => {
  it.each([
    'http://proxy.example:8080',
    'HTTP://proxy.example',
    'https://us%65r:p%20w@proxy.example/',
    '127.0.0.1:3128',
    'http://[::1]:3128',
    'proxy',
  ])('is the one that GitHub’s client uses for %j', https_proxy => {
    expect(ownProxy('https://dns.example', { https_proxy })).toBe(
      clientProxy('https://dns.example', { https_proxy }),
    )
    expect(ownProxy('https://dns.example', { https_proxy })).not.toBe('')
  })

  it.each(['localhost:3128', 'proxy.example:8080'])('may be %j, which GitHub’s client ignores', text => {
    expect(parseProxy(text)?.href).toBe(`http://${text}/`)
  })

  it.each([
    'http://pro xy:8080',
    'socks5://proxy.example:1080',
    'ftp://proxy.example',
    'http://us%er@proxy.example:8080',
    'http:proxy.example:x',
    ' ',
    '//',
  ])('is never %j', text => {
    expect(parseProxy(text)).toBeNull()
  })

  it('follows no_proxy as GitHub’s client does', () => {
    const host = fc.constantFrom(
      'dns.example',
      'api.dns.example',
      'DNS.Example',
      'dns.example:8443',
      'other.test',
      '[::1]',
      '127.0.0.1',
      'localhost',
      '[2001:db8::1]',
    )
    const exception = fc.constantFrom(
      '*',
      'dns.example',
      '.dns.example',
      'DNS.EXAMPLE',
      'dns.example:443',
      'dns.example:8443',
      'example',
      '.test',
      '',
      ' ',
      's.example',
      '10.0.0.0/8',
      '[2001:db8::1]',
    )
    const exceptions = fc.array(exception, { maxLength: 3 }).map(list => list.join(','))
    fc.assert(
      fc.property(host, exceptions, fc.boolean(), (host, list, upper) => {
        const variables = upper
          ? { HTTPS_PROXY: 'http://proxy.example:8080', NO_PROXY: list }
          : { https_proxy: 'http://proxy.example:8080', no_proxy: list }
        expect(ownProxy(`https://${host}/x`, variables)).toBe(clientProxy(`https://${host}/x`, variables))
      }),
      { numRuns: runs(300) },
    )
  })

  it('is none for http URLs, which are on loopback only', () => {
    expect(proxyFor(new URL('http://dns.example'), { https_proxy: 'http://proxy.example' })).toBeNull()
  })
})
