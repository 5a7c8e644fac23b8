import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { withResolvers } from '../../support/host.ts'
import { runAction } from '../../support/runner.ts'
import { after, before, type RecordSketch, type Stage } from '../../support/stage.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

/** A way to run the action. Each of its operations fails in turn. */
export interface UseCase {
  readonly name: string
  /** The records at the start. */
  readonly records: readonly RecordSketch[]
  /** Whose A records the run keeps. */
  readonly names: readonly string[]
  /** `monitorUrl` is of a server that takes heartbeats and messages. */
  inputs?(stage: Stage, monitorUrl: string): Readonly<Record<string, string>>
}

export const modes = ['error', 'stall', 'cut', 'garbage'] as const

/** An operation that fails: in `read 3 cut`, the third read from a socket loses its second half. */
export interface Fault {
  readonly kind: string
  readonly number: number
  readonly mode: (typeof modes)[number]
}

/** What a process tells of itself when it ends. */
interface Ended {
  /** How often each kind of operation took place. */
  readonly counts: Readonly<Record<string, number>>
  /** Whether the operation that should fail took place. */
  readonly isReached: boolean
  /** When the process ended, counted from its start; null if it had to be killed. */
  readonly endedMs: number | null
}

export type Torture = Awaited<ReturnType<typeof torture>>

const home = ['home.example.com']
const bystander: RecordSketch = { name: 'other.example.com', content: '192.0.2.77' }
const four = ['n0.example.com', 'n1.example.com', 'n2.example.com', 'n3.example.com']

export const roundTimeoutMs = 5000

export const useCases: readonly UseCase[] = [
  {
    name: 'an update',
    records: [{ content: before, comment: 'the attic' }, bystander],
    names: home,
  },
  {
    name: 'a creation',
    records: [bystander],
    names: home,
    inputs: () => ({ create: 'true' }),
  },
  {
    name: 'many names',
    records: [...four.map((name, index) => ({ name, content: index === 1 ? after : before })), bystander],
    names: four,
    inputs: () => ({ hostname: four.join('\n') }),
  },
  {
    name: 'verify: dns',
    records: [{ content: before }, bystander],
    names: home,
    inputs: ({ description }) => ({
      verify: 'dns',
      'name-servers': description.nameServers.map(({ host, port }) => `${host}:${port}`).join('\n'),
    }),
  },
  {
    name: 'a dns: source',
    records: [{ content: before }, { name: 'router.example.com', content: after }, bystander],
    names: home,
    inputs: () => ({ 'address-sources': 'dns:router.example.com' }),
  },
  {
    name: 'a heartbeat and a message',
    records: [{ content: before }, bystander],
    names: home,
    inputs: (_, monitorUrl) => ({
      'heartbeat-url': `${monitorUrl}/ping/8e2c`,
      'notify-url': `${monitorUrl}/topic/8e2c`,
    }),
  },
]

/** Runs the action's bundle through a use case, with one operation failing or none. Returns the records at the start, too. */
export async function torture(
  stage: Stage,
  monitorUrl: string,
  { records, inputs }: UseCase,
  fault: Fault | null,
) {
  const start = stage.setRecords(...records)
  stage.setEchoes(after)
  stage.control.clearJournal()
  const folder = temporaryFolder()
  const counts = join(folder, 'counts')
  const preload = new URL('operations.ts', import.meta.url).href
  const resolvers = withResolvers(stage.description)
  const run = await runAction(
    stage.inputs({ timeout: `${roundTimeoutMs}ms`, ...inputs?.(stage, monitorUrl) }),
    {
      env: {
        ...resolvers,
        NODE_OPTIONS: `${resolvers.NODE_OPTIONS} --import=${preload}`,
        TORTURE_COUNTS: counts,
        TORTURE: fault ? `${fault.kind} ${fault.number} ${fault.mode}` : '',
      },
    },
  )
  const ended = await readFile(counts, 'utf8').catch(() => null)
  const none: Ended = { counts: {}, isReached: false, endedMs: null }
  return { start, run, ...(ended === null ? none : (JSON.parse(ended) as Ended)) }
}

/** Lists every way in which one operation of a run can fail. A file cannot stall: its functions return at once or throw. */
export function faultsOf(counts: Readonly<Record<string, number>>): readonly Fault[] {
  return Object.entries(counts).flatMap(([kind, count]) =>
    Array.from({ length: count }, (_, index) => index + 1).flatMap(number =>
      modes
        .filter(mode => !(kind === 'file' && mode === 'stall') && !(kind === 'print' && mode !== 'error'))
        .map(mode => ({ kind, number, mode })),
    ),
  )
}
