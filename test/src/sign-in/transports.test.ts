import { createServer as createHttpsServer } from 'node:https'
import { createServer, type Server, type Socket } from 'node:net'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { createFetchExchange } from '../../../lib/fetch-exchange.ts'
import { createAuthority } from '../../../sandbox/http/certificates.ts'
import { createNodeTransport } from '../../../src/node/transport.ts'
import { openD1Store } from '../../../src/operator/open-store.ts'
import { createTransport } from '../../../src/sign-in/transport.ts'
import { listen, startProxy } from '../../support/listen.ts'
import { startInProcess } from '../support/in-process.ts'

/** Starts a server that answers with these bytes, then hangs up or waits. */
async function serve(bytes: string, end: boolean): Promise<string> {
  server = createServer(socket => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('data', () => {
      socket.write(bytes)
      if (end) socket.end()
    })
  })
  return `${await listen(server)}/`
}

let server: Server | undefined
const sockets = new Set<Socket>()
afterEach(() => {
  for (const socket of sockets) socket.destroy()
  sockets.clear()
  server?.close()
})

describe.each([
  { name: 'node:http', transport: createNodeTransport() },
  { name: 'fetch', transport: createTransport(createFetchExchange()) },
])('requests to the provider with $name', ({ transport }) => {
  const ask = async (bytes: string, end: boolean, limitMs = 10_000) =>
    transport(await serve(bytes, end), { method: 'GET', headers: {} }, limitMs)

  it.each([
    ['a protocol upgrade', 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'],
    ['half of the promised bytes', 'HTTP/1.1 200 OK\r\ncontent-length: 20\r\n\r\n{"a":'],
    ['one chunk without an end', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{"a":\r\n'],
    ['no bytes', ''],
  ])('fail in time after %s', async (_, bytes) => {
    const failed = { failure: expect.stringMatching(/no-answer|timeout/) }
    for (const end of [true, false]) await expect(ask(bytes, end, 150)).rejects.toMatchObject(failed)
  })

  it('have one limit for a whole response that comes byte by byte', async () => {
    const url = await serve('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n', false)
    const drip = setInterval(() => {
      for (const socket of sockets) if (socket.bytesWritten > 0) socket.write('a')
    }, 20)
    const response = transport(url, { method: 'GET', headers: {} }, 150)
    await expect(response.finally(() => clearInterval(drip))).rejects.toMatchObject({ failure: 'timeout' })
  })

  it('read 64 KiB and not a byte more', async () => {
    const bytes = (length: number) =>
      `HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n${'a'.repeat(length)}`
    expect((await ask(bytes(65_536), true)).text).toHaveLength(65_536)
    await expect(ask(bytes(65_537), true)).rejects.toMatchObject({ failure: 'too-large' })
  })

  it('return a redirect and do not follow it', async () => {
    const bytes = 'HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:9/\r\ncontent-length: 0\r\n\r\n'
    expect(await ask(bytes, false)).toMatchObject({ status: 302, text: '' })
  })
})

// `test/docs/node-releases.test.ts` signs in through a proxy.
describe('a proxy between the handler and the provider', () => {
  async function start() {
    const { url, seen, close } = await startProxy('HTTP/1.1 502 Bad Gateway\r\n\r\n')
    onTestFinished(close)
    return { url: url.replace('//', '//user:pass@'), seen }
  }
  const asked = (host: string) => [`CONNECT ${host}:443 Basic ${btoa('user:pass')}`]

  it('tunnels https, except to the hosts of the exception list', async () => {
    const { url, seen } = await start()
    const transport = createNodeTransport({ HTTPS_PROXY: url, NO_PROXY: 'graph.invalid' })
    for (const to of ['https://login.invalid/token', 'https://graph.invalid/me'])
      await expect(transport(to, { method: 'GET', headers: {} }, 5000)).rejects.toMatchObject({
        failure: 'no-answer',
      })
    expect(seen).toEqual(asked('login.invalid'))
  })

  it.each(['HTTPS_PROXY', 'https_proxy'])('tunnels the employees command to D1 with %s', async name => {
    const { url, seen } = await start()
    const access = { accountId: 'a', databaseId: 'd', token: 't', apiUrl: 'https://api.invalid/client/v4' }
    for (const NO_PROXY of ['api.invalid', '']) {
      expect(seen).toEqual([])
      const store = openD1Store({ ...access, proxyEnv: { [name]: url, NO_PROXY } })
      await expect(store.query('SELECT 1')).rejects.toThrow('did not answer')
      await store.close()
    }
    expect(seen).toEqual(asked('api.invalid'))
  })
})

it('a certificate of the provider that is not trusted is a problem of its own, with what to do in the log', async () => {
  const authority = await createAuthority()
  const provider = createHttpsServer(authority.issue('127.0.0.1'))
  const instance = (await listen(provider)).replace('http:', 'https:')
  try {
    const handler = startInProcess({ INSTANCE: instance, GRAPH_URL: instance }, {}, createNodeTransport())
    const { answer } = await handler.signIn()
    expect([answer.status, await answer.json()]).toMatchObject([500, { code: 'tls-untrusted' }])
    expect(handler.logged.at(-1)).toMatchObject({
      code: 'tls-untrusted',
      providerError: 'SELF_SIGNED_CERT_IN_CHAIN',
      message: expect.stringMatching(/NODE_EXTRA_CA_CERTS.*NODE_USE_SYSTEM_CA/),
    })
    const store = openD1Store({ apiUrl: instance, accountId: 'a', databaseId: 'd', token: 't' })
    await expect(store.query('SELECT 1')).rejects.toThrow(/NODE_EXTRA_CA_CERTS/)
  } finally {
    provider.close()
    provider.closeAllConnections()
  }
})
