import { existsSync } from 'node:fs'
import { systemClock as clock } from '../action/deadline.ts'
import {
  type Chosen,
  checkArguments,
  findCommand,
  helpOption,
  runCommand,
  type Subcommand,
  type Terminal,
  UsageError,
} from '../lib/command.ts'
import { canonicalHostname, maxHostnames } from '../lib/hostname.ts'
import { bitsInIpv6, ipv6Bits, ipv6Text, parseIpv6 } from '../lib/ip-address.ts'
import type { Ipv6Suffix } from '../lib/ipv6-suffix.ts'
import { quote } from '../lib/quote.ts'
import type { Reading } from '../lib/reading.ts'
import { sortTypes } from '../lib/record-type.ts'
import { replaceFile } from '../lib/replace-file.ts'
import { maxServerSecretBytes } from '../lib/secret-file.ts'
import { readTextFile } from '../lib/text-file.ts'
import { hasCredentials, parseSafeUrl } from '../lib/url.ts'
import { checkEndpoint, checkRecords } from './check.ts'
import { clients } from './clients.ts'
import {
  type Host,
  hostLine,
  maxHashes,
  maxSecretBytes,
  networkBits,
  readHosts,
  readName,
  readSuffix,
  readTypes,
  writeTypes,
} from './hosts.ts'
import { exchange } from './node-exchange.ts'
import { createPassword, hashPassword } from './passwords.ts'
import { maxNames, updatePaths } from './protocol.ts'
import { readEnvironment } from './secret-files.ts'

const usage = `Usage: npm run push -- <command> [options]

Commands
  serve               serve the endpoint; SIGTERM stops it
  check               read the records with the settings, and say what is wrong and what a ping would do. Writes nothing
  add HOSTNAME...     create a password for one or more names, and print it once, with the lines for HOSTS and for each
                      client. A name that is listed keeps its last password until the next add: change it in the router
  list                list the names, their types and how many passwords each has
  remove HOSTNAME     remove a name; with --old, only its older password

Options
  --hosts FILE        with add, list and remove: the file with the lines of HOSTS. add and remove change it
                      (default: HOSTS_FILE; without it, they read HOSTS and print the new text)
  --types TYPES       with add: A (the default for a new name), AAAA or A,AAAA
  --suffix SUFFIX     with add: the host part of a host behind the router, such as ::1:2:3:4/64, behind the prefix of a ping.
                      For one of several names NAME=SUFFIX, again for each
  --url URL           with add: the address of the endpoint, for the lines of the clients
                      with check: also try the endpoint there, without a password
  --old               with remove: keep the newest password
  --help              show this help

The settings are environment variables; docs/router-reference.md describes them. Each secret can be in a file: API_TOKEN_FILE and so on.

Exit status: 0 done, 1 the check found an error or the name is not listed, 2 wrong usage or settings.
`

/** Of a Worker for one ping (documentation of Workers, Limits). */
const freeRequests = 50

const text = { type: 'string' } as const
const options = {
  hosts: text,
  types: text,
  url: text,
  suffix: { ...text, multiple: true },
  old: { type: 'boolean' },
  ...helpOption,
} as const

/** What a command was given, and where it prints. */
interface Run extends Terminal {
  readonly names: readonly string[]
  readonly values: Chosen<typeof options>
  readonly env: Readonly<Record<string, string | undefined>>
  readonly serve: () => Promise<void>
}

/** A command, and what it does: it returns the exit status. */
interface Command extends Subcommand {
  readonly run: (run: Run) => Promise<number | null>
}

const commands: ReadonlyMap<string, Command> = new Map<string, Command>([
  ['serve', { run: ({ serve }) => serve().then(() => null) }],
  ['check', { options: ['url'], run: check }],
  ['add', { takes: ['a HOSTNAME'], many: true, options: ['hosts', 'types', 'suffix', 'url'], run: add }],
  ['list', { options: ['hosts'], run: list }],
  ['remove', { takes: ['a HOSTNAME'], options: ['hosts', 'old'], run: remove }],
])

/** Runs a command of the endpoint. Returns the exit status, or null while it serves. */
export function runPushCommand(
  args: readonly string[],
  given: Omit<Run, 'names' | 'values'>,
): Promise<number | null> {
  const frame = { args, call: 'npm run push --', help: usage, options, takesArguments: true }
  return runCommand(frame, given, async (values, [name = '', ...names]) => {
    const command = findCommand(commands, name, values)
    checkArguments(name, command, names)
    return command.run({ ...given, names, values })
  })
}

async function check({ values, env, line, problem }: Run) {
  const endpoint = values.url === undefined ? null : readUrl(values.url)
  const reading = readEnvironment(env, problem)
  if ('problems' in reading) {
    for (const message of reading.problems) problem(message)
    return 2
  }
  const findings = [
    ...(await checkRecords(reading.value, exchange, clock)),
    ...(endpoint ? await checkEndpoint(endpoint, reading.value, exchange) : []),
  ]
  for (const { level, text } of findings) line(`${level.padEnd(5)}  ${text}`)
  return findings.some(({ level }) => level === 'error') ? 1 : 0
}

async function list(run: Run) {
  for (const host of openHosts(run, true).listed)
    run.line(`${host.name}\t${writeTypes(host)}\t${host.hashes.length}`)
  return 0
}

async function remove(run: Run) {
  const { listed, save } = openHosts(run, true)
  const [name] = readNames(run.names)
  const found = listed.find(host => host.name === name)
  if (!found) {
    run.problem(`${name} is not listed.`)
    return 1
  }
  const left = run.values.old ? [{ ...found, hashes: found.hashes.slice(0, 1) }] : []
  run.line(save(listed.flatMap(host => (host === found ? left : [host]))))
  return 0
}

async function add(run: Run) {
  const { listed, save } = openHosts(run)
  const hostnames = readNames(run.names)
  const given = run.values.types === undefined ? null : must(readTypes(run.values.types), '--types')
  const suffixes = readSuffixes(run, hostnames)
  if (suffixes.size > 0 && given?.includes('AAAA') === false)
    throw new UsageError('--suffix is for AAAA records. Use --types AAAA or A,AAAA.')
  const endpoint = run.values.url === undefined ? 'ENDPOINT' : readUrl(run.values.url).host
  const password = createPassword()
  const hash = await hashPassword(password)
  const changed = new Map(listed.map(host => [host.name, host]))
  for (const name of hostnames) {
    const before = changed.get(name)
    const hashes = [hash, ...(before?.hashes ?? [])].slice(0, maxHashes)
    const part = suffixes.get(name)
    const kept = before?.types ?? (part ? [] : ['A'])
    const types = given ?? sortTypes(part ? [...kept, 'AAAA'] : kept)
    const suffix = types.includes('AAAA') && (part ?? before?.suffix)
    changed.set(name, { name, types, ...(suffix && { suffix }), hashes })
  }
  const hosts = [...changed.values()]
  if (hosts.length > Math.max(maxHostnames, listed.length))
    throw new UsageError(
      `HOSTS has ${hosts.length} names, and the limit is ${maxHostnames}. Make the others CNAMEs to one of them, which need no update, or use a second endpoint.`,
    )
  const saved = save(hosts)
  run.line(`Password, shown only now: ${password}\n`)
  run.line(`${saved}\n\n${sayFits(hosts)}`)
  if (changed.size > hostnames.length) run.line(sayOthers([...changed.keys()]))
  const behind = hostnames.filter(name => changed.get(name)?.suffix)
  const ipv4 = hostnames.filter(name => !behind.includes(name) || changed.get(name)?.types.includes('A'))
  const account = { endpoint, hostnames, ipv4, behind, password }
  if (behind.length > 0) run.line(`\n${onlyBehind} ${behind.join(', ')}.`)
  for (const client of clients) {
    const lines = client.lines(account).map(text => `  ${text}`)
    if (lines.length > 0) run.line(['', client.name, ...lines].join('\n'))
  }
  return 0
}

/** What follows are names with a host part. */
const onlyBehind =
  'UniFi and most others send no prefix: let a host of the network ping, such as with ddclient. Of the clients below, ' +
  'only FRITZ!Box, OPNsense, pfSense and OpenWrt keep the AAAA records of'

/** Says how the names that are listed get the same password. */
const sayOthers = (names: readonly string[]) =>
  `\nA ping has one password. If one router keeps these names, too, add them together: ${names.join(' ')}`

/** Reads the host parts of names: `SUFFIX` of a single name, or `NAME=SUFFIX`. */
function readSuffixes({ values }: Run, hostnames: readonly string[]): ReadonlyMap<string, Ipv6Suffix> {
  const suffixes = new Map<string, Ipv6Suffix>()
  const [only, ...others] = hostnames
  for (const text of values.suffix ?? []) {
    const [, given, part = ''] = /^(?:(.*)=)?(.*)$/.exec(text) ?? []
    const name = given === undefined ? only : canonicalHostname(given)
    const suffix = readSuffix(part)
    // Outside GitHub's logs, `::` does not start a command.
    const shown = /^[\da-f:./]+$/i.test(part) ? `"${part}"` : quote(part)
    if ('problem' in suffix) throw new UsageError(`--suffix ${shown} ${suffix.problem}.${useSuffix(part)}`)
    if (!name || !hostnames.includes(name) || (given === undefined && others.length > 0)) {
      const whose = given === undefined ? 'several names' : `${quote(given)}, which is not added`
      throw new UsageError(`--suffix ${shown} is for ${whose}. Use NAME=::1:2:3:4/64.`)
    }
    if (suffixes.has(name)) throw new UsageError(`--suffix has two host parts for ${name}. Keep one.`)
    suffixes.set(name, suffix.value)
  }
  return suffixes
}

/** Says which host part an address has in a network of 64 bits; nothing of another text. */
function useSuffix(text: string): string {
  const address = parseIpv6(text.replace(/\/\d+$/, ''))
  if (address === null) return ''
  const part = `${ipv6Text(BigInt.asUintN(bitsInIpv6 - networkBits, ipv6Bits(address)))}/${networkBits}`
  return 'value' in readSuffix(part) ? ` Use ${part}.` : ''
}

/** Says how many names fit into one ping, and how many requests a change of them takes: two lists, and a write for each record. */
function sayFits(hosts: readonly Host[]): string {
  const most = hosts.map(({ types }) => types.length).toSorted((one, other) => other - one)
  const requests = most.slice(0, maxNames).reduce((sum, records) => sum + records, 2)
  const pings = Math.ceil(hosts.length / maxNames)
  const fits =
    pings > 1
      ? `${maxNames} of ${hosts.length} names fit into one ping, so send ${pings}`
      : 'All names fit into one ping'
  const said = `${fits}. A change of all its names takes ${requests} requests, and a Worker on the free plan can send ${freeRequests}.`
  const bytes = Buffer.byteLength(hosts.map(hostLine).join('\n'))
  if (bytes <= maxSecretBytes) return said
  return `${said}\nThe lines have ${bytes} bytes, but a Worker secret can have at most ${maxSecretBytes}. Use a second endpoint.`
}

function readUrl(text: string): URL {
  const url = parseSafeUrl(text)
  if (!url) throw new UsageError(`--url is ${quote(text)}. Use an https URL (http only on loopback).`)
  const rest = url.pathname + url.search + url.hash
  if (!hasCredentials(url) && ['/', ...updatePaths].includes(rest)) return url
  // Clients that take a host only, such as ddclient, could not have any of it.
  const extra = hasCredentials(url) ? 'a user name or a password' : quote(rest)
  throw new UsageError(`--url has ${extra}. The endpoint needs a host of its own: use ${url.origin}.`)
}

function readNames(names: readonly string[]): readonly string[] {
  return [...new Set(names.map(name => must(readName(name), 'HOSTNAME')))]
}

function must<Value>(reading: Reading<Value>, what: string): Value {
  if ('problem' in reading) throw new UsageError(`${what} ${reading.problem}`)
  return reading.value
}

/**
 * Reads the hosts of a file or of HOSTS. `save` returns what to print about others.
 * @param mustExist whether the file must exist
 */
function openHosts({ values, env }: Run, mustExist = false) {
  const file = values.hosts ?? (env['HOSTS_FILE'] || null)
  const isRead = file !== null && (mustExist || existsSync(file))
  const text =
    file === null
      ? (env['HOSTS'] ?? '')
      : isRead
        ? must(readTextFile(file, maxServerSecretBytes), quote(file))
        : ''
  const listed = text.trim() === '' ? [] : must(readHosts(text), 'HOSTS')
  function save(changed: readonly Host[]): string {
    const lines = changed.map(host => `${hostLine(host)}\n`).join('')
    try {
      if (file !== null) replaceFile(file, lines)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      throw new UsageError(`The file of the hosts cannot be used (${code}). Check its path and owner.`)
    }
    return `${file ?? 'HOSTS'}\n${lines}`.trimEnd()
  }
  return { listed, save }
}
