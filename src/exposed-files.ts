import { readFileSync, realpathSync, statSync } from 'node:fs'

/** Environment variables. */
type Texts = Readonly<Record<string, string | undefined>>

/** Where containers and platforms put secrets, which everybody in a container can often read. */
const secretFolders = ['/run/secrets', '/var/run/secrets']

/**
 * Returns a warning for each secret in a file that every user of this machine can read. Files that systemd or a container
 * provides are exempt: nobody can change their permissions, and nobody else is there.
 * @param names settings that hold a secret
 * @param mounts the mounts that this process sees, as in proc_pid_mountinfo(5)
 */
export function exposedFiles(
  env: Texts,
  names: readonly string[],
  mounts: string = readMounts(),
): readonly string[] {
  const provided = [...secretFolders, ...(env['CREDENTIALS_DIRECTORY'] ? [env['CREDENTIALS_DIRECTORY']] : [])]
  return names.flatMap(name => {
    try {
      const path = realpathSync(env[`${name}_FILE`] || '/dev/null')
      const { mode } = statSync(path)
      const isExposed = (mode & 0o170_004) === 0o100_004 && process.geteuid !== undefined
      if (!isExposed || provided.some(folder => isAtOrBelow(path, folder)) || isReadOnly(path, mounts))
        return []
      const octal = (mode & 0o777).toString(8).padStart(4, '0')
      return [
        `${name}_FILE names a file that every user of this machine can read (permissions ${octal}). Run \`chmod 600\` on it.`,
      ]
    } catch {
      // The code that reads the file reports that it cannot be read.
      return []
    }
  })
}

function isAtOrBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`)
}

/** Whether the innermost mount that a path is on is read-only, for this process or as a whole. */
function isReadOnly(path: string, mounts: string): boolean {
  let point = ''
  let readOnly = false
  for (const line of mounts.split('\n')) {
    const [, , , , escaped = '', options = '', ...rest] = line.split(' ')
    const found = escaped.replace(/\\(\d{3})/g, (_, digits: string) =>
      String.fromCharCode(Number.parseInt(digits, 8)),
    )
    // Of two mounts at one point, the later covers the earlier.
    if (found === '' || !isAtOrBelow(path, found) || found.length < point.length) continue
    point = found
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
