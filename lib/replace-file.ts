import {
  closeSync,
  existsSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'

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
