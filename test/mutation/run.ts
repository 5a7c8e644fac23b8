import { spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Sequence } from '../../sandbox/testing/sequence.ts'
import { type Measured, type Mutant, type Verdict, verdictOn, verdictOnSample } from './report.ts'
import { survivors } from './survivors.ts'
import { minScore, type Target, targets } from './targets.ts'

/**
 * Measures how many planted faults the unit tests of each target find: `npm run test:mutation -- [FILE…]`. Fails below
 * `minScore`, for a survivor that `survivors.ts` does not explain, and for an explanation that no survivor needs.
 *
 * `--sample LINES --seed SEED` plants faults in so many lines of each target only, all in one run. The seed decides which
 * lines; without one, a new one is printed. Every target's tests can find a fault then.
 */
const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = 'build/mutation'

const help = `Usage: npm run test:mutation -- [FILE...] [--sample LINES [--seed SEED]]

Plants faults in the files of test/mutation/targets.ts, or only in those named, and says which ones the unit tests miss.

  --sample LINES   plant faults in that many lines of each file only
  --seed SEED      choose the lines; without it, a new seed is used and printed
`

interface Plan {
  readonly name: string
  /** Files, or ranges of their lines. */
  readonly mutate: readonly string[]
  readonly tests: readonly string[]
  readonly concurrency: number
}

function measure({ name, mutate, tests, concurrency }: Plan): readonly Measured[] {
  const report = `${folder}/${name}.json`
  const config = {
    mutate,
    testRunner: 'vitest',
    // npm's layout hides plugins from Stryker's own search.
    plugins: ['@stryker-mutator/vitest-runner'],
    vitest: { configFile: 'test/mutation/vitest.config.ts', related: false },
    reporters: ['json'],
    jsonReporter: { fileName: report },
    tempDirName: `${folder}/${name}`,
    cleanTempDir: 'always',
    ignorePatterns: ['.ci', '.github', 'action/dist', 'bench', 'build', 'demo', 'docs', 'infra'],
    concurrency,
    allowConsoleColors: false,
    logLevel: 'warn',
    timeoutMS: 10_000,
    timeoutFactor: 3,
  }
  mkdirSync(join(root, folder), { recursive: true })
  const configFile = `${folder}/${name}.config.json`
  writeFileSync(join(root, configFile), JSON.stringify(config))
  const { status, error } = spawnSync(
    process.execPath,
    [join(root, 'node_modules/@stryker-mutator/core/bin/stryker.js'), 'run', configFile],
    {
      cwd: root,
      stdio: 'inherit',
      env: { ...process.env, MUTATION_TESTS: tests.join(' ') },
    },
  )
  if (status !== 0) throw new Error(`Stryker ended with ${status ?? String(error)} on ${name}.`)
  const { files }: { files: Record<string, { source: string; mutants: readonly Mutant[] }> } = JSON.parse(
    readFileSync(join(root, report), 'utf8'),
  )
  return Object.entries(files).map(([file, { source, mutants }]) => ({
    file,
    mutants: mutants.map(mutant => ({ ...mutant, line: lineOf(source, mutant) })),
  }))
}

function lineOf(source: string, { location }: Mutant): string {
  return (source.split('\n')[location.start.line - 1] ?? '').trim()
}

function judge({ file, tests }: Target): Verdict {
  const [measured] = measure({ name: file.replaceAll('/', '-'), mutate: [file], tests, concurrency: 1 })
  if (measured?.file !== file) throw new Error(`The report does not contain ${file}.`)
  const explained = survivors.filter(survivor => survivor.file === file)
  return verdictOn(file, measured.mutants, explained, minScore)
}

function judgeSample(lines: number, seed: number): Verdict {
  process.stdout.write(`Faults are planted in ${lines} lines of each file. To repeat this run:
npm run test:mutation -- --sample ${lines} --seed ${seed}\n`)
  const sequence = new Sequence(seed)
  const mutate = targets.map(({ file }) => {
    const { length } = readFileSync(join(root, file), 'utf8').trimEnd().split('\n')
    const start = 1 + sequence.below(Math.max(1, length - lines + 1))
    return `${file}:${start}-${start + lines - 1}`
  })
  const tests = [...new Set(targets.flatMap(target => target.tests))]
  return verdictOnSample(measure({ name: 'sample', mutate, tests, concurrency: 2 }), survivors, minScore)
}

function print({ isGood, lines }: Verdict): boolean {
  process.stdout.write(`${lines.join('\n')}\n`)
  return isGood
}

const { values, positionals } = parseArgs({
  options: { sample: { type: 'string' }, seed: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
  allowPositionals: true,
})
if (values.help) {
  process.stdout.write(help)
  process.exit(0)
}
const unknown = positionals.filter(file => !targets.some(target => target.file === file))
const [lines, seed] = [Number(values.sample), Number(values.seed ?? randomInt(2 ** 31))]
if (unknown.length > 0) {
  process.stderr.write(`${unknown.join(', ')}: not in test/mutation/targets.ts.\n`)
  process.exit(2)
}
if (values.sample === undefined) {
  const wanted = targets.filter(({ file }) => positionals.length === 0 || positionals.includes(file))
  process.exitCode = wanted.map(target => print(judge(target))).every(isGood => isGood) ? 0 : 1
} else if (
  lines > 0 &&
  Number.isSafeInteger(lines) &&
  Number.isSafeInteger(seed) &&
  positionals.length === 0
) {
  process.exitCode = print(judgeSample(lines, seed)) ? 0 : 1
} else {
  process.stderr.write('--sample and --seed need whole numbers, and no files.\n')
  process.exitCode = 2
}
