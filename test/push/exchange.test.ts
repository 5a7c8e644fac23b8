import { createServer } from 'node:http'
import { Socket } from 'node:net'
import { expect, it, vi } from 'vitest'
import { exchange as onWorker } from '../../push/exchange.ts'
import { exchange as onNode } from '../../push/node-exchange.ts'
import { listen } from '../support/listen.ts'
import { timeLimit } from '../support/time-limit.ts'

const request = { method: 'GET', headers: {}, timeoutMs: timeLimit(30_000), maxBytes: 100 } as const

it('a connection on Node is used again, and closed while it is idle before servers do, which need not tell', async () => {
  let connections = 0
  const server = createServer((_, response) => response.end('ok')).on('connection', () => connections++)
  // Without it, responses have no Keep-Alive.
  server.keepAliveTimeout = 0
  const url = await listen(server)
  const set = vi.spyOn(Socket.prototype, 'setTimeout')
  for (let sent = 0; sent < 2; sent++) await onNode({ ...request, url })
  expect(connections).toBe(1)
  const isOwn = (socket: unknown) => (socket as Socket).remotePort === Number(new URL(url).port)
  const limits = set.mock.calls.filter((_, call) => isOwn(set.mock.contexts[call])).map(([ms]) => ms)
  expect(limits.at(-1)).toBe(4000)
  set.mockRestore()
  server.closeAllConnections()
  server.close()
})

it('a response that is cut off on a Worker is told from none', async () => {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'Content-Length': 9 }).write('x', () => response.destroy())
  })
  expect(await onWorker({ ...request, url: await listen(server) })).toMatchObject({ cause: 'cut' })
  server.close()
})

it('an error of fetch names what broke if it has no cause, as on a Worker', async () => {
  vi.stubGlobal('fetch', () => Promise.reject(new Error('Network connection lost.')))
  const detail = 'no response ("Network connection lost.")'
  expect(await onWorker({ ...request, url: 'https://api.example' })).toMatchObject({
    cause: 'network',
    detail,
  })
  vi.unstubAllGlobals()
})
