import { readFileSync } from 'node:fs'
import type { AddressRules } from '../address/check.ts'
import type { EchoSource } from '../address/echo.ts'
import { type Cidr, parseCidr, parseIpv4 } from '../address/ipv4.ts'
import { majority } from '../address/quorum.ts'
import type { Problem } from '../problem.ts'
import { canonicalHostname } from '../records/hostname.ts'
import type { Target, Wanted } from '../records/record.ts'
import { quote } from '../report/quote.ts'
import { checkProxies } from './proxies.ts'
import {
  createReader,
  type Environment,
  inputDefaults,
  isSafeTransport,
  type Reader,
  readBoolean,
  readChoice,
  withDefault,
} from './reader.ts'

/** Where the address comes from. */
export type AddressSource =
  | { readonly kind: 'given'; readonly address: string }
  | { readonly kind: 'echo'; readonly sources: readonly EchoSource[]; readonly quorum: number }

/** Everything the run was asked to do, validated. */
export interface Settings {
  readonly token: string
  readonly targets: readonly Target[]
  readonly source: AddressSource
  readonly addressRules: AddressRules
  readonly record: Pick<Wanted, 'ttl' | 'proxied' | 'onDrift' | 'create'>
  readonly dryRun: boolean
  /** Root of the interface, without a slash at the end. */
  readonly baseUrl: string
  readonly timeoutMs: number
}

export type Reading =
  | { readonly kind: 'settings'; readonly settings: Settings }
  | { readonly kind: 'refused'; readonly problem: Problem }

/** Three services of three operators (ipify, Amazon, Cloudflare), each answering over IPv4 with the bare address. */
export const defaultEchoUrls = [
  'https://api4.ipify.org',
  'https://checkip.amazonaws.com',
  'https://ipv4.icanhazip.com',
] as const

const maxHostnames = 100
const maxSources = 10
const minTimeoutMs = 1000
const maxTimeoutMs = 15 * 60 * 1000

/** What the report needs before any input is checked, since a complaint about one may show another's value. */
export interface ReportNeeds {
  /** As given, so that it can be masked before anything else happens. */
  readonly token: string
  readonly maskAddress: boolean
  /** Where the runner collects the job summary; undefined when it does not. */
  readonly summaryFile: string | undefined
}

/** A wrong `mask-address` stands at its default here; `readSettings` complains of it. */
export function readReportNeeds(env: Environment): ReportNeeds {
  const choice = readMaskChoice(createReader(env, []))
  return {
    token: env['INPUT_API-TOKEN'] ?? '',
    maskAddress: choice === 'auto' ? !isPrivateRepository(env['GITHUB_EVENT_PATH']) : choice === 'true',
    summaryFile: env['GITHUB_STEP_SUMMARY'] || undefined,
  }
}

/**
 * Reads every input, once, and either gives all settings or one problem that names each wrong input with its cure.
 * Nothing else reads the environment (the HTTP client's proxy variables apart). Blank counts as left out: the runner
 * does not enforce `required`, and hands a missing secret over as an empty text.
 */
export function readSettings(env: Environment): Reading {
  const problems: string[] = []
  const read = createReader(env, problems)

  const token = readToken(read)
  const targets = readTargets(read)
  const source = readSource(read)
  const allowHostedRunner = readBoolean(read, 'allow-hosted-runner')
  const settings: Settings = {
    token,
    targets,
    source,
    addressRules: {
      expectedCidrs: readCidrs(read),
      allowReserved: readBoolean(read, 'allow-reserved-address'),
    },
    record: {
      ttl: readTtl(read),
      proxied: readBoolean(read, 'proxied'),
      onDrift: readChoice(read, 'on-drift', ['warn', 'repair']),
      create: readBoolean(read, 'create'),
    },
    dryRun: readBoolean(read, 'dry-run'),
    baseUrl: readBaseUrl(read),
    timeoutMs: readTimeout(read),
  }
  readMaskChoice(read)
  checkProxies(read, env)

  const hosted =
    source.kind === 'echo' && env['RUNNER_ENVIRONMENT'] === 'github-hosted' && !allowHostedRunner
      ? hostedRunnerTrap
      : null
  if (problems.length > 0) {
    const all = hosted ? [...problems, hosted] : problems
    return { kind: 'refused', problem: { reason: 'invalid-input', message: all.join('\n') } }
  }
  if (hosted) return { kind: 'refused', problem: { reason: 'hosted-runner', message: hosted } }
  return { kind: 'settings', settings }
}

const hostedRunnerTrap =
  'This runs on a GitHub-hosted runner, whose public address is GitHub’s and changes with every run, so an echo ' +
  'service would put GitHub’s address into your DNS. Use a self-hosted runner on the network whose address is meant, ' +
  'or give the address as the input address. Only if the runner’s own address is really wanted, set ' +
  'allow-hosted-runner: true.'

function readToken(read: Reader): string {
  const token = read.text('api-token')
  const addProblem = (message: string) => read.addProblem('api-token', message)
  if (token === '') {
    addProblem(
      'is empty. Pass the secret that holds the token; runs for forks and Dependabot get no secrets, and an ' +
        'environment’s secret needs environment: on the job.',
    )
  } else if (/^bearer\s/i.test(token)) {
    addProblem('starts with "Bearer". Paste the token alone; the word is added when it is sent.')
  } else if (token.startsWith('cfk_')) {
    addProblem(
      'is a global API key, which may do everything in the account. Create a token from the template "Edit zone DNS" ' +
        'for this one zone instead.',
    )
  } else if (!/^[\x21-\x7e]+$/.test(token)) {
    addProblem('contains white space or characters that no token has. Paste it again, as one line.')
  }
  return token
}

function readTargets(read: Reader): readonly Target[] {
  const defaultZone = read.text('zone-id')
  if (defaultZone !== '') checkZoneId(read, 'zone-id', defaultZone)
  const lines = read.lines('hostname')
  if (lines.length === 0) {
    read.addProblem(
      'hostname',
      'is empty. Give a fully qualified name, such as home.example.com; one a line.',
    )
    if (defaultZone === '') read.addProblem('zone-id', 'is empty. Copy it from the zone’s overview page.')
  }
  if (lines.length > maxHostnames) {
    read.addProblem('hostname', `lists ${lines.length} names; one run keeps ${maxHostnames} at the most.`)
    return []
  }
  const targets = lines.flatMap(line => readTarget(read, line, defaultZone))
  const seen = new Set<string>()
  for (const { hostname } of targets) {
    if (seen.has(hostname)) read.addProblem('hostname', `lists ${hostname} twice.`)
    seen.add(hostname)
  }
  return targets
}

function readTarget(read: Reader, line: string, defaultZone: string): readonly Target[] {
  const [name = '', ownZone, ...rest] = line.split(/\s+/)
  const hostname = canonicalHostname(name)
  if (!hostname) {
    read.addProblem(
      'hostname',
      `${quote(name)} is not a fully qualified name. Write it like home.example.com, without https://, port or path.`,
    )
  }
  if (rest.length > 0) {
    read.addProblem(
      'hostname',
      `${quote(line)} has more than a name and a zone id. Put one name on each line.`,
    )
  } else if (ownZone !== undefined) {
    checkZoneId(read, `hostname ${quote(name)}: its zone id`, ownZone)
  } else if (defaultZone === '') {
    read.addProblem('zone-id', `is empty, and hostname ${quote(name)} has no zone id of its own behind it.`)
  }
  return hostname ? [{ hostname, zoneId: (ownZone ?? defaultZone).toLowerCase() }] : []
}

function checkZoneId(read: Reader, what: string, id: string): void {
  if (/^[0-9a-f]{32}$/i.test(id)) return
  const found = id.includes('.') ? ', a name' : ''
  read.addProblem(
    what,
    `is ${quote(id)}${found}; it must be the 32 hex digits shown as "Zone ID" on the zone's overview page.`,
  )
}

function readSource(read: Reader): AddressSource {
  const given = read.text('address')
  const urls = read.lines('address-sources')
  if (given !== '') {
    if (urls.length > 0) read.addProblem('address', 'excludes address-sources. Give one of the two.')
    const address = parseIpv4(given)
    if (!address) {
      read.addProblem('address', `is ${quote(given)}; it must be one IPv4 address, such as 198.51.100.7.`)
    }
    return { kind: 'given', address: address ?? '' }
  }
  if (urls.length > maxSources) {
    read.addProblem('address-sources', `lists ${urls.length} sources; ${maxSources} are the most.`)
    return { kind: 'echo', sources: [], quorum: 1 }
  }
  const sources = (urls.length > 0 ? urls : defaultEchoUrls).flatMap(url => readEchoUrl(read, url))
  const names = new Set<string>()
  for (const { name } of sources) {
    if (names.has(name)) {
      read.addProblem('address-sources', `asks ${name} twice; two answers of one service are one vote.`)
    }
    names.add(name)
  }
  return { kind: 'echo', sources, quorum: readQuorum(read, sources.length) }
}

function readEchoUrl(read: Reader, text: string): readonly EchoSource[] {
  const addProblem = (message: string) => read.addProblem('address-sources', message)
  if (text.startsWith('dns:')) {
    addProblem(`${quote(text)} is not supported by this version; give https URLs of echo services.`)
    return []
  }
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || !isSafeTransport(url)) {
    addProblem(`${quote(text)} must be an https URL (http only on loopback), one a line.`)
    return []
  }
  if (url.username !== '' || url.password !== '') {
    addProblem(
      `for ${quote(url.host)} contains a user name or password, which an echo service does not need.`,
    )
    return []
  }
  return [{ url: url.href, name: url.host }]
}

function readQuorum(read: Reader, sources: number): number {
  const text = read.text('quorum')
  if (text === '') return majority(sources)
  const quorum = /^\d{1,3}$/.test(text) ? Number(text) : 0
  if (quorum < 1 || quorum > sources) {
    read.addProblem(
      'quorum',
      `is ${quote(text)}; it must be a whole number from 1 to ${sources}, the number of sources.`,
    )
  }
  return quorum
}

function readCidrs(read: Reader): readonly Cidr[] {
  return read.lines('expected-cidr').flatMap(line => {
    const range = parseCidr(line)
    if (!('problem' in range)) return [range]
    read.addProblem('expected-cidr', `${quote(line)} ${range.problem}.`)
    return []
  })
}

/** 60 to 86,400 seconds, on the Enterprise plan from 30, or 1 for automatic; source: the DNS service's API reference. */
function readTtl(read: Reader): number {
  const text = withDefault(read, 'ttl')
  const ttl = /^\d{1,6}$/.test(text) ? Number(text) : 0
  if (ttl !== 1 && (ttl < 30 || ttl > 86_400)) {
    read.addProblem(
      'ttl',
      `is ${quote(text)}; it must be 60 to 86400 seconds (30 on Enterprise), or 1 for automatic.`,
    )
  }
  return ttl
}

function readBaseUrl(read: Reader): string {
  const text = withDefault(read, 'base-url')
  const addProblem = (message: string) => read.addProblem('base-url', message)
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || !isSafeTransport(url)) {
    addProblem(
      `is ${quote(text)}; it must be an https URL (http only on loopback), since the token is sent there.`,
    )
    return ''
  }
  if (url.username !== '' || url.password !== '')
    addProblem('contains a user name or password. Leave them out.')
  if (!/^(\/client\/v4)?\/?$/.test(url.pathname) || url.search !== '' || url.hash !== '') {
    addProblem(
      `is ${quote(text)}; give the root, such as ${inputDefaults['base-url']}. The path is added to it.`,
    )
  }
  return url.origin
}

function readTimeout(read: Reader): number {
  const text = withDefault(read, 'timeout')
  const [, digits = '', unit = ''] = /^(\d{1,6})(ms|s|m)$/.exec(text) ?? []
  const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000 }
  const timeoutMs = Number(digits) * (unitMs[unit] ?? 0)
  if (timeoutMs < minTimeoutMs || timeoutMs > maxTimeoutMs) {
    read.addProblem('timeout', `is ${quote(text)}; write a time from 1s to 15m, such as 60s.`)
  }
  return timeoutMs
}

/** `auto` masks, unless the event that started the run says that nobody but members can read its log. */
function readMaskChoice(read: Reader): 'auto' | 'true' | 'false' {
  return readChoice(read, 'mask-address', ['auto', 'true', 'false'])
}

function isPrivateRepository(eventPath: string | undefined): boolean {
  if (!eventPath) return false
  try {
    const event: { repository?: { private?: unknown } } | null = JSON.parse(readFileSync(eventPath, 'utf8'))
    return event?.repository?.private === true
  } catch {
    return false
  }
}
