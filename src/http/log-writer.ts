import type { Writable } from 'node:stream'
import { formatEntry, type Log } from './log.ts'

/**
 * Writes log lines to a stream, one write for all lines of an event loop turn. A write to a pipe is a blocking system
 * call, and a busy server logs several lines a turn.
 */
export function createLogWriter(stream: Writable): Log {
  let waiting = ''
  // A reader that has gone (EPIPE) must not end the server, which an error without a listener would.
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
