import { once } from 'node:events'
import { createServer as createWebServer } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, connect, createServer, Socket } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { expect, it, vi } from 'vitest'
import { exchange } from '../../action/http.ts'
import { broken, failure, type HttpRequest, parseRetryAfter } from '../../lib/exchange.ts'
import { createAuthority } from '../../sandbox/http/certificates.ts'
import { listen } from '../support/listen.ts'
import { timeLimit } from '../support/time-limit.ts'

/** Asks a server, by default with time and room enough. */
const ask = (url: string, request: Partial<HttpRequest> = {}) =>
  exchange({ method: 'GET', url, headers: {}, timeoutMs: timeLimit(30_000), maxBytes: 99, ...request })

it('closes the connection of a request that timed out', async () => {
  const server = createServer(() => undefined)
  const url = await listen(server)
  const connected = once(server, 'connection') as Promise<[Socket]>
  const outcome = ask(url, { timeoutMs: 500 })
  const [socket] = await connected
  // Read to the end, or the server does not see it.
  socket.resume().on('error', () => undefined)
  const closed = once(socket, 'close', { signal: AbortSignal.timeout(timeLimit(30_000)) })
  try {
    expect(await outcome).toMatchObject({ kind: 'failure', cause: 'timeout' })
    await closed
  } finally {
    socket.destroy()
    server.close()
  }
})

it('tells a connection that was reset, which is worth a second attempt, from one that was refused', async () => {
  const server = createServer(socket => socket.once('data', () => socket.resetAndDestroy()))
  const url = await listen(server)
  expect(await ask(url)).toMatchObject(failure('reset', 'no response (ECONNRESET)'))
  await new Promise(resolve => server.close(resolve))
  expect(await ask(url)).toMatchObject(failure('network', 'no response (ECONNREFUSED)'))
})

it('reports a connection that ends by another protocol, without a response', async () => {
  const server = createServer(socket =>
    socket.on('data', () => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n')
    }),
  )
  const url = await listen(server)
  expect(await ask(url)).toMatchObject({ cause: 'network' })
  server.close()
})

it('sends nothing that is not needed any more', async () => {
  const outcome = await ask('http://127.0.0.1:9', { signal: AbortSignal.abort() })
  expect(outcome).toMatchObject({ cause: 'aborted' })
})

it('reports a header that cannot be sent as a failure', async () => {
  const outcome = await ask('http://127.0.0.1:9', { headers: { authorization: 'line\nbreak' } })
  expect(outcome).toMatchObject(failure('network', 'no response (ERR_INVALID_CHAR)'))
})

it('says what ENOTFOUND means', () => {
  const { detail } = broken(false, Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' }))
  expect(detail).toBe('this machine cannot resolve its name (ENOTFOUND)')
})

it('asks a host over the address family of the request only, and reads no more than its limit', async () => {
  const server = createWebServer((_, response) => response.end('ok'))
  const url = (await listen(server)).replace('127.0.0.1', 'localhost')
  expect(await ask(url, { family: 4, maxBytes: 2 })).toMatchObject({ kind: 'response' })
  expect(await ask(url, { family: 6 })).toMatchObject({ kind: 'failure' })
  expect(await ask(url, { maxBytes: 1 })).toMatchObject({ cause: 'too-large' })
  server.close()
})

it('goes through the proxy in https_proxy, and keeps the tunnel for the next request', async () => {
  const authority = await createAuthority()
  const trusted = getCACertificates('default')
  setDefaultCACertificates([...trusted, authority.pem])
  const origin = createHttpsServer(
    { ...authority.fallback, SNICallback: (name, done) => done(null, authority.contextFor(name)) },
    (request, response) => response.end(request.headers.host),
  ).listen(0, '127.0.0.1')
  await once(origin, 'listening')
  const asked: string[] = []
  const givenUp = Promise.withResolvers<void>()
  const proxy = createWebServer().on('connect', ({ url, headers }, socket) => {
    if (url === 'silent.test:443') return void socket.resume().once('end', givenUp.resolve)
    asked.push(`${url} ${headers['proxy-authorization']}`)
    const onward = connect((origin.address() as AddressInfo).port, '127.0.0.1')
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
    socket.pipe(onward).pipe(socket)
    for (const end of [socket, onward]) end.on('error', () => undefined)
  })
  vi.stubEnv('https_proxy', (await listen(proxy)).replace('//', '//user:50%25%20off@'))
  try {
    const connecting = vi.spyOn(Socket.prototype, 'connect')
    expect(await ask('https://dns.test')).toMatchObject({ status: 200, body: 'dns.test' })
    const [toProxy] = connecting.mock.calls.flat(2)
    connecting.mockRestore()
    expect(toProxy).toMatchObject({ autoSelectFamilyAttemptTimeout: 3000 })
    expect(await ask('https://dns.test')).toMatchObject({ status: 200 })
    // Its certificate is for names.
    expect(await ask('https://[2001:db8::1]:8443')).toMatchObject({ cause: 'untrusted' })
    const credentials = Buffer.from('user:50% off').toString('base64')
    expect(asked).toEqual(['dns.test:443', '[2001:db8::1]:8443'].map(host => `${host} Basic ${credentials}`))
    expect(await ask('https://silent.test', { timeoutMs: 1500 })).toMatchObject({ cause: 'timeout' })
    await givenUp.promise
    proxy.close()
    expect(await ask('https://other.test')).toMatchObject({
      detail: 'the proxy in https_proxy: no response (ECONNREFUSED)',
    })
  } finally {
    vi.unstubAllEnvs()
    setDefaultCACertificates(trusted)
    origin.close()
    origin.closeAllConnections()
  }
})

it.each<[string | null, number | null]>([
  ['30', 30_000],
  ['Sat, 21 Nov 2026 08:00:10 GMT', 10_000],
  ['Sat, 21 Nov 2026 07:00:00 GMT', 0],
  [null, null],
  ['x GMT', null],
  ['-1', null],
  ['1.5', null],
  ['2026-11-21', null],
  ['99999999999', null],
])('Retry-After %s is a wait of %s ms', (value, waitMs) => {
  expect(parseRetryAfter(value, Date.parse('Sat, 21 Nov 2026 08:00:00 GMT'))).toBe(waitMs)
})
