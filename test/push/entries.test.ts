import { once } from 'node:events'
import { createServer, Server, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { serve } from '../../push/node.ts'
import { readEnvironment } from '../../push/secret-files.ts'
import { ipv6Shapes, otherIpv6, shapes } from '../proxies/shapes.ts'
import { listen, startProxy } from '../support/listen.ts'
import { send } from '../support/send.ts'
import { onList, onPut, type Stage } from '../support/stage.ts'
import { timeLimit } from '../support/time-limit.ts'
import { both, first, home, hostLine, ipv6, otherPassword, password, second } from './endpoint.ts'
import { ask, runtimes, type Started, settingsOn, startNode, startWorker } from './started.ts'
import { useStage } from './use-stage.ts'

let stage: Stage
useStage(started => {
  stage = started
})
beforeEach(() => {
  const ofBoth = { name: both, type: 'AAAA', content: ipv6 }
  return stage.setRecords({ content: first }, { name: both, content: first }, ofBoth)
})

/**
 * Fails if an endpoint wrote, answered or sent a password or the token anywhere, in any form. The token is sent only in the
 * header that is for it.
 */
function expectNoSecret(endpoint: Started, answer: object): void {
  const sent = stage.journal().map(({ headers: { authorization, ...headers }, ...entry }) => {
    expect(headers['user-agent']).toBe('homeport-push')
    expect(authorization).toBe(`Bearer ${stage.description.cloudflare.dnsToken}`)
    return { ...entry, headers }
  })
  const all = [endpoint.output(), JSON.stringify(answer), JSON.stringify(sent)].join('\n')
  for (const secret of [stage.description.cloudflare.dnsToken, password, otherPassword]) {
    const forms = [secret, `any:${secret}`].flatMap(text => [text, btoa(text), encodeURIComponent(text)])
    for (const form of forms) expect(all).not.toContain(form)
  }
}

/** What clients send that never finish a request: nothing, headers, and a form. */
const openings = [
  '',
  'GET /nic/update HTTP/1.1\r\nHost: push.example\r\nX-More: ',
  'POST /nic/update HTTP/1.1\r\nHost: push.example\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 99\r\n\r\nhostname=',
]

const form = `hostname=${home}&myip=${first}`

/** Each client, with a name for it: an endpoint reads a name six times a minute. */
const clients = [...shapes, ...ipv6Shapes].map(([client, query, shape], index) => {
  return { client, query, shape, name: `client${index}.example.com` }
})

/** Returns the bytes of a client's request, as a proxy in front would pass them on from the address `second`. */
function bytesOf({ query, name, shape }: (typeof clients)[number]): string {
  const { path = '/nic/update', method = 'GET', agent, form, isOld } = shape
  const fill = (text: string) => text.replaceAll(home, name)
  const lines = [
    `${method} ${path}${query && `?${fill(query)}`} HTTP/1.${isOld ? 0 : 1}`,
    'Host: push.example',
    ...(shape.password === null ? [] : [`Authorization: Basic ${btoa(`homeport:${password}`)}`]),
    ...(agent ? [`User-Agent: ${agent}`] : []),
    ...(form
      ? ['Content-Type: application/x-www-form-urlencoded', `Content-Length: ${fill(form).length}`]
      : []),
    `CF-Connecting-IP: ${second}`,
    `X-Forwarded-For: ${second}`,
    'Connection: close',
  ]
  return `${lines.join('\r\n')}\r\n\r\n${fill(form ?? '')}`
}
const unread = 'dnserr Send hostname and myip in the query, or as a form.'

describe.each(runtimes)('the endpoint %s', (_, start) => {
  let endpoint: Started
  beforeAll(async () => {
    const { HOSTS = '', ...settings } = await settingsOn(stage)
    const own = await Promise.all(clients.map(({ name }) => hostLine(name, 'A,AAAA')))
    const more = { TRUSTED_PROXIES: '127.0.0.1', QUERY_PASSWORDS: 'true' }
    endpoint = await start({ ...settings, ...more, HOSTS: [HOSTS, ...own].join('\n') })
  })
  afterAll(() => endpoint.stop())

  it.each(clients)('keeps a record with the request of $client', async client => {
    const { name } = client
    stage.setRecords({ name, content: first }, { name, type: 'AAAA', content: ipv6 })
    const isWorker = start === startWorker
    const { status, text } = await send(endpoint.port, bytesOf(client), { ends: isWorker })
    expect({ status, text }).toEqual({
      status: 200,
      text: expect.stringMatching(new RegExp(`^(good (${second}(,${ipv6})?|${otherIpv6})\n)+$`)),
    })
  })

  it.each([
    [
      'two lines',
      { query: `hostname=${both},x&myip=${second},${ipv6}` },
      200,
      {},
      `good ${second},${ipv6}\nnotfqdn\n`,
    ],
    [
      'badauth',
      { query: `hostname=${home}`, given: otherPassword },
      401,
      { 'www-authenticate': 'Basic realm="Homeport"' },
      'badauth\n',
    ],
    ['911', { query: `hostname=${home}&myip=${second}`, status: 403 }, 503, { 'retry-after': '60' }, '911\n'],
  ])('answers %s to the byte', async (_, { query, ...sent }, status, headers, body) => {
    const { given = password, status: fault = null } = sent as { given?: string; status?: number }
    if (fault) stage.setFaults({ match: onList, times: null, answer: { kind: 'respond', status: fault } })
    const answer = await ask(endpoint, `//nic/update?${query}`, given)
    expect(answer).toEqual({
      status,
      // Neither chunked nor compressed.
      headers: {
        'content-type': 'text/plain',
        'content-length': String(body.length),
        'cache-control': 'no-store, no-transform',
        ...headers,
      },
      body,
    })
    expectNoSecret(endpoint, answer)
  })

  it.each<[string, RequestInit, number, string]>([
    ['a form', {}, 200, `nochg ${first}`],
    ['a form in chunks', { body: new Response(form).body, duplex: 'half' }, 503, unread],
    ['a form that is too long', { body: `${form}${'&x='.padEnd(9000, 'x')}` }, 503, unread],
    ['no body', { body: '' }, 200, 'notfqdn'],
  ])('takes a POST with %s as far as it can be read', async (_, init, status, said) => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const posted = { method: 'POST', headers, body: form, ...init } as Parameters<typeof ask>[3]
    const answer = await ask(endpoint, '/nic/update', password, posted)
    expect(answer).toMatchObject({ status, body: `${said}\n` })
  })

  it.each([
    ['what can have the address', '{"myip":"9.9.9.9"}', 503, /^dnserr .* Send the address in myip\.\n$/],
    ['nothing', '', 200, /^(good|nochg) [\d.]+\n$/],
  ])(
    'takes the caller’s address for a POST only if it could read all of it: with %s',
    async (_, body, status, said) => {
      const posted = {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': second },
        body,
      }
      const answer = await ask(endpoint, `/nic/update?hostname=${home}`, password, posted)
      expect(answer).toMatchObject({ status, body: expect.stringMatching(said) })
    },
  )

  it('answers in time if Cloudflare never answers a write, and the next ping writes', async () => {
    const short = await start(await settingsOn(stage), { isShort: true })
    stage.setFaults({ match: onPut, times: null, answer: { kind: 'stall' } })
    const startedMs = performance.now()
    const query = `/nic/update?hostname=${home}&myip=${second}`
    expect(await ask(short, query)).toMatchObject({ status: 503, body: '911\n' })
    // Its limit is 2.4 seconds, and without one this would never end.
    expect(performance.now() - startedMs).toBeLessThan(2400 + timeLimit(10_000))
    stage.setFaults()
    // What goes on after the answer may have written first.
    const { status, body } = await ask(short, query)
    expect([status, body]).toEqual([200, expect.stringMatching(/^(good|nochg) 9\.9\.9\.9\n$/)])
    expect(stage.records()).toContainEqual(
      expect.objectContaining({ name: home, type: 'A', content: second }),
    )
    await short.stop()
  })
})

describe('an unusual client on Node', () => {
  /** For requests and for the end after SIGTERM, each with a margin for a busy machine. */
  const limitMs = 1500
  const marginMs = timeLimit(10_000)
  let endpoint: Started
  beforeAll(async () => {
    endpoint = await startNode(await settingsOn(stage), { isShort: true })
  })
  afterAll(() => endpoint.stop())

  /** Opens a connection that never finishes a request. */
  async function openUnfinished(bytes: string, { port } = endpoint): Promise<Socket> {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    socket.on('error', () => {}).write(bytes)
    return socket
  }

  const head = (version: string) =>
    `GET /nic/update?hostname=${home}&myip=${first} HTTP/${version}\r\nHost: push.example\r\n` +
    `Authorization: Basic ${btoa(`any:${password}`)}\r\n\r\n`

  it.each([
    ['has ended its side of the connection', head('1.1'), true],
    ['speaks HTTP/1.0 and sends bytes behind its request', `${head('1.0')}\n\0`, false],
  ])('that %s is answered', async (_, bytes, ends) => {
    expect(await send(endpoint.port, bytes, { ends })).toMatchObject({
      status: 200,
      text: `nochg ${first}\n`,
    })
  })

  it('that asks for what is no URL is told that it cannot be read', async () => {
    const bytes = 'OPTIONS * HTTP/1.1\r\nHost: push.example\r\nConnection: close\r\n\r\n'
    const text = 'The request cannot be read.\n'
    expect(await send(endpoint.port, bytes)).toMatchObject({ status: 400, text })
  })

  it('that never finishes a request is cut off at the limit, and delays no other', async () => {
    const startedMs = performance.now()
    const sockets = await Promise.all(
      Array(66)
        .fill(openings)
        .flat()
        .map(bytes => openUnfinished(bytes)),
    )
    const answers = sockets.map(text)
    const answer = await ask(endpoint, `/nic/update?hostname=${home}&myip=${first}`)
    expect(answer).toMatchObject({ status: 200, body: `nochg ${first}\n` })
    for (const cut of await Promise.all(answers)) expect(cut).toMatch(/^HTTP\/1\.1 408 /)
    expect(performance.now() - startedMs).toBeGreaterThan(limitMs - 200)
    expect(performance.now() - startedMs).toBeLessThan(limitMs + marginMs)
  })

  it('that never finishes a request, nor closes the connection, is disconnected', async () => {
    const closed = openings.map(async bytes => {
      const socket = connect({ port: endpoint.port, host: '127.0.0.1', allowHalfOpen: true })
      socket.on('error', () => {}).write(bytes)
      await once(socket.resume(), 'end')
      // Only a connection that the endpoint has closed refuses more.
      const sending = setInterval(() => socket.write('x'), 100)
      await new Promise(resolve => socket.on('close', resolve))
      clearInterval(sending)
    })
    await Promise.all(closed)
  })

  it('that never finishes a request delays the end by the limit at most, after a ping under way', async () => {
    const ending = await startNode(await settingsOn(stage), { isShort: true })
    await Promise.all(openings.map(bytes => openUnfinished(bytes, ending)))
    stage.setFaults({ match: onPut, answer: { kind: 'delay', byMs: 500 } })
    const answer = ask(ending, `/nic/update?hostname=${home}&myip=${second}`)
    await stage.received('PUT')
    const startedMs = performance.now()
    // Expects status 0.
    await ending.stop()
    expect(await answer).toMatchObject({ status: 200, body: `good ${second}\n` })
    expect(performance.now() - startedMs).toBeLessThan(limitMs + marginMs)
  })
})

describe('the address of a caller', () => {
  type Headers = Readonly<Record<string, string>>
  const nochg = `200 nochg ${first}\n`
  const badauth = '401 badauth\n'
  const unknown =
    '503 dnserr There is only an IPv6 address, or none, for the A record. Send the address in myip.\n'
  const https = { 'x-forwarded-proto': 'https' }
  const by = (hops: string): Headers => ({ ...https, 'x-forwarded-for': hops })

  async function answerTo({ port }: Started, headers: Headers): Promise<string> {
    const response = await fetch(`http://127.0.0.1:${port}/nic/update?hostname=${home}`, {
      headers: { authorization: `Basic ${btoa(`any:${password}`)}`, connection: 'close', ...headers },
    })
    return `${response.status} ${await response.text()}`
  }

  describe('behind proxies that are trusted', () => {
    let endpoint: Started
    beforeAll(async () => {
      const proxies = { TRUSTED_PROXIES: '127.0.0.0/8 10.0.0.0/8', PLAIN_HTTP: 'false' }
      // There, the peer is ::ffff:127.0.0.1.
      endpoint = await startNode({ ...(await settingsOn(stage)), ...proxies, HOST: '::' })
    })
    afterAll(() => endpoint.stop())

    it.each<[string, Headers, string]>([
      ['the rightmost one', by(`${second}, ${first}:4711`), nochg],
      ['unknown if the proxy does not say it', https, unknown],
      ['unknown if all hops are proxies', by('10.0.0.7'), unknown],
      // The names of schemes have no case (RFC 3986, section 3.1).
      ['believed by https in upper case', { ...by(first), 'x-forwarded-proto': 'HTTPS' }, nochg],
      ['refused by http to the last proxy', { ...by(first), 'x-forwarded-proto': 'https, http' }, badauth],
      ['refused without the scheme', { 'x-forwarded-for': first }, badauth],
    ])('is %s', async (_, headers, said) => {
      expect(await answerTo(endpoint, headers)).toBe(said)
    })

    it('is told of an endpoint with an IPv6 address, which a URL has in brackets', () => {
      expect(endpoint.output()).toContain(`Listening on http://[::]:${endpoint.port}`)
    })
  })

  it('is that of the connection if it is no trusted proxy', async () => {
    const settings = { ...(await settingsOn(stage)), TRUSTED_PROXIES: '192.0.2.1' }
    const [open, strict] = await Promise.all([
      startNode(settings),
      startNode({ ...settings, PLAIN_HTTP: 'false' }),
    ])
    expect(await answerTo(open, by(first))).toMatch(/^503 dnserr This address is private/)
    expect(await answerTo(strict, by(first))).toBe(badauth)
    await Promise.all([open.stop(), strict.stop()])
  })
})

it.each(runtimes)('hears what a monitor answers after the router has its answer, %s', async (_, start) => {
  const asked = Promise.withResolvers<ServerResponse>()
  const monitor = createServer((_, response) => asked.resolve(response))
  const HEARTBEAT_URL = `${await listen(monitor)}/abcdef`
  const endpoint = await start({ ...(await settingsOn(stage)), HEARTBEAT_URL, HOSTS: await hostLine(home) })
  expect(await ask(endpoint, `/nic/update?hostname=${home}&myip=${first}`)).toMatchObject({ status: 200 })
  const response = await asked.promise
  // A Worker whose request is over may be ended, and what it has under way with it.
  await setTimeout(100)
  response.writeHead(500).end()
  await expect.poll(endpoint.output).toContain('The monitor did not accept a heartbeat: it returned 500.')
  await endpoint.stop()
  monitor.close()
})

it('refuses to start on Node with wrong settings, and names each, and on a port that is taken', async () => {
  const wrong = await startNode({ PORT: 'x' }).catch(String)
  expect(wrong).toContain('Ended with status 2:')
  // Each is an object in a line of its own.
  for (const name of ['API_TOKEN', 'ZONE_ID', 'HOSTS', 'PORT'])
    expect(wrong).toMatch(new RegExp(`^\\{[^{}]*"message":"${name} [^{}]*\\}$`, 'm'))
  const settings = await settingsOn(stage)
  const taken = startNode({ ...settings, PORT: new URL(`${settings['BASE_URL']}`).port })
  await expect(taken).rejects.toThrow(/status 1:\n.*"Cannot listen on 127\.0\.0\.1 port \d+: EADDRINUSE"/)
})

it('gives a request ten seconds on Node, and ten more to what is open when it ends', async () => {
  const listening = vi.spyOn(Server.prototype, 'listen').mockReturnThis()
  const started = vi.spyOn(globalThis, 'setTimeout')
  const signals = vi.spyOn(process, 'on').mockReturnThis()
  const said = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  for (const [name, value] of Object.entries(await settingsOn(stage))) vi.stubEnv(name, value)
  await serve()
  expect(listening.mock.contexts).toMatchObject([{ requestTimeout: 10_000 }])
  signals.mock.calls.find(([name]) => name === 'SIGTERM')?.[1]()
  expect(started.mock.lastCall?.[1]).toBe(10_000)
  clearTimeout(started.mock.results.at(-1)?.value)
  for (const spy of [listening, started, signals, said]) spy.mockRestore()
  vi.unstubAllEnvs()
})

it('sends the token on Node through HTTPS_PROXY only', async () => {
  const { url, seen, close } = await startProxy('HTTP/1.1 502 Bad Gateway\r\n\r\n')
  const settings = { ...(await settingsOn(stage)), BASE_URL: 'https://api.example.test' }
  const endpoint = await startNode({ ...settings, HTTPS_PROXY: url })
  const answer = await ask(endpoint, `/nic/update?hostname=${home}&myip=${first}`)
  expect(answer).toMatchObject({ status: 503, body: '911\n' })
  expect(new Set(seen)).toEqual(new Set(['CONNECT api.example.test:443 undefined']))
  await endpoint.stop()
  close()
})

it.each([
  [{ https_proxy: 'localhost:3128' }, /^https_proxy is not the URL of an HTTP proxy/],
  [{ ALL_PROXY: 'socks5://127.0.0.1:1080' }, /^ALL_PROXY would be ignored: all requests use https\./],
])('refuses to start with a proxy that would be ignored: %j', async (env, problem) => {
  const reading = readEnvironment({ ...(await settingsOn(stage)), ...env }, () => {})
  expect(reading).toEqual({ problems: [expect.stringMatching(problem)] })
})
