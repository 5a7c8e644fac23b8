import { realpathSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { readProcFile } from './proc-file.ts'

/** Environment variables. */
type Environment = Readonly<Record<string, string | undefined>>

/** Where containers and platforms put secrets. All their users can often read them. */
const secretFolders = ['/run/secrets', '/var/run/secrets']

/**
 * Returns whether every user of this host can read a regular file. Files that systemd or a container
 * provides are exempt: their permissions cannot be changed, and there are no other users. Windows has no such modes.
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
    return (
      isReachable(path) && !folders.some(folder => isAtOrBelow(path, folder)) && !isReadOnly(path, mounts)
    )
  } catch {
    // Reading the file reports this.
    return false
  }
}

/** Returns whether every user of this host can enter each folder above a path. */
function isReachable(path: string): boolean {
  const folder = dirname(path)
  return folder === path || ((statSync(folder).mode & 0o001) !== 0 && isReachable(folder))
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
