import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import type { DnsRecord } from '../../../sandbox/cloudflare/records/record.ts'
import { startIpv6Relay } from '../../support/ipv6-relay.ts'
import { listen } from '../../support/listen.ts'
import { runAction, type StepRun } from '../../support/runner.ts'
import { after, before, type RecordSketch, type Stage } from '../../support/stage.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

/** A way to run the action. Each of its operations fails in turn. */
export interface UseCase {
  readonly name: string
  /** The records at the start. */
  readonly records: readonly RecordSketch[]
  /** The managed records, with their contents before and after the run. */
  readonly managed: readonly Managed[]
  inputs(stage: Stage, urls: Urls): Readonly<Record<string, string>>
}

export interface Managed {
  readonly type: 'A' | 'AAAA'
  readonly name: string
  readonly before: string | null
  readonly after: string
}

/** URLs of the servers beside the stage. */
export interface Urls {
  readonly echo6: string
  readonly monitor: string
}

export const modes = ['error', 'stall', 'cut', 'garbage'] as const

/** An operation that fails: in `read 3 cut`, the third read from a socket loses its second half. */
export interface Fault {
  readonly kind: string
  readonly number: number
  readonly mode: (typeof modes)[number]
}

export interface Torture {
  /** The records at the start, as the service has them. */
  readonly start: readonly DnsRecord[]
  readonly run: StepRun
  /** How often each kind of operation took place. */
  readonly counts: Readonly<Record<string, number>>
  /** Whether the operation that should fail took place. */
  readonly isReached: boolean
  /** When the process ended, counted from its start; null if it had to be killed. */
  readonly endedMs: number | null
}

const home: Managed = { type: 'A', name: 'home.example.com', before, after }
const bystander: RecordSketch = { name: 'other.example.com', content: '192.0.2.77' }
const before6 = '2001:db8:1::10'
const after6 = '2001:db8:2::10'
const names = ['n0.example.com', 'n1.example.com', 'n2.example.com', 'n3.example.com']

export const roundTimeoutMs = 5000

export const useCases: readonly UseCase[] = [
  {
    name: 'an update',
    records: [{ content: before, comment: 'the attic' }, bystander],
    managed: [home],
    inputs: () => ({}),
  },
  {
    name: 'no change',
    records: [{ content: after }, bystander],
    managed: [{ ...home, before: after }],
    inputs: () => ({}),
  },
  {
    name: 'a creation',
    records: [bystander],
    managed: [{ ...home, before: null }],
    inputs: () => ({ create: 'true' }),
  },
  {
    name: 'an AAAA record',
    records: [{ type: 'AAAA', content: before6 }, { content: before }],
    managed: [{ type: 'AAAA', name: home.name, before: before6, after: after6 }],
    inputs: (_, { echo6 }) => ({ 'record-type': 'AAAA', 'address-sources': echo6 }),
  },
  {
    name: 'many names',
    records: [...names.map((name, index) => ({ name, content: index === 1 ? after : before })), bystander],
    managed: names.map((name, index) => ({ ...home, name, before: index === 1 ? after : before })),
    inputs: () => ({ hostname: names.join('\n') }),
  },
  {
    name: 'verify: dns',
    records: [{ content: before }, bystander],
    managed: [home],
    inputs: ({ description }) => ({
      verify: 'dns',
      'name-servers': description.nameServers.map(({ host, port }) => `${host}:${port}`).join('\n'),
    }),
  },
  {
    name: 'a dns: source',
    records: [{ content: before }, { name: 'router.example.com', content: after }, bystander],
    managed: [home],
    inputs: ({ description }) => ({
      'address-sources': 'dns:router.example.com',
      'doh-resolvers': description.doh.join('\n'),
    }),
  },
  {
    name: 'a heartbeat and a message',
    records: [{ content: before }, bystander],
    managed: [home],
    inputs: (_, { monitor }) => ({
      'heartbeat-url': `${monitor}/ping/8e2c`,
      'notify-url': `${monitor}/topic/8e2c`,
    }),
  },
]

/** Starts the servers that some use cases need besides the stage. */
export async function startServers(stage: Stage): Promise<Urls & { close(): void }> {
  const relay = await startIpv6Relay(stage.description.echo[0] ?? '')
  const monitor = createServer((_, response) => response.end('OK'))
  return {
    echo6: relay.url,
    monitor: await listen(monitor),
    close() {
      relay.close()
      monitor.close()
    },
  }
}

/** Runs the shipped bundle through a use case, with one operation failing or none. */
export async function torture(
  stage: Stage,
  urls: Urls,
  { records, inputs }: UseCase,
  fault: Fault | null,
): Promise<Torture> {
  const start = await stage.setRecords(...records)
  await stage.setEchoes(records.some(({ type }) => type === 'AAAA') ? after6 : after)
  await stage.control('DELETE', '/journal')
  const folder = temporaryFolder()
  const counts = join(folder, 'counts')
  const preload = new URL('operations.ts', import.meta.url).href
  const run = await runAction(stage.inputs({ timeout: `${roundTimeoutMs}ms`, ...inputs(stage, urls) }), {
    env: {
      NODE_OPTIONS: `--import=${preload}`,
      TORTURE_COUNTS: counts,
      TORTURE: fault ? `${fault.kind} ${fault.number} ${fault.mode}` : '',
    },
  })
  const ended = await readFile(counts, 'utf8').catch(() => null)
  const none = { counts: {}, isReached: false, endedMs: null }
  return { start, run, ...(ended === null ? none : JSON.parse(ended)) }
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
