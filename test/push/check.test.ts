import { chmodSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Exchange, HttpOutcome } from '../../lib/exchange.ts'
import { checkEndpoint } from '../../push/check.ts'
import { listen } from '../support/listen.ts'
import { response } from '../support/response.ts'
import type { RecordSketch, Stage } from '../support/stage.ts'
import { enterableFolder } from '../support/temporary-folder.ts'
import { push, settingsFor } from './support.ts'
import { useStage } from './use-stage.ts'

const hash = 'a'.repeat(64)

let stage: Stage
useStage(started => {
  stage = started
})

describe('push check', () => {
  /** Runs the check with changed settings, and makes sure that it only reads and prints no secret. */
  async function check(change: Readonly<Record<string, string>> = {}) {
    const env = { ...settingsFor(stage.description), ...change }
    const ran = await push(['check'], env)
    expect([...new Set(stage.journal().map(({ method }) => method))].join()).toMatch(/^(GET)?$/)
    const shown = [ran.out, ...ran.problems].join('\n')
    for (const secret of [env.API_TOKEN, hash]) expect(shown).not.toContain(secret)
    return ran
  }

  it('says what a ping would do with a record that is right', async () => {
    stage.setRecords({ content: '192.0.2.10' })
    const { status, problems, out } = await check()
    expect({ status, problems }).toEqual({ status: 0, problems: [] })
    const [ok, note, ...others] = out.split('\n')
    expect(ok).toBe(
      'ok     home.example.com has the A record 192.0.2.10. A ping with another address changes it.',
    )
    expect(note).toBe(
      'note   home.example.com: 192.0.2.10 is a placeholder, which no network has. The first ping replaces it.',
    )
    expect(others).toEqual([])
  })

  it('warns of a secret file that every user of the host can read', async () => {
    const file = join(enterableFolder(), 'token')
    const { API_TOKEN, ...env } = settingsFor(stage.description)
    writeFileSync(file, API_TOKEN)
    chmodSync(file, 0o644)
    const { status, problems } = await push(['check'], { ...env, API_TOKEN_FILE: file })
    expect({ status, problems }).toEqual({
      status: 0,
      problems: [
        expect.stringMatching(/^API_TOKEN_FILE names a file that every user of this host can read\. /),
      ],
    })
  })

  it.each<[string, readonly RecordSketch[], string]>([
    [
      'two records',
      ['10', '11'].map(end => ({ content: `192.0.2.${end}` })),
      'error  home.example.com has 2 A',
    ],
    [
      'an address that a ping could not have',
      [{ content: '192.168.1.2' }],
      'note   home.example.com: a ping with the present address would be refused. 192.168.1.2 is not a public address',
    ],
    [
      'a proxied record',
      [{ content: '1.2.3.4', proxied: true, ttl: 1 }],
      'note   home.example.com is proxied, so a FRITZ!Box shows an error',
    ],
  ])('finds %s', async (_, records, line) => {
    stage.setRecords(...records)
    const { status, out } = await check()
    expect(out).toContain(line)
    expect(status).toBe(line.startsWith('error') ? 1 : 0)
  })

  it('finds a record that NS records hide', async () => {
    const hidden = 'home.sub.example.com'
    const ns = { type: 'NS', name: 'sub.example.com', content: 'ns1.example.net' }
    stage.setRecords(ns, { name: hidden, content: '1.2.3.4' })
    const { status, out } = await check({ HOSTS: `${hidden} A sha256:${hash}` })
    expect(status).toBe(1)
    expect(out).toMatch(/^error {2}Cloudflare stores 1\.2\.3\.4 for .*, but nobody is served it/m)
  })

  it('judges each type of each name', async () => {
    const HOSTS = `home.example.com A,AAAA sha256:${hash}\nvpn.example.com A sha256:${hash}`
    const { status, out } = await check({ HOSTS })
    expect(status).toBe(1)
    expect(out.split('\n').map(line => line.slice(0, 60))).toEqual([
      expect.stringMatching(/^ok {5}home\.example\.com has the A record/),
      expect.stringMatching(/^error {2}home\.example\.com has no AAAA record, only "A"/),
      expect.stringMatching(/^error {2}vpn\.example\.com has no record in this zone/),
    ])
  })

  it('shows what a ping writes for a name with a host part', async () => {
    stage.setRecords({ content: '2a00:1450:4001:82b::1', type: 'AAAA' })
    const { status, out } = await check({
      HOSTS: `home.example.com AAAA=::211:32ff:fe12:3456/64 sha256:${hash}`,
    })
    expect(out).toBe(
      'ok     home.example.com has the AAAA record 2a00:1450:4001:82b::1. A ping writes the prefix of its network and ' +
        '::211:32ff:fe12:3456, such as 2a00:1450:4001:82b:211:32ff:fe12:3456.',
    )
    expect(status).toBe(0)
  })

  it('names a wrong token and a wrong zone once, in the words of its settings', async () => {
    const HOSTS = `home.example.com A sha256:${hash}\nvpn.example.com A sha256:${hash}`
    const token = await check({ API_TOKEN: 'x'.repeat(40), HOSTS })
    expect(token.status).toBe(1)
    expect(token.out).toMatch(/^error {2}Failed to list the records of zone [^\n]*Paste it again[^\n]*$/)
    const zone = await check({ ZONE_ID: '0'.repeat(32) })
    expect(zone.out).toMatch(/^error {2}Failed to list[^\n]*Check the zone ID first.*Set ZONE_ID to/)
  })

  it.each([
    ['2001:db8::1', 'AAAA'],
    ['100::', 'AAAA'],
  ])('says that %s is a placeholder, and sends nobody to the provider', async (content, type) => {
    stage.setRecords({ content, type })
    const { status, out } = await check({ HOSTS: `home.example.com ${type} sha256:${hash}` })
    expect(status).toBe(0)
    expect(out).toContain(`note   home.example.com: ${content} is a placeholder`)
    expect(out).not.toContain('provider')
  })

  it('refuses wrong settings before it sends anything, and calls no secret missing whose file is wrong', async () => {
    const files = { API_TOKEN_FILE: '/none', HOSTS_FILE: '/dev/null' }
    const { BASE_URL } = settingsFor(stage.description)
    const ran = await push(['check'], { BASE_URL, ...files, PLAIN_HTTP: 'yes', ZONE_ID: 'example.com' })
    expect(ran).toMatchObject({ status: 2, out: '' })
    expect(ran.problems).toEqual([
      'API_TOKEN_FILE names a file that cannot be read (ENOENT). Check the path and its permissions.',
      'HOSTS_FILE names a file that is empty. Fill it, or remove the setting.',
      expect.stringMatching(/^ZONE_ID /),
      expect.stringMatching(/^PLAIN_HTTP /),
    ])
    expect(stage.journal()).toEqual([])
  })

  it('tries an endpoint without a password', async () => {
    const requests: unknown[] = []
    const server = createServer(({ method, url, headers }, response) => {
      requests.push([method, url, headers.authorization])
      response.writeHead(401).end('badauth\n')
    })
    const url = await listen(server)
    const { status, out } = await push(['check', '--url', url], settingsFor(stage.description))
    server.close()
    expect(status).toBe(0)
    expect(out).toContain(`note   ${url} refuses every password.`)
    expect(requests).toEqual([['GET', '/nic/update', undefined]])
  })
})

describe('an endpoint', () => {
  const answer = (status: number, body: string) => response(body, { status, contentType: 'text/plain' })
  const closed: HttpOutcome = { kind: 'failure', cause: 'network', detail: 'no response (ECONNREFUSED)' }
  const right: HttpOutcome = answer(401, 'badauth\n')
  const origin = 'https://homeport-push.example.workers.dev'

  /** Returns what is found where https, to the first client and to others, and plain http have these answers. */
  async function look(
    https: HttpOutcome,
    http: HttpOutcome,
    { at = origin, plainHttp = false, others = right } = {},
  ) {
    const exchange: Exchange = async ({ url, headers }) => {
      if (url.startsWith('http:')) return http
      return headers['User-Agent']?.startsWith('Fritz') ? https : others
    }
    const findings = await checkEndpoint(new URL(at), { plainHttp }, exchange)
    return findings.map(({ level, text }) => `${level} ${text}`)
  }

  it('on this machine that is closed is an error', async () => {
    const at = 'http://127.0.0.1:9'
    expect((await look(closed, closed, { at }))[0]).toBe(`error ${at}: no response (ECONNREFUSED).`)
  })

  it('that cannot be reached at all is not said to be safe', async () => {
    const findings = await look(closed, closed, { others: closed })
    expect(findings).toHaveLength(4)
    for (const finding of findings) expect(finding).toMatch(/^error .*: no response \(ECONNREFUSED\)\.$/)
  })

  it('is tried as each client, and is right if it wants a password', async () => {
    expect(await look(right, closed)).toEqual([
      `ok ${origin} answers Fritz!Box DDNS/1.0.1.`,
      `ok ${origin} answers inadyn/2.10.0.`,
      `ok ${origin} answers ddclient/3.10.0.`,
      `ok ${origin.replace('https', 'http')} is silent, so no password crosses it.`,
    ])
    expect((await look(answer(403, 'error code: 1010'), closed))[0]).toMatch(
      /^error .* it answers 403 instead of 401 badauth\. A rule in front of it may refuse this client/,
    )
  })

  it.each([
    ['redirects', answer(300, ''), false, /^error .* redirects\. A router that is set to http discloses/],
    ['refuses passwords', right, false, /^note .* refuses every password\. A router .* discloses/],
    ['accepts passwords', right, true, /^note .* accepts passwords \(PLAIN_HTTP\)\. A router .* discloses/],
    ['is something else', answer(200, 'hello'), false, /^error .*: it answers 200 instead of 401 badauth\.$/],
  ])('over plain http that %s is described', async (_, http, plainHttp, line) => {
    expect((await look(right, http, { plainHttp })).at(3)).toMatch(line)
  })

  it('on a custom domain has the settings of its zone named', async () => {
    const [said = ''] = (await look(right, closed, { at: 'https://push.example.com' })).slice(-1)
    for (const setting of ['Bot Fight', 'Browser Integrity', 'Always Use HTTPS', 'Minimum TLS'])
      expect(said).toContain(setting)
  })
})
