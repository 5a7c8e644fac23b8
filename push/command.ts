import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { systemClock as clock } from '../action/deadline.ts'
import { parseSafeUrl } from '../action/inputs/url.ts'
import { quote } from '../action/text/quote.ts'
import { checkEndpoint, checkRecords, type Finding } from './check.ts'
import { clients } from './clients.ts'
import { exchange } from './exchange.ts'
import { type Host, hostLine, maxHashes, readHosts, readName, readTypes } from './hosts.ts'
import { createPassword, hashPassword } from './passwords.ts'
import { withSecretFiles } from './secret-files.ts'
import { readSettings } from './settings.ts'

const help = `Usage: npm run push -- <command> [options]

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
  --url URL           with add: the address of the endpoint, for the lines of the clients
                      with check: also try the endpoint there, without a password
  --old               with remove: keep the newest password
  --help              show this help

The settings are environment variables; docs/push.md describes them. Each secret can be in a file: API_TOKEN_FILE and so on.

Exit status: 0 done, 1 the check found an error or the name is not listed, 2 wrong usage or settings.
`

type Environment = Readonly<Record<string, string | undefined>>

interface Output {
  readonly line: (text: string) => void
  readonly problem: (text: string) => void
}

class UsageError extends Error {
  override readonly name = 'UsageError'
}

const options = {
  hosts: { type: 'string' },
  types: { type: 'string' },
  url: { type: 'string' },
  old: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

type Values = ReturnType<typeof parse>['values']

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true })
  } catch (error) {
    // Its first sentence: the rest explains how Node reads options.
    throw new UsageError(`${quote((error as Error).message.split(/\.?(?:\s*\n|\. |$)/, 1)[0] ?? '')}.`)
  }
}

/** Which options a command takes, and the least and the most names. */
const usage = new Map<
  string,
  { readonly options: readonly string[]; readonly names: readonly [number, number] }
>([
  ['serve', { options: [], names: [0, 0] }],
  ['check', { options: ['url'], names: [0, 0] }],
  ['add', { options: ['hosts', 'types', 'url'], names: [1, 100] }],
  ['list', { options: ['hosts'], names: [0, 0] }],
  ['remove', { options: ['hosts', 'old'], names: [1, 1] }],
])

/** Runs a command of the endpoint. Returns the exit status, or null while it serves. */
export async function runPushCommand(
  args: readonly string[],
  env: Environment,
  output: Output,
  serve: () => Promise<void>,
): Promise<number | null> {
  try {
    const { values, positionals } = parse(args)
    const [command = '', ...names] = positionals
    if (values.help) {
      output.line(help)
      return 0
    }
    checkUsage(command, names, values)
    if (command === 'serve') {
      await serve()
      return null
    }
    if (command === 'check') return await check(env, values.url, output)
    return await changeHosts(command, names, values, env, output)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    output.problem(`${error.message} Run \`npm run push -- --help\` for help.`)
    return 2
  }
}

function checkUsage(command: string, names: readonly string[], values: Values): void {
  const known = usage.get(command)
  if (!known)
    throw new UsageError(command === '' ? 'Give a command.' : `There is no command ${quote(command)}.`)
  const [min, max] = known.names
  if (names.length < min) throw new UsageError(`\`${command}\` needs a HOSTNAME.`)
  if (names.length > max)
    throw new UsageError(`\`${command}\` takes ${max === 0 ? 'no arguments' : `at most ${max} HOSTNAME`}.`)
  const other = Object.keys(values).find(name => !known.options.includes(name))
  if (other) throw new UsageError(`\`${command}\` takes no --${other}.`)
}

async function check(env: Environment, url: string | undefined, { line, problem }: Output): Promise<number> {
  const endpoint = url === undefined ? null : readUrl(url)
  const secrets = withSecretFiles(env)
  const reading = readSettings(secrets.env)
  const problems = [...secrets.problems, ...('problems' in reading ? reading.problems : [])]
  for (const message of problems) problem(message)
  if ('problems' in reading || problems.length > 0) return 2
  const findings: Finding[] = [...(await checkRecords(reading.value, exchange, clock))]
  if (endpoint) findings.push(...(await checkEndpoint(endpoint, reading.value, exchange)))
  for (const { level, text } of findings) line(`${level.padEnd(5)}  ${text}`)
  return findings.some(({ level }) => level === 'error') ? 1 : 0
}

function readUrl(text: string): URL {
  const url = parseSafeUrl(text)
  if (!url) throw new UsageError(`--url is ${quote(text)}. Use an https URL (http only on loopback).`)
  return url
}

async function changeHosts(
  command: string,
  names: readonly string[],
  values: Values,
  env: Environment,
  { line, problem }: Output,
): Promise<number> {
  const file = values.hosts ?? env['HOSTS_FILE']
  const hosts = hostsIn(file, env)
  if (command === 'list') {
    for (const { name, types, hashes } of hosts) line(`${name}\t${types.join(',')}\t${hashes.length}`)
    return 0
  }
  const read = names.map(name => {
    const reading = readName(name)
    if ('problem' in reading) throw new UsageError(`HOSTNAME ${reading.problem}`)
    return reading.value
  })
  const canonical = [...new Set(read)]
  if (command === 'remove') {
    const [name] = canonical
    if (!hosts.some(host => host.name === name)) {
      problem(`${name} is not listed.`)
      return 1
    }
    const newest = (host: Host) => (values.old ? [{ ...host, hashes: host.hashes.slice(0, 1) }] : [])
    const left = hosts.flatMap(host => (host.name === name ? newest(host) : [host]))
    line(save(file, left))
    return 0
  }
  const types = values.types === undefined ? null : readTypes(values.types)
  if (types && 'problem' in types) throw new UsageError(`--types ${types.problem}`)
  const endpoint = values.url === undefined ? 'ENDPOINT' : readUrl(values.url).host
  const password = createPassword()
  const hash = await hashPassword(password)
  const changed = new Map(hosts.map(host => [host.name, host]))
  for (const name of canonical) {
    const before = changed.get(name)
    const hashes = [hash, ...(before?.hashes ?? [])].slice(0, maxHashes)
    changed.set(name, { name, types: types?.value ?? before?.types ?? ['A'], hashes })
  }
  const saved = save(file, [...changed.values()])
  line(`Password, shown only now: ${password}\n`)
  line(saved)
  for (const client of clients) {
    line(`\n${client.name}`)
    for (const text of client.lines({ endpoint, hostnames: canonical, password })) line(`  ${text}`)
  }
  return 0
}

/** Reads the hosts of a file, which need not exist yet, or of HOSTS. */
function hostsIn(file: string | undefined, env: Environment): readonly Host[] {
  const text = file === undefined ? (env['HOSTS'] ?? '') : readIfPresent(file)
  if (text.trim() === '') return []
  const reading = readHosts(text)
  if ('problem' in reading) throw new UsageError(`HOSTS ${reading.problem}`)
  return reading.value
}

function readIfPresent(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return ''
    throw new UsageError(`The file of the hosts cannot be read (${code}). Check its path and owner.`)
  }
}

/** Replaces the file at once, for its owner only. Returns what to print: the text of the file, or for HOSTS. */
function save(file: string | undefined, hosts: readonly Host[]): string {
  const text = hosts.map(host => `${hostLine(host)}\n`).join('')
  const aside = `${file}.${process.pid}`
  try {
    if (file !== undefined) {
      writeFileSync(aside, text, { mode: 0o600 })
      renameSync(aside, file)
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new UsageError(`The file of the hosts cannot be written (${code}). Check its path and owner.`)
  }
  return `${file ?? 'HOSTS'}\n${text}`.trimEnd()
}
