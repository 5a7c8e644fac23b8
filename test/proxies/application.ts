import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { listen } from '../support/listen.ts'

/**
 * An application behind a proxy, with an API of its own and WebSockets: `/timesheets/public` sends a header that would let
 * others keep the page, `cookies` has 16 KB of them, and `stream` sends an event at each request for `next`. A WebSocket says
 * hello and ends, and no proxy looks into it.
 */
export async function startApplication() {
  const passed: IncomingMessage[] = []
  const streams = new Set<ServerResponse>()
  let receivedBytes = 0
  const server = createServer({ maxHeaderSize: 262_144 }, (request, response) => {
    passed.push(request)
    const [, name = '', query = ''] = /(upload|stream|next|cookies)(?:\?(.*))?$/.exec(request.url ?? '') ?? []
    if (name === 'upload') {
      request.on('data', (chunk: Buffer) => {
        receivedBytes += chunk.length
      })
      request.on('end', () => response.end())
      return
    }
    if (name === 'stream') {
      response.setHeader('content-type', query)
      response.flushHeaders()
      streams.add(response)
      return
    }
    if (name === 'next') for (const stream of streams) stream.write(`data: ${query}\n\n`)
    if (name === 'cookies')
      response.setHeader(
        'set-cookie',
        ['a', 'b', 'c', 'd'].map(cookie => `${cookie}=${'x'.repeat(4000)}`),
      )
    if (request.url?.includes('public')) response.setHeader('cache-control', 'public, max-age=600')
    response.end('the application')
  })
  server.maxHeadersCount = 0
  server.on('upgrade', (request, socket) => {
    passed.push(request)
    const opened = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket'
    socket.end(`${opened}\r\n\r\nhello ${request.headers['x-homeport-username']}`)
  })
  const { port } = new URL(await listen(server))
  return {
    port: Number(port),
    /** What reached it during this test. */
    passed,
    /** Bytes of all uploads so far. */
    receivedBytes: () => receivedBytes,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
