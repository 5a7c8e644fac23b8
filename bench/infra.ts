import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { runProgram } from '../sandbox/pulumi/engine/engine.ts'
import {
  daysAgo,
  hostname,
  publicOrigin,
  type Stack,
  Stage,
  sessionKeys,
} from '../test/support/engine/stack.ts'
import { root } from '../tools/bundle.ts'
import { pulumiCli } from '../tools/pulumi-cli.ts'
import { bundleWorker } from '../tools/worker.ts'
import { watchMemory } from './process-memory.ts'

/** One measurement. */
interface Figure {
  readonly seconds: number
  readonly mebibytes: number
}

const usage = `Usage: npm run bench -- infra [--rounds N]

Measures the Pulumi program in the real engine and in the embedded one, against the emulators: the median of N rounds
(3 by default), in seconds and in MiB of all processes together. Needs a pulumi of the pinned version, or Go.
`

const bytesOfMebibyte = 1024 * 1024
const defaultRounds = 3

/** Configuration of the complete program for the embedded engine, with the hand-over. */
const config = {
  'homeport:zoneId': '0123456789abcdef0123456789abcdef',
  'homeport:accountId': 'fedcba9876543210fedcba9876543210',
  'homeport:hostname': hostname,
  'homeport:publicOrigin': publicOrigin,
  'homeport:secretRotationA': daysAgo(10),
  'homeport:secretRotationB': daysAgo(60),
  'homeport:allowedDomains': 'example.com',
  'homeport:repository': 'homeport/homeport',
}
const secrets = {
  'homeport:sessionKeys': sessionKeys,
  'homeport:mintingApiToken': 'minting_0123456789abcdefghijklmnopqrstuvwxyz',
}

/** @throws Error with the program's log if it fails */
async function runEmbedded(preview: boolean): Promise<void> {
  const run = await runProgram({ program: join(root, 'infra/index.ts'), config, secrets, preview })
  if (!run.succeeded) throw new Error(`The embedded engine's run failed: ${JSON.stringify(run.log)}`)
}

/** Measures the embedded engine in a separate process, to measure its memory. */
async function embedded(mode: 'preview' | 'up'): Promise<Figure> {
  const begun = performance.now()
  const args = [import.meta.filename, '--embedded', mode]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] })
  const stop = watchMemory(child.pid ?? 0)
  const [status] = await once(child, 'exit')
  const seconds = (performance.now() - begun) / 1000
  const mebibytes = (await stop()) / bytesOfMebibyte
  if (status !== 0) throw new Error(`The embedded engine ended with ${status}.`)
  return { seconds, mebibytes }
}

async function command(stack: Stack, args: readonly string[]): Promise<Figure> {
  const begun = performance.now()
  let stop: (() => Promise<number>) | undefined
  const run = await stack.stage.pulumi([...args, '--stack', stack.name], {}, pid => {
    stop = watchMemory(pid)
  })
  const seconds = (performance.now() - begun) / 1000
  const mebibytes = ((await stop?.()) ?? 0) / bytesOfMebibyte
  if (run.status !== 0) throw new Error(`pulumi ${args.join(' ')} ended with ${run.status}:\n${run.output}`)
  return { seconds, mebibytes }
}

/** Measures what a user does with a new stack: preview, up, preview and up again. */
async function round(pulumi: string): Promise<Readonly<Record<string, Figure>>> {
  const stage = await Stage.start(pulumi)
  try {
    const stack = await stage.stack()
    return {
      'CLI, first preview': await command(stack, ['preview']),
      'CLI, first up, without preview': await command(stack, ['up', '--yes', '--skip-preview']),
      'CLI, preview of no change, with refresh': await command(stack, ['preview']),
      'CLI, up of no change, with refresh and preview': await command(stack, ['up', '--yes']),
      'embedded engine, preview': await embedded('preview'),
      'embedded engine, up with canned answers': await embedded('up'),
    }
  } finally {
    await stage.close()
  }
}

/** Returns the median: the mean of the two middle values if their number is even. */
function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const [one = 0, other = one] = sorted.slice((sorted.length - 1) >> 1, (sorted.length >> 1) + 1)
  return (one + other) / 2
}

function row(name: string, figures: readonly Figure[]): string {
  const seconds = figures.map(figure => figure.seconds)
  const range = `${Math.min(...seconds).toFixed(1)}-${Math.max(...seconds).toFixed(1)}`
  const memory = Math.round(median(figures.map(({ mebibytes }) => mebibytes)))
  return `| ${name} | ${median(seconds).toFixed(1)} (${range}) | ${memory} |`
}

/**
 * Measures the program in the real engine and in the embedded one, against the sandbox. Prints a table with medians of
 * the rounds: seconds of wall-clock time, and peak memory of all processes together in MiB.
 * @param args `--rounds N`, 3 by default
 */
export async function run(args: readonly string[]): Promise<number> {
  const options = { rounds: { type: 'string' }, help: { type: 'boolean' } } as const
  const { values } = parseArgs({ args: [...args], options })
  if (values.help) {
    process.stdout.write(usage)
    return 0
  }
  const rounds = Number(values.rounds ?? defaultRounds)
  if (!Number.isInteger(rounds) || rounds < 1) throw new TypeError('--rounds is a whole number from 1.')
  const pulumi = await pulumiCli(line => process.stderr.write(`${line}\n`))
  await bundleWorker()
  const measured: Readonly<Record<string, Figure>>[] = []
  for (let at = 0; at < rounds; at += 1) measured.push(await round(pulumi))
  const names = Object.keys(measured[0] ?? {})
  const rows = names.map(name =>
    row(
      name,
      measured.flatMap(figures => figures[name] ?? []),
    ),
  )
  process.stdout.write(['| what | seconds | MiB |', '|---|---|---|', ...rows, ''].join('\n'))
  return 0
}

// A single run of the embedded engine, started by the benchmark to measure its memory.
if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await runEmbedded(process.argv[3] === 'preview')
}
