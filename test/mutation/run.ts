import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Mutant, verdictOn } from './report.ts'
import { survivors } from './survivors.ts'
import { minScore, type Target, targets } from './targets.ts'

/**
 * Measures how many planted faults the unit tests of each target find: `npm run test:mutation -- [FILE…]`. Fails below
 * `minScore`, for a survivor that `survivors.ts` does not explain, and for an explanation that no survivor needs.
 */
const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = 'build/mutation'

function measure({ file, tests }: Target): readonly Mutant[] {
  const name = file.replaceAll('/', '-')
  const report = `${folder}/${name}.json`
  const config = {
    mutate: [file],
    testRunner: 'vitest',
    // npm's layout hides plugins from Stryker's own search.
    plugins: ['@stryker-mutator/vitest-runner'],
    vitest: { configFile: 'test/mutation/vitest.config.ts', related: false },
    reporters: ['json'],
    jsonReporter: { fileName: report },
    tempDirName: `${folder}/${name}`,
    cleanTempDir: 'always',
    ignorePatterns: ['.ci', '.github', 'action/dist', 'bench', 'build', 'demo', 'docs', 'infra'],
    concurrency: 1,
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
    { cwd: root, stdio: 'inherit', env: { ...process.env, MUTATION_TESTS: tests.join(' ') } },
  )
  if (status !== 0) throw new Error(`Stryker ended with ${status ?? String(error)} on ${file}.`)
  const { files }: { files: Record<string, { source: string; mutants: readonly Mutant[] }> } = JSON.parse(
    readFileSync(join(root, report), 'utf8'),
  )
  const measured = files[file]
  if (!measured) throw new Error(`The report does not contain ${file}.`)
  return measured.mutants.map(mutant => ({ ...mutant, line: lineOf(measured.source, mutant) }))
}

function lineOf(source: string, { location }: Mutant): string {
  return (source.split('\n')[location.start.line - 1] ?? '').trim()
}

const wanted = process.argv.slice(2)
const unknown = wanted.filter(file => !targets.some(target => target.file === file))
if (unknown.length > 0) {
  process.stderr.write(`${unknown.join(', ')}: not in test/mutation/targets.ts.\n`)
  process.exit(2)
}
let isGood = true
for (const target of targets.filter(({ file }) => wanted.length === 0 || wanted.includes(file))) {
  const explained = survivors.filter(({ file }) => file === target.file)
  const verdict = verdictOn(target.file, measure(target), explained, minScore)
  process.stdout.write(`${verdict.lines.join('\n')}\n`)
  isGood &&= verdict.isGood
}
process.exitCode = isGood ? 0 : 1
