import { writeSync } from 'node:fs'
import { nameOf } from '../../lib/exchange.ts'
import type { Reading } from '../problem.ts'
import { outputsOf } from './outputs.ts'
import type { Printer } from './report.ts'

/**
 * Prints for people and for system journals. Each line starts with the time, and then `error:` or `warning:` if it is one.
 * With `json`, stdout contains one object per round and nothing else, and the lines go to stderr. A log that cannot be
 * written stops nothing. An object that cannot be written is a failure, and so are later rounds.
 */
export function terminalPrinter(json: boolean): Printer {
  let isLogLost = false
  let isObjectLost = false
  function print(text: string): void {
    const time = new Date().toISOString().replace(/\.\d+Z$/, 'Z')
    const written = writeTo(json ? 2 : 1, text.replace(/^/gm, `${time} `).concat('\n'))
    const isLost = 'problem' in written
    if (isLost && !json && !isLogLost)
      writeTo(
        2,
        `warning: Failed to write the log to stdout (${written.problem}). Updates continue without it.\n`,
      )
    isLogLost = isLost
  }
  return {
    // Nothing reads commands here: a mask command would print the secret.
    secret: () => {},
    line: print,
    warning: text => print(`warning: ${text}`),
    error: text => print(text.replace(/^/gm, 'error: ')),
    publish(round) {
      if (!json) return true
      const object = { time: new Date().toISOString(), ...outputsOf(round) }
      const written = writeTo(1, `${JSON.stringify(object)}\n`)
      if ('problem' in written) {
        isObjectLost = true
        print(
          `error: Failed to write the JSON object to stdout (${written.problem}). The log shows each record. Check the disk.`,
        )
      }
      return !isObjectLost
    },
  }
}

/** How often to wait for the reader of a full pipe, and how long. */
const maxPipeWaits = 500
const pipeWaitMs = 10
/** Those whose reader took nothing all that time, such as one that was stopped: they are not waited for again. */
const stalled = new Set<number>()

/**
 * Writes text to stdout (1) or stderr (2). The problem is the system's error code. Never throws, and tries again next time: a
 * stream of Node would be lost after its first error, and the disk may have room again.
 */
export function writeTo(descriptor: 1 | 2, text: string): Reading<null, string> {
  const bytes = Buffer.from(text)
  let waits = stalled.has(descriptor) ? maxPipeWaits : 0
  for (let written = 0; written < bytes.length; ) {
    try {
      written += writeSync(descriptor, bytes, written)
      stalled.delete(descriptor)
    } catch (error) {
      const code = nameOf(error)
      if (code !== 'EAGAIN') return { problem: code }
      if (waits++ >= maxPipeWaits) {
        stalled.add(descriptor)
        return { problem: code }
      }
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pipeWaitMs)
    }
  }
  return { value: null }
}
