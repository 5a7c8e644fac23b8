import type { Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { exitDespiteLookups } from './exit.ts'

/** How a server is run. */
export interface Serving {
  readonly host: string
  readonly port: number
  /** Time for open requests after SIGTERM, in milliseconds. */
  readonly drainMs: number
  readonly log: (entry: {
    readonly level: 'info' | 'error'
    readonly event: 'start' | 'stop'
    readonly message: string
  }) => void
  readonly onListening?: () => void
  /** Called when it has drained, or could not listen. */
  readonly onEnd?: () => void
}

/** Time for which the rest of a refused request is read, in milliseconds. */
const lingerMs = 2000

/** Statuses of requests that Node's parser refuses, besides 400. */
const refusals: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

/**
 * Answers a request that cannot be read. Reads on for a moment, as nginx does (`lingering_close`): closing at once, as Node does by
 * default, resets the connection of a client that still sends, and a proxy then takes this server for unavailable.
 */
function refuse({ code = '' }: NodeJS.ErrnoException, socket: Duplex): void {
  // inadyn sends NUL bytes after its request, which must not cut off the answer. What follows a refused request is not a new request.
  if (code === 'HPE_CLOSED_CONNECTION' || socket.writableEnded) return
  if (!socket.writable) {
    socket.destroy()
    return
  }
  socket.end(
    `HTTP/1.1 ${refusals[code] ?? '400 Bad Request'}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
  )
  // Ending this side alone would leave the connection open until the client closes it, which one that sends nothing never does.
  setTimeout(() => socket.destroy(), lingerMs).unref()
}

/** Serves until SIGTERM or SIGINT, then drains. The process exits with 1 if it cannot listen. */
export function runServer(
  server: Server,
  { host, port, drainMs, log, onListening, onEnd = () => {} }: Serving,
): void {
  server.on('clientError', refuse)
  server.listen(port, host, () => {
    const address = server.address()
    const bound = typeof address === 'object' && address ? address.port : port
    const shown = host.includes(':') ? `[${host}]` : host
    log({ level: 'info', event: 'start', message: `Listening on http://${shown}:${bound}` })
    onListening?.()
  })
  server.on('error', error => {
    const code = 'code' in error ? String(error.code) : error.name
    log({ level: 'error', event: 'start', message: `Cannot listen on ${host} port ${port}: ${code}` })
    process.exitCode = 1
    onEnd()
  })
  let isStopping = false
  function stop(): void {
    if (isStopping) return
    isStopping = true
    log({ level: 'info', event: 'stop', message: 'Finishing open requests' })
    // Ends requests that hang. `unref`, because the timer must not keep an idle process running.
    setTimeout(() => process.exit(0), drainMs).unref()
    server.close(onEnd)
    // A connection whose request ends later would be kept for the next one.
    setInterval(() => server.closeIdleConnections(), 100).unref()
  }
  exitDespiteLookups()
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
}
