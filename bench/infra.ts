import { parseArgs } from 'node:util'
import { type Stack, Stage } from '../test/support/engine/stack.ts'
import { pulumiCli } from '../tools/pulumi-cli.ts'
import { bundleWorker } from '../tools/worker.ts'
import { watchMemory } from './process-memory.ts'

/** One measurement. */
interface Figure {
  readonly seconds: number
  readonly mebibytes: number
}

const usage = `Usage: npm run bench -- infra [--rounds N]

Measures the Pulumi program in the real engine, against the emulators: the median of N rounds (3 by default), in seconds and
in MiB of all processes together. Needs a pulumi of the pinned version, or Go.
`

const bytesOfMebibyte = 1024 * 1024
const defaultRounds = 3

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
 * Measures the program in the real engine, against the sandbox. Prints a table with medians of the rounds: seconds of
 * wall-clock time, and peak memory of all processes together in MiB.
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
