import { spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { chmodSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { configDefaults, defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { timeLimit } from './test/support/time-limit.ts'
import { TimeLimitReporter } from './test/support/time-limit-reporter.ts'

// Many tests start the same programs: Node compiles each module once, and removes its types once.
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(new URL('node_modules/.cache/compiled', import.meta.url))

/** Holds every folder that a test makes. Programs of another user can enter it. */
const folder = mkdtempSync(join(tmpdir(), 'homeport-tests-'))
chmodSync(folder, 0o755)
process.env['TEST_FOLDER'] = folder
process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }))

/** How long `npm run test:long` tries random inputs, in minutes. It sets this; `npm test` does not, and runs a sample. */
const minutes = process.env['TEST_MINUTES']
const isLong = Number(minutes) > 0

/** Node runs the sources as they are. Vite would transform each. In watch mode, vitest has to know what imports what. */
const byNode: Options = {
  experimental: { viteModuleRunner: false, nodeLoader: false },
  ...(process.argv.includes('run') && { runner: 'test/support/test-runner.ts' }),
}

/** GitHub's language service imports JSON without attributes, which plain Node refuses: vite loads it instead. */
const byVite: Options = {
  server: { deps: { inline: [/@actions\/(languageservice|workflow-parser|expressions)/] } },
}

type Options = NonNullable<TestProjectInlineConfiguration['test']>

/**
 * Returns the limits for a test, a hook and a poll. Only what hangs reaches them: a limit that a busy machine reaches says nothing
 * about the code.
 */
function limits(testMs: number, hookMs = testMs) {
  return {
    testTimeout: timeLimit(testMs),
    hookTimeout: timeLimit(hookMs),
    expect: { poll: { timeout: timeLimit(30_000) } },
  }
}

/** Returns the project of a folder in `test/`. */
function project(name: string, options: Options) {
  const loader = name === 'repository' ? byVite : byNode
  return { test: { name, include: [`test/${name}/**/*.test.ts`], ...loader, ...options } }
}

/** Returns the project of a room, so that `npm test -- --project action` runs one of them. */
function room(name: string, options: Options = {}) {
  return project(name, {
    // Loading modules anew for every file costs a quarter of the time.
    isolate: false,
    maxConcurrency: 6,
    ...limits(120_000),
    ...options,
  })
}

const startsPostgres = { globalSetup: ['test/src/support/cluster.ts'] }

/** What `npm test` runs. */
const rooms = [
  // Each scenario has a process and a sandbox of its own, and mostly waits.
  room('action', { sequence: { concurrent: true } }),
  room('simulation'),
  room('sandbox'),
  room('src', startsPostgres),
  room('infra', { globalSetup: ['test/infra/support/build.ts'] }),
  room('push'),
  room('lib'),
  room('repository'),
  room('journeys'),
]

/**
 * What `npm test` leaves out, since it takes minutes or has to be fetched first. Each runs only if the command names it or
 * a file of it, with as many workers as its own processes leave room for.
 */
const slow = [
  // The demos' journeys: browsers, clusters and engines.
  project('demo', { ...limits(120_000), sequence: { groupOrder: 1 } }),
  // What the pages tell people to run.
  project('docs', {
    maxWorkers: '100%',
    ...limits(120_000),
    sequence: { groupOrder: 2 },
  }),
  // Images, which have to be built first. Each of its files builds what it needs.
  project('images', {
    maxWorkers: 1,
    ...limits(120_000, 240_000),
    sequence: { groupOrder: 5 },
  }),
  // The real engine, whose CLI may have to be built first. A run of it is half a dozen processes already.
  project('engine', {
    globalSetup: ['test/support/engine/setup.ts'],
    maxWorkers: 2,
    ...limits(240_000),
    sequence: { groupOrder: 3 },
  }),
  room('proxies', {
    globalSetup: [...startsPostgres.globalSetup, 'test/proxies/setup.ts'],
    sequence: { groupOrder: 4 },
  }),
  // Schedules that take three minutes of real time, and a tenth of a processor.
  project('workerd', { maxWorkers: 1, ...limits(600_000), sequence: { groupOrder: 6 } }),
]

const named = process.argv.slice(2).map(argument => argument.replace(/^--project=/, ''))
const isNamed = ({ test: { name } }: (typeof slow)[number]) =>
  named.some(argument => argument === name || argument.includes(`test/${name}/`))

/** Keeps the random tests of a room. */
function onlyRandom({ test }: (typeof rooms)[number]) {
  const isRandom = (file: string) => readFileSync(file, 'utf8').includes('/random.ts')
  return {
    test: { ...test, include: globSync(test.include).filter(isRandom), testTimeout: timeLimit(180_000) },
  }
}

const asked = slow.filter(isNamed)
const quick = isLong ? rooms.map(onlyRandom).filter(({ test }) => test.include.length > 0) : rooms

const usualSeed = '20261121'

/** Returns a seed from the commit's hash. Outside a clone, says why it is another. */
function seedOfCommit(): string {
  const { stdout } = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: import.meta.dirname, encoding: 'utf8' })
  if (/^[0-9a-f]{40}/.test(stdout ?? '')) return String(Number.parseInt(stdout.slice(0, 7), 16))
  process.stdout.write(`git names no commit here, so schedules of pings are drawn with seed ${usualSeed}.\n`)
  return usualSeed
}

process.env['COMMIT_SEED'] ??= process.env['TEST_SEED'] ?? seedOfCommit()
process.env['TEST_SEED'] ??= isLong ? String(randomInt(2 ** 31)) : usualSeed
const seed = process.env['TEST_SEED']
if (isLong) {
  process.stdout.write(`Random tests run for at most ${minutes} minutes with seed ${seed}. To repeat this run:
TEST_SEED=${seed} TEST_MINUTES=${minutes} npm run test:long\n`)
} else if (asked.length === 0) {
  process.stdout.write(`Random tests run a sample with seed ${seed}. Set TEST_SEED for another.\n`)
}

/** Folder for vitest's JSON reports, from which `.ci/run` learns what was skipped. */
const results = process.env['HOMEPORT_RESULTS']
const report: ['json', { outputFile: string }][] = results
  ? [['json', { outputFile: `${results}/${Date.now()}.json` }]]
  : []

export default defineConfig({
  test: {
    projects: [...quick, ...asked],
    reporters: [...configDefaults.reporters, new TimeLimitReporter(), ...report],
    // Most files wait for processes, browsers and timeouts. Each worker more loads and compiles all that a room imports once more.
    ...(isLong || asked.length > 0 ? {} : { maxWorkers: availableParallelism() + 1 }),
  },
})
