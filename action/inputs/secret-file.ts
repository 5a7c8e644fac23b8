import { closeSync, openSync, readFileSync, readSync, realpathSync, statSync } from 'node:fs'
import { quote } from '../text/quote.ts'
import type { Environment } from './reader.ts'

/** Where containers and platforms put secrets. All their users can often read them. */
const secretFolders = ['/run/secrets', '/var/run/secrets']

/** Returns the text of a file, or null if it has more bytes than this. Reads at most one byte more. */
function readAtMost(file: string, maxBytes: number): string | null {
  const buffer = Buffer.alloc(maxBytes + 1)
  const descriptor = openSync(file, 'r')
  try {
    let length = 0
    for (let read = -1; read !== 0 && length <= maxBytes; ) {
      read = readSync(descriptor, buffer, length, buffer.length - length, null)
      length += read
    }
    return length > maxBytes ? null : buffer.toString('utf8', 0, length)
  } finally {
    closeSync(descriptor)
  }
}

/** Returns the text of a file, or null after it has added a problem. A missing `optional` file is not a problem. */
export function readText(
  what: string,
  file: string,
  problems: string[],
  { maxBytes, optional = false }: { readonly maxBytes: number; readonly optional?: boolean },
): string | null {
  try {
    const text = readAtMost(file, maxBytes)
    if (text !== null) return text
    const content = what === 'config' ? 'inputs' : 'secret'
    problems.push(
      `${what}: ${quote(file)} has more than ${maxBytes / 1024} KiB. Check the path, and put only the ${content} into the file.`,
    )
  } catch (error) {
    const code = String((error as NodeJS.ErrnoException).code ?? 'unknown error')
    if (!(optional && code === 'ENOENT')) {
      problems.push(`${what}: ${quote(file)} cannot be read (${code}). Check the path and its permissions.`)
    }
  }
  return null
}

/**
 * Returns whether every user of this host can read a regular file. What systemd or a container provides is exempt: nobody
 * can change its permissions, and nobody else is there. Windows has no such modes.
 * @param mounts the mounts that this process sees, as in proc_pid_mountinfo(5)
 */
export function isExposed(file: string, env: Environment, mounts: string = readMounts()): boolean {
  try {
    const path = realpathSync(file)
    const { mode } = statSync(path)
    if ((mode & 0o170_004) !== 0o100_004 || process.platform === 'win32') return false
    const folders = [
      ...secretFolders,
      ...(env['CREDENTIALS_DIRECTORY'] ? [env['CREDENTIALS_DIRECTORY']] : []),
    ]
    return !folders.some(folder => isAtOrBelow(path, folder)) && !isReadOnly(path, mounts)
  } catch {
    // Reading the file reports this.
    return false
  }
}

function isAtOrBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`)
}

/** Returns whether the innermost mount of a path is read-only, here or as a whole. */
function isReadOnly(path: string, mounts: string): boolean {
  let innermost = ''
  let readOnly = false
  for (const line of mounts.split('\n')) {
    const [, , , , escaped = '', options = '', ...rest] = line.split(' ')
    const point = escaped.replace(/\\([0-7]{3})/g, (_, digits) =>
      String.fromCharCode(Number.parseInt(digits, 8)),
    )
    // Of two mounts at one place, the later covers the earlier.
    if (point === '' || !isAtOrBelow(path, point) || point.length < innermost.length) continue
    innermost = point
    readOnly = [options, rest.at(-1) ?? ''].some(list => list.split(',').includes('ro'))
  }
  return readOnly
}

/** Returns an empty text on systems without this file. */
function readMounts(): string {
  try {
    return readFileSync('/proc/self/mountinfo', 'utf8')
  } catch {
    return ''
  }
}
