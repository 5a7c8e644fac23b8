import { createServer, type RequestListener } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rangeOf } from '../../../lib/ip-address.ts'
import { createApp, shareChecks } from '../../../src/app.ts'
import { type EmployeeStore, StoreFailure } from '../../../src/employees/employee-store.ts'
import type { LogEntry } from '../../../src/http/log.ts'
import { createListener } from '../../../src/http/node-listener.ts'
import { createDirectForward } from '../../../src/session/direct-forward.ts'
import { nodeCryptography } from '../../../src/session/node-cryptography.ts'
import { createSealer, rememberSessions } from '../../../src/session/seal.ts'
import { createSession, sealSession } from '../../../src/session/session.ts'
import { listen } from '../../support/listen.ts'
import { send as sendBytes } from '../../support/send.ts'
import { pairOf, providerOf, settingsWith, storeOfOne } from '../support/in-process.ts'

/** The employees of the store: each signed-in person gets what the store says about them. */
const store: EmployeeStore = {
  ...storeOfOne,
  async checkSession(_sessionId, id) {
    if (id === 'down') throw new StoreFailure('timeout')
    const employee = {
      id,
      userName: id === 'surrogate' ? '\uD800' : `Zoë ${id}%`,
      isActive: id !== 'gone',
      isAdmin: id === 'boss',
    }
    return { employee, sharesId: false, sessionEnded: id === 'ended', employeeEnded: false, boundTo: 'D1' }
  },
}

const settings = settingsWith({
  REDIRECT_URI: 'https://people.example.com/in/auth/callback,https://wiki.example.com/in/auth/callback',
  BASE_PATH: '/in',
  EMAIL_HEADER: 'true',
  SESSION_IDLE: '1h',
})
const sealer = rememberSessions(createSealer(settings.sessionKeys, nodeCryptography), 4)
// A clock that stands still, so that both ways send the same.
const now = Date.now()
const shared = shareChecks(settings, sealer, () => now)
const trusted = [rangeOf('127.0.0.1', 32, 4)]

/** Starts a server with the router alone, or with the direct answer before it. */
function start(isDirect: boolean) {
  const logged: LogEntry[] = []
  const log = (entry: LogEntry) => void logged.push(entry)
  let direct = 0
  const app = createApp({ settings, employees: store, log, transport: providerOf(), shared })
  const answer = createDirectForward({
    ...shared,
    settings,
    employees: store,
    log,
    isProxyTrusted: () => true,
  })
  const counted: typeof answer = (incoming, outgoing, otherwise) => {
    direct += 1
    answer(incoming, outgoing, check => {
      direct -= 1
      otherwise(check)
    })
  }
  const listener: RequestListener = createListener(app, trusted, isDirect ? counted : null)
  const server = createServer({ maxHeaderSize: 65_536 }, listener)
  server.maxHeadersCount = 0
  return { server, logged, direct: () => direct }
}

const ways = { router: start(false), direct: start(true) }
const ports: Record<string, number> = {}
beforeAll(async () => {
  for (const [way, { server }] of Object.entries(ways))
    ports[way] = Number(new URL(await listen(server)).port)
})
afterAll(() => {
  for (const { server } of Object.values(ways)) server.close()
})

/** Sends bytes, and returns all that comes back without what differs from answer to answer. */
async function send(way: keyof typeof ways, bytes: string, from = '127.0.0.1'): Promise<string> {
  const { raw } = await sendBytes(ports[way] ?? 0, bytes, { from })
  return raw.replaceAll(/(?<=x-correlation-id: |date: |"correlationId":"|-session=[\w-]+\.)[^";\r]+/gi, '…')
}

async function cookieOf(id: string, host = 'people.example.com', age = 0, email: string | null = null) {
  const claims = { username: `Zoë ${id}%`, resourceId: id, isAdmin: id === 'boss' ? 1 : 0 } as const
  const { session, setCookie } = await createSession(shared.sessions, claims, { host, boundTo: 'D1', email })
  if (age === 0) return pairOf(setCookie)
  return pairOf(
    await sealSession(shared.sessions, {
      ...session,
      issuedAt: session.issuedAt - age,
      seenAt: session.seenAt - age,
    }),
  )
}

const get = (target: string, ...headers: string[]) =>
  [`GET ${target} HTTP/1.1`, 'Connection: close', ...headers, '', ''].join('\r\n')
const forward = '/in/api/auth/forward'
const host = 'Host: people.example.com'

/** Returns requests by whether their answer needs the router. */
async function requests() {
  const of = async (...parts: Parameters<typeof cookieOf>) => `Cookie: a=1; ${await cookieOf(...parts)}; b=2`
  const ada = await of('ada')
  const post = `${get(forward, host, ada, 'Content-Length: 2').replace('GET', 'POST')}{}`
  return {
    direct: {
      signedIn: get(forward, host, ada),
      administrator: get(forward, host, await of('boss')),
      email: get(forward, host, await of('ada', 'people.example.com', 0, 'zoë@example.com')),
      rest: get(`${forward}?cookie=rest`, host, ada),
      redirect: get(`${forward}?navigate=redirect`, host, ada),
      assertion: get(`${forward}?assertion=yes&cookie=rest`, host, ada),
      'unknown parameters': get(`${forward}?cookie=all&path=&x=%41`, host, ada),
      'its own host': get(forward, 'Host: wiki.example.com', await of('ada', 'wiki.example.com')),
      'a forwarded host': get(
        forward,
        'Host: auth:8080',
        'X-Forwarded-Host: WIKI.example.com',
        await of('ada', 'wiki.example.com'),
      ),
      'a port': get(forward, 'Host: people.example.com:443', ada),
      'many headers': get(forward, host, ada, ...Array.from({ length: 1200 }, (_, at) => `X-H${at}: ${at}`)),
    },
    router: {
      'rest, beyond ASCII': get(`${forward}?cookie=rest`, host, `${ada}; c=é`),
      'unknown assertion': get(`${forward}?assertion=no`, host, ada),
      open: get(`${forward}?path=open`, host, ada),
      'signed out, redirect': get(
        `${forward}?navigate=redirect`,
        host,
        'Accept: text/html',
        'X-Forwarded-Uri: /a?b',
      ),
      'no cookie': get(forward, host),
      'a broken cookie': get(forward, host, ada.replace('; b=2', 'x; b=2')),
      'the cookie twice': get(forward, host, `${ada}; ${ada.slice(8)}`),
      'two cookie headers': get(forward, host, ada, 'Cookie: c=3'),
      'another host': get(forward, 'Host: wiki.example.com', ada),
      'an unknown host': get(forward, 'Host: other.example.com', ada),
      capitals: get(forward, 'Host: People.Example.com', ada),
      'a host that is a number': get(forward, 'Host: 1', ada),
      'no host': get(forward, ada),
      idle: get(forward, host, await of('ada', 'people.example.com', 3_600_000)),
      'to be renewed': get(forward, host, await of('ada', 'people.example.com', 1_800_000)),
      ended: get(forward, host, await of('ended')),
      inactive: get(forward, host, await of('gone')),
      'a store that fails': get(forward, host, await of('down')),
      'a name that no header can hold': get(forward, host, await of('surrogate')),
      'a header of ours': get(forward, host, ada, 'X_Homeport_Username: root'),
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

describe('the direct answer', async () => {
  const { direct: answeredDirectly, router } = await requests()
  const table: Readonly<Record<string, string>> = { ...answeredDirectly, ...router }

  it.each(Object.keys(table))('is the same as the router’s, byte for byte: %s', async name => {
    const text = table[name] ?? ''
    const before = ways.direct.direct()
    for (const { logged } of Object.values(ways)) logged.length = 0
    const [router, direct] = [await send('router', text), await send('direct', text)]
    expect(direct).toBe(router)
    expect(ways.direct.direct() - before).toBe(name in answeredDirectly ? 1 : 0)
    const lines = Object.values(ways).map(({ logged }) =>
      logged.map(({ correlationId: _, durationMs: __, ...line }) => line),
    )
    expect(lines[1]).toEqual(lines[0])
  })
})

// workerd refuses most of these requests before a Worker gets them.
describe('on the wire, the handler', () => {
  it('believes what a request says about its host only of a trusted proxy', async () => {
    const cookie = `Cookie: ${await cookieOf('ada', 'wiki.example.com')}`
    const text = get(forward, host, 'X-Forwarded-Host: wiki.example.com', cookie)
    expect(await send('router', text)).toMatch('HTTP/1.1 204 ')
    expect(await send('router', text, '127.0.0.2')).toMatch('HTTP/1.1 401 ')
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
