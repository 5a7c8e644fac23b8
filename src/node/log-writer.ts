import type { Writable } from 'node:stream'
import { formatEntry, type Log } from '../http/log.ts'

/**
 * Writes log lines to a stream, in one write per turn of the event loop: a write to a pipe blocks, and a busy server logs
 * several lines per turn.
 */
export function createLogWriter(stream: Writable): Log {
  let waiting = ''
  // Without a listener, an error would end the server, such as EPIPE after the reader has ended.
  stream.on('error', () => undefined)
  return entry => {
    if (waiting === '') {
      setImmediate(() => {
        stream.write(waiting)
        waiting = ''
      })
    }
    waiting += `${formatEntry(entry, new Date())}\n`
  }
}
