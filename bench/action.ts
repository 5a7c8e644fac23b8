import { execFile } from 'node:child_process'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '../tools/bundle.ts'
import { bundle, type Run, roundTripMs, runNode, stepEnvironment, takeTurns } from './action-runs.ts'
import type { Contest } from './action-unchanged.ts'
import { type Measure, median, show, spread, table } from './figures.ts'

const defaultRounds = 15

type Row = readonly string[]
const execute = promisify(execFile)

/** Measures the shipped bundle. */
export const measureAction: Measure = async ({ rounds = defaultRounds, favonia }, progress) => {
  const folder = await mkdtemp(join(tmpdir(), 'homeport-bench-'))
  try {
    progress(`a refused input, ${rounds} rounds`)
    const refused = await measureRefusal(folder, rounds)
    progress(`an unchanged record, ${rounds} rounds`)
    return table(
      ['what', 'measured', 'compared with', 'ratio', 'goal'],
      ['bundle, unminified', `${show((await stat(bundle)).size)} bytes`, '', '', '235,000 bytes'],
      ...refused,
      await measureUnchanged(rounds, favonia),
    )
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Compares a refused input with the floor of every program that can speak HTTPS. */
async function measureRefusal(folder: string, rounds: number): Promise<readonly Row[]> {
  const script = join(folder, 'https.mjs')
  await writeFile(script, "import 'node:https'\n")
  const environment = await stepEnvironment(folder, { 'api-token': 'x'.repeat(40), ttl: 'soon' })
  const [floor = [], refused = []] = await takeTurns(rounds, [
    () => runNode(folder, script, environment, 0),
    () => runNode(folder, bundle, environment, 1),
  ])
  const kinds = [
    { what: 'wall time', unit: 'ms', goal: '1.3', digits: 0, figureOf: ({ wallMs }: Run) => wallMs },
    { what: 'processor time', unit: 'ms', goal: '1.3', digits: 0, figureOf: ({ cpuMs }: Run) => cpuMs },
    { what: 'peak memory', unit: 'MiB', goal: '1.15', digits: 1, figureOf: (run: Run) => run.peakMebibytes },
  ]
  return kinds.map(({ what, unit, goal, digits, figureOf }) => {
    const [ours, least] = [refused, floor].map(runs => runs.map(run => figureOf(run) ?? Number.NaN))
    return [
      `refused input, ${what}`,
      spread(ours ?? [], unit, digits),
      `a script that only imports \`node:https\`: ${spread(least ?? [], unit, digits)}`,
      show(median(ours ?? []) / median(least ?? []), 2),
      goal,
    ]
  })
}

/** Compares the check of one record in namespaces, or says why it was not measured. */
async function measureUnchanged(rounds: number, favonia: string | undefined): Promise<Row> {
  const what = `unchanged record over https at ${roundTripMs} ms`
  const isolated = ['--net', '--mount']
  try {
    await execute('unshare', [...isolated, 'true'])
  } catch {
    return [what, 'not measured: namespaces need Linux and root', '', '', '0.3']
  }
  const program = favonia === undefined ? [] : [favonia]
  const { stdout } = await execute('unshare', [
    ...isolated,
    process.execPath,
    join(root, 'bench/action-unchanged.ts'),
    `${rounds}`,
    ...program,
  ])
  const [ours, theirs] = (JSON.parse(stdout) as Contest).map(({ times, requests }) => ({
    cell: `${spread(times, 'ms')}, ${requests.length} request${requests.length === 1 ? '' : 's'}`,
    middle: median(times),
  }))
  if (!ours || !theirs) return [what, ours?.cell ?? '', 'not measured: `--favonia` was not given', '', '0.3']
  const comparison = `${await nameOf(program[0] ?? '')}: ${theirs.cell}`
  return [what, ours.cell, comparison, show(ours.middle / theirs.middle, 2), '0.3']
}

/** Returns a Go program's module with its version, if Go is there to read it. */
async function nameOf(program: string): Promise<string> {
  const { stdout } = await execute('go', ['version', '-m', program]).catch(() => ({ stdout: '' }))
  const [, version] = /^\tmod\t\S+\tv(\S+)/m.exec(stdout) ?? []
  return ['favonia/cloudflare-ddns', ...(version === undefined ? [] : [version])].join(' ')
}
