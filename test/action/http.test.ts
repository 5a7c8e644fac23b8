import { once } from 'node:events'
import { createServer as createWebServer } from 'node:http'
import { createServer, type Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { parseRetryAfter } from '../../action/exchange.ts'
import { exchange } from '../../action/http.ts'
import { listen } from '../support/listen.ts'

it('closes the connection of a request that timed out', async () => {
  const server = createServer(() => undefined)
  const url = await listen(server)
  const connected = once(server, 'connection') as Promise<[Socket]>
  const outcome = exchange({ method: 'GET', url, headers: {}, timeoutMs: 500, maxBytes: 1 })
  const [socket] = await connected
  // Read to the end, or the server does not see it.
  socket.resume().on('error', () => undefined)
  const closed = once(socket, 'close', { signal: AbortSignal.timeout(2000) })
  try {
    expect(await outcome).toMatchObject({ kind: 'failure', cause: 'timeout' })
    await closed
  } finally {
    socket.destroy()
    server.close()
  }
})

it('asks a host over the address family of the request only', async () => {
  const server = createWebServer((_, response) => response.end('ok'))
  const url = (await listen(server)).replace('127.0.0.1', 'localhost')
  const ask = (family: 4 | 6) =>
    exchange({ method: 'GET', url, headers: {}, timeoutMs: 2000, maxBytes: 9, family })
  expect([await ask(4), await ask(6)]).toMatchObject([{ kind: 'response' }, { kind: 'failure' }])
  server.close()
})

describe('Retry-After', () => {
  const now = Date.parse('Sat, 21 Nov 2026 08:00:00 GMT')

  it.each([
    ['0', 0],
    ['30', 30_000],
    ['Sat, 21 Nov 2026 08:00:10 GMT', 10_000],
    ['Sat, 21 Nov 2026 07:00:00 GMT', 0],
  ])('%s is a wait of %i ms', (value, waitMs) => {
    expect(parseRetryAfter(value, now)).toBe(waitMs)
  })

  it.each([undefined, '', '-1', '1.5', '1e9', 'soon', '2026-11-21', '99999999999'])(
    '%s is ignored',
    value => {
      expect(parseRetryAfter(value, now)).toBeNull()
    },
  )
})
