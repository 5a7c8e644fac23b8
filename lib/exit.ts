import { pendingLookups } from './connect.ts'

/**
 * Ends the process at once even while names are looked up. The system's resolver can take more than ten seconds for a name
 * that nobody answers for. Nothing can end that, and Node waits for it (libuv joins its threads at exit), but a program that replaces
 * this one does not. Windows and Node before 22.15 have no execve, so there it still takes that long.
 */
export function exitDespiteLookups(): void {
  process.on('exit', code => {
    if (pendingLookups() === 0 || process.platform === 'win32' || !('execve' in process)) return
    const { NODE_OPTIONS: _, ...env } = process.env
    const status = Number(process.exitCode ?? code)
    try {
      process.execve?.(process.execPath, [process.execPath, '--eval', `process.exit(${status})`], env)
    } catch {
      // A system that allows no other program.
    }
  })
}
