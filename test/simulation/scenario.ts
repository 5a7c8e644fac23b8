import type { RecordType } from '../../lib/record-type.ts'
import { Sequence } from '../support/sequence.ts'

export const minuteMs = 60_000
export const dayMs = 24 * 60 * minuteMs

const echoes = ['https://echo-1.example/', 'https://echo-2.example/', 'https://echo-3.example/']
const dns = 'dns:router.example.net'
const wan = 'interface:wan'

/** Sets of address sources, how many votes an address needs, and how many requests ask them all. */
export const sourcesOf = {
  'three-echoes': { urls: echoes, quorum: 2, requests: 3 },
  'one-echo': { urls: echoes.slice(0, 1), quorum: 1, requests: 1 },
  dns: { urls: [dns], quorum: 1, requests: 2 },
  interface: { urls: [wan], quorum: 1, requests: 0 },
  mixed: { urls: [...echoes.slice(0, 2), dns, wan], quorum: 3, requests: 4 },
} as const

/** How Homeport is set up in a scenario. */
export interface Setup {
  readonly types: readonly RecordType[]
  readonly names: readonly string[]
  readonly sources: keyof typeof sourcesOf
  readonly suffix: string | null
  readonly expectedRanges: boolean
  readonly create: boolean
  readonly onDrift: 'warn' | 'repair'
  /** Null if Homeport is not told. */
  readonly proxied: boolean | null
  readonly dryRun: boolean
  readonly verifiesDns: boolean
  readonly timeoutS: number
}

/** When an event happens: at its time, or at the first such request after it. */
export type Trigger = 'now' | 'echo' | 'list' | 'write' | 'written'

/** Something that goes wrong or changes. `choice` decides the details. */
export interface Event {
  readonly atMs: number
  readonly trigger: Trigger
  readonly kind: EventKind
  readonly durationMs: number
  readonly choice: number
}

/** What a person at the dashboard does to a managed record. */
export const edits = [
  'content-edited',
  'fields-edited',
  'record-deleted',
  'record-doubled',
  'record-becomes-cname',
  'record-read-only',
] as const

/** What can happen at any moment, also in the middle of a request. */
const sudden = [
  'address-changes',
  ...edits,
  'bystander-edited',
  'process-frozen',
  'clock-jumps',
  'process-killed',
  'process-stopped',
  'rate-limited',
  'second-run',
  'request-fails',
] as const

/** What lasts a while. */
const lasting = [
  'uplink-down',
  'service-fails',
  'source-fails',
  'source-fails',
  'name-server-fails',
  'rate-limited',
  'second-run',
] as const

export type EventKind = (typeof sudden)[number] | (typeof lasting)[number]

/** Where the endpoint runs that a router reports to. */
export type RouterKind = 'node' | 'worker'

/** A week, or less, of five-minute rounds. Everything in it follows from the seed and the events. */
export interface Scenario {
  readonly seed: number
  readonly days: number
  readonly setup: Setup
  readonly events: readonly Event[]
  /** Set if a router reports the address beside the rounds. */
  readonly router?: RouterKind
}

/** Adds a router to a scenario. Its endpoint has no dry run, creates nothing, and asks no name server. */
export function withRouter(scenario: Scenario): Scenario {
  const setup: Setup = { ...scenario.setup, create: false, dryRun: false, verifiesDns: false, timeoutS: 60 }
  return { ...scenario, setup, router: scenario.seed % 2 === 0 ? 'node' : 'worker' }
}

const hostPart = '::1:2:3:4/64'

/** Plans a scenario. One in ten is stormy. */
export function planScenario(seed: number, days: number): Scenario {
  const random = new Sequence(seed)
  const planned = planSetup(random)
  const setup = { ...planned, proxied: planned.proxied || (seed % 2 === 0 ? null : false) }
  const perDay = random.chance(10) ? 30 : 3
  const events: Event[] = []
  const plan = (kinds: readonly EventKind[], triggers: readonly Trigger[], atMs: number) =>
    events.push({
      atMs,
      trigger: random.pick(triggers),
      kind: random.pick(kinds),
      durationMs: duration(random),
      choice: random.below(2 ** 31),
    })
  for (let incident = 0; incident < perDay * days; incident++) {
    // Most writes follow a change of the address, so faults of writes are planned with one.
    const atMs = random.below(days * dayMs)
    plan(random.chance(70) ? ['address-changes'] : ['content-edited'], ['now'], atMs)
    for (let more = random.below(4); more > 0; more--) {
      plan(
        random.chance(50) ? ['request-fails'] : sudden,
        ['echo', 'list', 'write', 'write', 'written'],
        atMs,
      )
    }
    plan(random.chance(50) ? lasting : sudden, ['now'], random.below(days * dayMs))
  }
  events.sort((one, other) => one.atMs - other.atMs)
  return { seed, days, setup, events }
}

function planSetup(random: Sequence): Setup {
  const types = random.pick<readonly RecordType[]>([['A'], ['A'], ['A'], ['A'], ['AAAA'], ['A', 'AAAA']])
  const names = random.pick([
    ...Array(5).fill(['home.example.com']),
    ['home.example.com', 'vpn.example.com', 'cam.example.com'],
  ])
  const verifiesDns = random.chance(10)
  return {
    types,
    names,
    sources: random.pick([...Array(3).fill('three-echoes'), 'one-echo', 'dns', 'interface', 'mixed']),
    suffix: types.includes('AAAA') && random.chance(40) ? hostPart : null,
    expectedRanges: random.chance(30),
    create: random.chance(30),
    onDrift: random.pick(['warn', 'repair']),
    proxied: random.chance(20),
    dryRun: random.chance(3),
    verifiesDns,
    timeoutS: verifiesDns ? 60 : random.pick([60, 60, 60, 20, 6]),
  }
}

/** Draws a duration from 0.5 s to 4 h, evenly on a logarithmic scale. Returns milliseconds. */
function duration(random: Sequence): number {
  return Math.round(500 * (8 * 3600) ** (random.below(10_000) / 10_000))
}

/** Returns the inputs of the action for a setup. */
export function textsOf(setup: Setup): Readonly<Record<string, string>> {
  return {
    'api-token': token,
    'zone-id': zoneId,
    hostname: setup.names.join('\n'),
    'record-type': setup.types.join(','),
    'address-sources': sourcesOf[setup.sources].urls.join('\n'),
    'expected-cidr': setup.expectedRanges ? '84.0.0.0/8\n2a02::/16' : '',
    'ipv6-suffix': setup.suffix ?? '',
    create: String(setup.create),
    'on-drift': setup.onDrift,
    proxied: String(setup.proxied ?? ''),
    'dry-run': String(setup.dryRun),
    verify: setup.verifiesDns ? 'dns' : 'response',
    'name-servers': setup.verifiesDns ? '84.9.9.1\n84.9.9.2' : '',
    'base-url': baseUrl,
    timeout: `${setup.timeoutS}s`,
  }
}

/** Marked as a token of the sandbox, so that lists ask for shadow metadata. */
export const token = 'cfut_sandboxSim0lat1onTokenSim0lat1onTo'
export const zoneId = '0123456789abcdef0123456789abcdef'
export const zoneName = 'example.com'
export const baseUrl = 'https://dns-service.example'

/** Draws an address: one that a home connection can have, or one that a faulty source can return. */
export function drawAddress(
  random: Sequence,
  type: RecordType,
  kind: 'home' | 'other' | 'reserved' | 'proxy',
): string {
  const byte = () => 1 + random.below(254)
  const group = () => (0x1000 + random.below(0xe000)).toString(16)
  const starts: Readonly<Record<RecordType, Readonly<Record<typeof kind, readonly string[]>>>> = {
    A: { home: ['84'], other: ['93'], reserved: ['10', '192.168', '100.64', '172.16'], proxy: ['104.16'] },
    AAAA: { home: ['2a02'], other: ['2a01'], reserved: ['fd00', 'fe80'], proxy: ['2606:4700'] },
  }
  const start = random.pick(starts[type][kind])
  const [separator, part, parts] = type === 'A' ? (['.', byte, 4] as const) : ([':', group, 8] as const)
  const given = start.split(separator).length
  return [start, ...Array.from({ length: parts - given }, () => part())].join(separator)
}

/** Whether a record can hold an address that `drawAddress` returned. Recognises the kinds by their prefixes. */
export function isAcceptable(address: string, { expectedRanges }: Setup): boolean {
  if (address.startsWith('84.') || address.startsWith('2a02:')) return true
  return !expectedRanges && (address.startsWith('93.') || address.startsWith('2a01:'))
}

/** Returns what a record should hold when this is the address of the host. */
export function recordContent(address: string, { suffix }: Setup): string {
  if (suffix === null || !address.includes(':')) return address
  const prefix = address.split(':').slice(0, 4)
  return [...prefix, ...suffix.slice(2, suffix.indexOf('/')).split(':')].join(':')
}
