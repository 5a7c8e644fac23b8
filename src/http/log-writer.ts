import type { Writable } from 'node:stream'
import { formatEntry, type Log } from './log.ts'

/**
 * Writes log lines to a stream, those of one turn of the event loop together: a write to a pipe is a system call that
 * everybody waits for, and a busy server has several lines a turn.
 */
export function createLogWriter(stream: Writable): Log {
  let waiting = ''
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
