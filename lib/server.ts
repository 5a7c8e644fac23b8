import type { Server } from 'node:http'
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

/** Serves until SIGTERM or SIGINT, then drains. The process exits with 1 if it cannot listen. */
export function runServer(
  server: Server,
  { host, port, drainMs, log, onListening, onEnd = () => {} }: Serving,
): void {
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
  }
  exitDespiteLookups()
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
}
