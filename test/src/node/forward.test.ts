import { createServer, type RequestListener } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rangeOf } from '../../../lib/ip-address.ts'
import { isTrustedPeer } from '../../../lib/trusted-proxies.ts'
import { createHandler } from '../../../src/app.ts'
import { type SessionState, StoreFailure } from '../../../src/employees/employee-store.ts'
import { createForwardAdapter } from '../../../src/node/forward.ts'
import { createGeneralListener } from '../../../src/node/listener.ts'
import { rememberSessions } from '../../../src/session/seal.ts'
import { createSession, type Session, sealSession } from '../../../src/session/session.ts'
import { listen } from '../../support/listen.ts'
import { send as sendBytes } from '../../support/send.ts'
import { pairOf, sessionState, startInProcess } from '../support/in-process.ts'

/** What the store says about a session: each signed-in person gets it by their id. */
async function checkSession(_sessionId: string, id: string): Promise<SessionState> {
  if (id === 'down') throw new StoreFailure('timeout')
  const userName = id === 'surrogate' ? '\uD800' : `Zoë ${id}%`
  const employee = { id, userName, isActive: true, isAdmin: false }
  return { ...sessionState, employee, sessionEnded: id === 'ended' }
}

const hour = 3_600_000
const settings = {
  REDIRECT_URI: 'https://people.example.com/in/auth/callback,https://wiki.example.com/in/auth/callback',
  BASE_PATH: '/in',
  EMAIL_HEADER: 'true',
  SESSION_IDLE: '1h',
  AUTO_SIGN_IN: 'true',
}
// Its clock stands still, so that both ways send the same.
const app = startInProcess(settings, { checkSession })
const { sessions, logged } = app
const handler = createHandler(app.parts)
const trusted = [rangeOf('127.0.0.1', 32, 4)]
const general = createGeneralListener(handler.app, trusted)
const adapter = createForwardAdapter(handler, ({ socket }) => isTrustedPeer(socket.remoteAddress, trusted))
let answeredDirectly = 0

const serverOf = (listener: RequestListener) =>
  Object.assign(createServer({ maxHeaderSize: 65_536 }, listener), { maxHeadersCount: 0 })

const ways = {
  router: serverOf(general),
  direct: serverOf((incoming, outgoing) => {
    if (adapter(incoming, outgoing)) answeredDirectly += 1
    else general(incoming, outgoing)
  }),
}
const ports: Record<string, number> = {}
beforeAll(async () => {
  for (const [way, server] of Object.entries(ways)) ports[way] = Number(new URL(await listen(server)).port)
})
afterAll(() => {
  for (const server of Object.values(ways)) server.close()
})

/** Sends bytes, and returns all that comes back without what differs from answer to answer. */
async function send(way: keyof typeof ways, bytes: string, from = '127.0.0.1'): Promise<string> {
  const { raw } = await sendBytes(ports[way] ?? 0, bytes, { from })
  return raw.replaceAll(/(?<=x-correlation-id: |date: |"correlationId":"|-session=[\w-]+\.)[^";\r]+/gi, '…')
}

async function cookieOf(id: string, change: Partial<Session> = {}) {
  const claims = { username: `Zoë ${id}%`, resourceId: id, isAdmin: 0 } as const
  const { session } = await createSession(sessions, claims, { host: 'people.example.com', boundTo: 'D1' })
  return pairOf(await sealSession(sessions, { ...session, ...change }))
}

const get = (target: string, ...headers: string[]) =>
  [`GET ${target} HTTP/1.1`, 'Connection: close', ...headers, '', ''].join('\r\n')
const forward = '/in/api/auth/forward'
const host = 'Host: people.example.com'

/** Returns requests by whether node:http and Request read them alike. */
async function requests() {
  const of = async (...parts: Parameters<typeof cookieOf>) => `Cookie: a=1; ${await cookieOf(...parts)}; b=2`
  const ada = await of('ada')
  const post = `${get(forward, host, ada, 'Content-Length: 2').replace('GET', 'POST')}{}`
  return {
    direct: {
      signedIn: get(forward, host, ada),
      email: get(forward, host, await of('ada', { email: 'zoë@example.com' })),
      rest: get(`${forward}?cookie=rest`, host, ada),
      redirect: get(`${forward}?navigate=redirect`, host, ada),
      assertion: get(`${forward}?assertion=yes&cookie=rest`, host, ada),
      'unknown parameters': get(`${forward}?cookie=all&path=&x=%41`, host, ada),
      'its own host': get(forward, 'Host: wiki.example.com', await of('ada', { host: 'wiki.example.com' })),
      'a forwarded host': get(
        forward,
        'Host: auth:8080',
        'X-Forwarded-Host: WIKI.example.com',
        await of('ada', { host: 'wiki.example.com' }),
      ),
      'a port': get(forward, 'Host: people.example.com:443', ada),
      'many headers': get(forward, host, ada, ...Array.from({ length: 1200 }, (_, at) => `X-H${at}: ${at}`)),
      'signed out, redirect': get(
        `${forward}?navigate=redirect`,
        host,
        'Accept: text/html',
        'X-Forwarded-Uri: /a?b',
      ),
      'no cookie': get(forward, host),
      'to be renewed': get(forward, host, await of('ada', { seenAt: app.now - hour / 2 })),
      ended: get(forward, host, await of('ended')),
      'a store that fails': get(forward, host, await of('down')),
      'a name that no header can hold': get(forward, host, await of('surrogate')),
      'a header of ours': get(forward, host, ada, 'X_Homeport_Username: root'),
    },
    router: {
      'rest, beyond ASCII': get(`${forward}?cookie=rest`, host, `${ada}; c=é`),
      'two cookie headers': get(forward, host, ada, 'Cookie: c=3'),
      'an unknown host': get(forward, 'Host: other.example.com', ada),
      capitals: get(forward, 'Host: People.Example.com', ada),
      'a host that is a number': get(forward, 'Host: 1', ada),
      'a doubled header': get(forward, host, ada, 'Accept: a', 'Accept: b'),
      'HTTP/1.0': get(forward, host, ada).replace('HTTP/1.1', 'HTTP/1.0'),
      HEAD: get(forward, host, ada).replace('GET', 'HEAD'),
      POST: post,
      'a body': post.replace('POST', 'GET'),
      'an absolute target': get(`http://people.example.com${forward}`, host, ada),
      'another path': get(`${forward}x`, host, ada),
      'an encoded path': get('/in/api/auth/%66orward', host, ada),
      'a malformed target': get('//', host, ada),
    },
  }
}

describe('the forward check of node:http', async () => {
  const { direct, router } = await requests()
  const table: Readonly<Record<string, string>> = { ...direct, ...router }

  it.each(Object.keys(table))('is the same as the router’s, byte for byte: %s', async name => {
    const text = table[name] ?? ''
    const before = answeredDirectly
    const start = logged.length
    expect(await send('direct', text)).toBe(await send('router', text))
    expect(answeredDirectly - before).toBe(name in direct ? 1 : 0)
    const lines = logged.slice(start).map(({ correlationId: _, durationMs: __, ...line }) => line)
    expect(lines).toHaveLength(2)
    expect(lines[1]).toEqual(lines[0])
  })
})

// workerd refuses most of these requests before a Worker gets them.
describe('on the wire, the handler', () => {
  it('believes what a request says about its host and its page only of a trusted proxy', async () => {
    const cookie = `Cookie: ${await cookieOf('ada', { host: 'wiki.example.com' })}`
    const text = get(forward, host, 'X-Forwarded-Host: wiki.example.com', cookie)
    const navigation = ['Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: document', 'X-Forwarded-Uri: /tickets/7']
    const page = get(`${forward}?navigate=redirect`, host, ...navigation)
    for (const way of ['router', 'direct'] as const) {
      expect(await send(way, text)).toMatch('HTTP/1.1 204 ')
      expect(await send(way, text, '127.0.0.2')).toMatch('HTTP/1.1 401 ')
      expect(await send(way, page)).toMatch(/\nlocation: .*return=\/tickets\/7\r/i)
      expect(await send(way, page, '127.0.0.2')).toMatch(/\nlocation: .*return=\r/i)
    }
  })

  it.each([
    ['GET /', 'a b'],
    ['GET /', 'x/y'],
    ['OPTIONS *', 'x'],
  ])('answers the unreadable request %s for %s with every security header', async (line, name) => {
    const text = await send('router', `${line} HTTP/1.1\r\nHost: ${name}\r\nConnection: close\r\n\r\n`)
    expect(text).toMatch('HTTP/1.1 421 ')
    expect(text).toContain("\r\ncontent-security-policy: default-src 'none'; frame-ancestors 'none'\r\n")
    expect(text).toContain('"code":"wrong-host"')
  })
})

it('forgets the oldest unsealed cookie first, and keeps none that does not open', async () => {
  let opened = 0
  const open = async (_: string, sealed: string) => {
    opened += 1
    return sealed === 'junk' ? null : sealed
  }
  const counting = rememberSessions({ seal: async () => '', open }, 2)
  for (const text of ['a', 'b', 'a', 'junk', 'junk', 'c', 'b', 'c', 'a']) await counting.open('session', text)
  // a, b, junk, junk, c and, since c replaced it, a.
  expect(opened).toBe(6)
  await counting.open('transaction', 'b')
  await counting.open('session', 'b', 'context')
  expect(opened).toBe(8)
})
