import { writeSync } from 'node:fs'
import type { Reading } from '../problem.ts'

/** How long to wait for the reader of a full pipe. */
const pipeWaitMs = 10

/**
 * Writes text to stdout (1) or stderr (2), and returns how many bytes once they are written. The problem is the system's error
 * code. Never throws, and tries again next time: a stream of Node would be lost after its first error, and the disk may have
 * room again.
 */
export function writeTo(descriptor: 1 | 2, text: string): Reading<number, string> {
  const bytes = Buffer.from(text)
  for (let written = 0; written < bytes.length; ) {
    try {
      written += writeSync(descriptor, bytes, written)
    } catch (error) {
      const { code = 'unknown error' } = error as NodeJS.ErrnoException
      if (code !== 'EAGAIN') return { problem: code }
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pipeWaitMs)
    }
  }
  return { value: bytes.length }
}
