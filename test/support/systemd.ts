import { spawnSync } from 'node:child_process'

export const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0

/** Returns what `systemd-analyze verify` says about a unit's file. */
export function verifyUnit(file: string) {
  return spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' })
}

/** Quotes a path for ExecStart=, where blanks separate arguments, and % and $ are replaced (systemd.service(5)). */
export function quoteForUnit(path: string): string {
  return JSON.stringify(path).replaceAll('%', '%%').replaceAll('$', '$$$$')
}
