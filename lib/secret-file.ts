import {
  closeSync,
  existsSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  openSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { readProcFile } from './proc-file.ts'
import type { Reading } from './reading.ts'

/** Environment variables. */
type Environment = Readonly<Record<string, string | undefined>>

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
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
    return { problem: `cannot be read (${code}). Check the path and its permissions.` }
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

/** Reads a secret, without white space around it. An empty file is a problem. */
export function readSecretFile(path: string, maxBytes: number): Reading<string> {
  const reading = readTextFile(path, maxBytes)
  if ('problem' in reading) return reading
  const value = reading.value.trim()
  return value === '' ? { problem: 'is empty. Fill it, or remove the setting.' } : { value }
}

/**
 * Replaces a file at once, also behind a link, so that no server reads half of it. It keeps its owner and mode, so that the user
 * of a container can still read it, or is left alone. A new file is for its owner only.
 * @throws Error of the file system, with the code of the system
 */
export function replaceFile(path: string, text: string): void {
  const file = existsSync(path) ? realpathSync(path) : path
  const before = statSync(file, { throwIfNoEntry: false })
  const fresh = `${file}.${crypto.randomUUID()}`
  // `wx`: somebody could have put a link there.
  const descriptor = openSync(fresh, 'wx', 0o600)
  try {
    writeFileSync(descriptor, text)
    const { uid, gid } = fstatSync(descriptor)
    if (before && (before.uid !== uid || before.gid !== gid)) fchownSync(descriptor, before.uid, before.gid)
    if (before) fchmodSync(descriptor, before.mode & 0o777)
    renameSync(fresh, file)
  } catch (error) {
    rmSync(fresh, { force: true })
    throw error
  } finally {
    closeSync(descriptor)
  }
}

/** Maximum size of a secret of a server, in bytes. A certificate with its chain and key has a few thousand. */
export const maxServerSecretBytes = 64 * 1024

/**
 * Returns the environment with the secrets from files: NAME is the content of the file that NAME_FILE names. No problem
 * repeats a path, since somebody may have set NAME_FILE to the secret itself.
 * @param names settings that hold a secret
 * @returns besides, a filter for the problems of the settings: what could not be read is not missing as well
 */
export function withSecretFiles(env: Environment, names: readonly string[]) {
  const secrets: Record<string, string> = {}
  const problems: string[] = []
  const unread: string[] = []
  for (const name of names) {
    const path = env[`${name}_FILE`]
    if (!path) continue
    if (env[name]?.trim()) {
      problems.push(`${name}_FILE and ${name} are both set. Remove one.`)
      continue
    }
    const reading = readSecretFile(path, maxServerSecretBytes)
    if ('value' in reading) {
      secrets[name] = reading.value
    } else {
      unread.push(`${name} is missing`)
      problems.push(`${name}_FILE names a file that ${reading.problem}`)
    }
  }
  const isNew = (problem: string): boolean => !unread.some(start => problem.startsWith(start))
  return { env: { ...env, ...secrets }, problems, isNew }
}

/** Where containers and platforms put secrets. All their users can often read them. */
const secretFolders = ['/run/secrets', '/var/run/secrets']

/**
 * Returns whether every user of this host can read a regular file. What systemd or a container provides is exempt: nobody
 * can change its permissions, and nobody else is there. Windows has no such modes.
 * @param mounts the mounts that this process sees, as in proc_pid_mountinfo(5)
 */
export function isExposed(
  file: string,
  env: Environment,
  mounts: string = readProcFile('/proc/self/mountinfo'),
): boolean {
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

/**
 * Returns a warning for each secret in a file that every user of this host can read.
 * @param names settings that hold a secret, which NAME_FILE puts into a file
 */
export function exposedFiles(env: Environment, names: readonly string[]): readonly string[] {
  return names
    .filter(name => isExposed(env[`${name}_FILE`] || '/dev/null', env))
    .map(
      name =>
        `${name}_FILE names a file that every user of this host can read. Run chmod 600 on it, and replace the secret if ` +
        'somebody may have seen it.',
    )
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
