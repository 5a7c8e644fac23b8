import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { exchange as onWorker } from '../../push/exchange.ts'
import { exchange as onNode } from '../../push/node-exchange.ts'
import { listen } from '../support/listen.ts'
import { timeLimit } from '../support/time-limit.ts'

/** How a service answers at each path. */
const answers: Readonly<Record<string, (response: ServerResponse) => void>> = {
  '/error': response => response.writeHead(500, { 'Retry-After': '7' }).end('no'),
  '/cut': response => response.writeHead(200, { 'Content-Length': 9 }).write('x', () => response.destroy()),
}

describe.each([
  ['on Node', onNode],
  ['on a Worker', onWorker],
])('a request of the endpoint %s', (_, exchange) => {
  const heard: { readonly url: string | undefined; readonly headers: IncomingHttpHeaders }[] = []
  const server = createServer(({ url, headers }, response) => {
    heard.push({ url, headers })
    answers[url ?? '']?.(response)
  })
  let origin = ''
  beforeAll(async () => {
    origin = await listen(server)
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })

  it.each([
    ['/error', { kind: 'response', status: 500, body: 'no', retryAfterMs: 7000 }],
    ['/cut', { kind: 'failure', cause: 'cut' }],
  ])('is sent once to %s, with what it was given', async (path, outcome) => {
    heard.length = 0
    const headers = { authorization: 'Bearer x', 'content-type': 'text/plain' }
    const request = { method: 'POST', url: origin + path, headers, body: 'moved' } as const
    const limits = { timeoutMs: timeLimit(30_000), maxBytes: 65_536 }
    expect(await exchange({ ...request, ...limits })).toMatchObject(outcome)
    expect(heard).toMatchObject([{ url: path, headers: { ...headers, 'user-agent': 'homeport-push' } }])
  })
})

it('a connection on Node is used again, and closed while it is idle before servers do, which need not tell', async () => {
  let connections = 0
  const server = createServer((_, response) => response.end('ok')).on('connection', () => connections++)
  // Without it, responses have no Keep-Alive.
  server.keepAliveTimeout = 0
  const url = await listen(server)
  const set = vi.spyOn(Socket.prototype, 'setTimeout')
  for (let sent = 0; sent < 2; sent++)
    await onNode({ method: 'GET', url, headers: {}, timeoutMs: timeLimit(30_000), maxBytes: 100 })
  expect(connections).toBe(1)
  const isOwn = (socket: unknown) => (socket as Socket).remotePort === Number(new URL(url).port)
  const limits = set.mock.calls.filter((_, call) => isOwn(set.mock.contexts[call])).map(([ms]) => ms)
  expect(limits.at(-1)).toBe(4000)
  set.mockRestore()
  server.closeAllConnections()
  server.close()
})

it('an error of fetch names what broke if it has no cause, as on a Worker', async () => {
  vi.stubGlobal('fetch', () => Promise.reject(new Error('Network connection lost.')))
  const request = {
    method: 'GET',
    url: 'https://api.example',
    headers: {},
    timeoutMs: 5000,
    maxBytes: 100,
  } as const
  expect(await onWorker(request)).toMatchObject({
    kind: 'failure',
    cause: 'network',
    detail: 'no response ("Network connection lost.")',
  })
  vi.unstubAllGlobals()
})
