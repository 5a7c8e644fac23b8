import { type Stack, Stage } from '../test/support/engine/stack.ts'
import { pulumiCli } from '../tools/pulumi-cli.ts'
import { bundleWorker } from '../tools/worker.ts'
import { median, show, spread, table } from './figures.ts'
import { watchMemory } from './process-memory.ts'
import type { Room } from './room.ts'

/** One measurement. */
interface Figure {
  readonly seconds: number
  readonly mebibytes: number
}

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

/** What each command should take at most. */
const goals: Readonly<Record<string, string>> = {
  'CLI, first preview': '10 s',
  'CLI, preview of no change, with refresh': '10 s',
}

export const infra: Room = {
  options: ['rounds'],

  help: `Usage: npm run bench -- infra [--rounds N]

Measures the Pulumi program in the real engine, against the emulators: the median of N rounds (${defaultRounds} by default), in seconds
and in MiB of all processes together. Needs a pulumi of the pinned version, or Go to build it once.
`,

  async measure({ rounds = defaultRounds }, progress) {
    const pulumi = await pulumiCli(progress)
    await bundleWorker()
    const measured: Readonly<Record<string, Figure>>[] = []
    for (let at = 1; at <= rounds; at += 1) {
      progress(`round ${at} of ${rounds}`)
      measured.push(await round(pulumi))
    }
    const rows = Object.keys(measured[0] ?? {}).map(name => {
      const figures = measured.flatMap(figures => figures[name] ?? [])
      const memory = median(figures.map(({ mebibytes }) => mebibytes))
      const seconds = figures.map(figure => figure.seconds)
      return [name, spread(seconds, '', 1), show(memory), goals[name] ?? '']
    })
    return table(['what', 'seconds', 'MiB', 'goal'], ...rows)
  },
}
