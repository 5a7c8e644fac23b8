import { readFileSync } from 'node:fs'

/** Returns the text of a file of /proc; empty on systems without it. */
export function readProcFile(path: `/proc/${string}`): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
