import { execFile } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '../tools/bundle.ts'
import { bundle, type Contest, roundTripMs } from './action-unchanged.ts'
import { type Measure, median, show, spread, table } from './figures.ts'

const defaultRounds = 15
const execute = promisify(execFile)

/** Measures the shipped bundle: its size, and the check of one record in namespaces, or why that was not measured. */
export const measureAction: Measure = async ({ rounds = defaultRounds, favonia }, progress) => {
  const what = `unchanged record over https at ${roundTripMs} ms`
  const tableOf = (measured: string, comparison: string, ratio = '') =>
    table(
      ['what', 'measured', 'compared with', 'ratio', 'goal'],
      ['bundle, unminified', `${show(size)} bytes`, '', '', '235,000 bytes'],
      [what, measured, comparison, ratio, '0.3'],
    )
  const { size } = await stat(bundle)
  const isolated = ['--net', '--mount']
  try {
    await execute('unshare', [...isolated, 'true'])
  } catch {
    return tableOf('not measured: namespaces need Linux and root', '')
  }
  progress(`${what}, ${rounds} rounds`)
  const program = favonia === undefined ? [] : [favonia]
  const script = join(root, 'bench/action-unchanged.ts')
  const { stdout } = await execute('unshare', [
    ...isolated,
    process.execPath,
    script,
    `${rounds}`,
    ...program,
  ])
  const [ours, theirs] = (JSON.parse(stdout) as Contest).map(({ times, requests }) => ({
    cell: `${spread(times, 'ms')}, ${requests} request${requests === 1 ? '' : 's'}`,
    middle: median(times),
  }))
  if (!ours || !theirs) return tableOf(ours?.cell ?? '', 'not measured: `--favonia` was not given')
  const comparison = `${await nameOf(program[0] ?? '')}: ${theirs.cell}`
  return tableOf(ours.cell, comparison, show(ours.middle / theirs.middle, 2))
}

/** Returns a Go program's module with its version, if Go is there to read it. */
async function nameOf(program: string): Promise<string> {
  const { stdout } = await execute('go', ['version', '-m', program]).catch(() => ({ stdout: '' }))
  const [, version] = /^\tmod\t\S+\tv(\S+)/m.exec(stdout) ?? []
  return ['favonia/cloudflare-ddns', ...(version === undefined ? [] : [version])].join(' ')
}
