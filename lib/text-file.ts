import { closeSync, openSync, readSync } from 'node:fs'
import { nameOf } from './exchange.ts'
import type { Reading } from './reading.ts'

/**
 * Reads a file that a person or a platform wrote, such as a secret. Reads at most one byte more than `maxBytes`, so that a
 * wrong path, such as a device or a disk image, takes neither time nor memory. A problem is a phrase that follows the path, with
 * the fix; it repeats no content.
 * @param path 0 is standard input
 */
export function readTextFile(path: string | 0, maxBytes: number): Reading<string> {
  let descriptor: number | null = null
  try {
    descriptor = path === 0 ? 0 : openSync(path, 'r')
    const buffer = Buffer.alloc(maxBytes + 1)
    let length = 0
    for (let read = -1; read !== 0 && length <= maxBytes; length += read) {
      read = readSync(descriptor, buffer, length, buffer.length - length, null)
    }
    if (length > maxBytes)
      return { problem: `has more than ${maxBytes / 1024} KiB. Check the path, and what the file contains.` }
    return decodeText(buffer.subarray(0, length))
  } catch (error) {
    return { problem: `cannot be read (${nameOf(error)}). Check the path and its permissions.` }
  } finally {
    if (descriptor) closeSync(descriptor)
  }
}

/** Decodes UTF-8 without its byte order mark. */
export function decodeText(bytes: Uint8Array): Reading<string> {
  try {
    // Each ASCII letter of UTF-16 has a zero byte, which no text file in UTF-8 has.
    if (!bytes.includes(0)) return { value: new TextDecoder('utf-8', { fatal: true }).decode(bytes) }
  } catch {
    // Some bytes are not UTF-8.
  }
  return { problem: 'is not UTF-8 text. Save it as UTF-8: with >, PowerShell writes UTF-16.' }
}
