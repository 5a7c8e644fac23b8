import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { type ParseArgsConfig, parseArgs } from 'node:util'
import { systemClock as clock } from '../action/deadline.ts'
import { parseSafeUrl } from '../action/inputs/url.ts'
import type { Reading } from '../action/problem.ts'
import { quote } from '../action/text/quote.ts'
import { checkEndpoint, checkRecords } from './check.ts'
import { clients } from './clients.ts'
import { exchange } from './exchange.ts'
import { type Host, hostLine, maxHashes, readHosts, readName, readTypes } from './hosts.ts'
import { createPassword, hashPassword } from './passwords.ts'
import { readEnvironment } from './secret-files.ts'

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

/** What a command was given, and where it prints. */
interface Run {
  readonly names: readonly string[]
  readonly values: { readonly [Option in 'hosts' | 'types' | 'url']?: string } & { readonly old?: boolean }
  readonly env: Environment
  readonly line: (text: string) => void
  readonly problem: (text: string) => void
  readonly serve: () => Promise<void>
}

class UsageError extends Error {}

const [text, flag] = [{ type: 'string' }, { type: 'boolean' }] as const

/** The options of each command, the most names it takes, and what it does: it returns the exit status. */
const commands = new Map([
  ['serve', { options: {}, most: 0, run: async ({ serve }: Run): Promise<null> => serve().then(() => null) }],
  ['check', { options: { url: text }, most: 0, run: check }],
  ['add', { options: { hosts: text, types: text, url: text }, most: 100, run: add }],
  ['list', { options: { hosts: text }, most: 0, run: list }],
  ['remove', { options: { hosts: text, old: flag }, most: 1, run: remove }],
])

/** Runs a command of the endpoint. Returns the exit status, or null while it serves. */
export async function runPushCommand(
  [name = '', ...args]: readonly string[],
  given: Pick<Run, 'env' | 'line' | 'problem' | 'serve'>,
): Promise<number | null> {
  try {
    if ([name, ...args].some(argument => argument === '--help' || argument === '-h')) {
      given.line(help)
      return 0
    }
    const command = commands.get(name)
    if (!command)
      throw new UsageError(name === '' ? 'Give a command.' : `There is no command ${quote(name)}.`)
    const { values, names } = parse(args, command.options)
    if (command.most > 0 && names.length === 0) throw new UsageError(`\`${name}\` needs a HOSTNAME.`)
    const most = command.most === 0 ? 'no arguments' : `at most ${command.most} HOSTNAME`
    if (names.length > command.most) throw new UsageError(`\`${name}\` takes ${most}.`)
    return await command.run({ ...given, names, values })
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    given.problem(`${error.message} Run \`npm run push -- --help\` for help.`)
    return 2
  }
}

function parse(args: string[], options: NonNullable<ParseArgsConfig['options']>) {
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
    return { values: values as Run['values'], names: positionals }
  } catch (error) {
    // Its first sentence: the rest explains how Node reads options.
    throw new UsageError(`${quote((error as Error).message.split(/\.?(?:\s*\n|\. |$)/, 1)[0] ?? '')}.`)
  }
}

async function check({ values, env, line, problem }: Run) {
  const endpoint = values.url === undefined ? null : readUrl(values.url)
  const reading = readEnvironment(env)
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
  for (const host of openHosts(run).listed)
    run.line(`${host.name}\t${host.types.join(',')}\t${host.hashes.length}`)
  return 0
}

async function remove(run: Run) {
  const { listed, save } = openHosts(run)
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
  const endpoint = run.values.url === undefined ? 'ENDPOINT' : readUrl(run.values.url).host
  const password = createPassword()
  const hash = await hashPassword(password)
  const changed = new Map(listed.map(host => [host.name, host]))
  for (const name of hostnames) {
    const before = changed.get(name)
    const hashes = [hash, ...(before?.hashes ?? [])].slice(0, maxHashes)
    changed.set(name, { name, types: given ?? before?.types ?? ['A'], hashes })
  }
  const saved = save([...changed.values()])
  run.line(`Password, shown only now: ${password}\n`)
  run.line(saved)
  for (const client of clients) {
    const lines = client.lines({ endpoint, hostnames, password }).map(text => `  ${text}`)
    run.line(['', client.name, ...lines].join('\n'))
  }
  return 0
}

function readUrl(text: string): URL {
  const url = parseSafeUrl(text)
  if (!url) throw new UsageError(`--url is ${quote(text)}. Use an https URL (http only on loopback).`)
  return url
}

function readNames(names: readonly string[]): readonly string[] {
  return [...new Set(names.map(name => must(readName(name), 'HOSTNAME')))]
}

function must<Value>(reading: Reading<Value, string>, what: string): Value {
  if ('problem' in reading) throw new UsageError(`${what} ${reading.problem}`)
  return reading.value
}

/** Reads the hosts of a file, which need not exist yet, or of HOSTS. `save` returns what to print about others. */
function openHosts({ values, env }: Run) {
  const file = values.hosts ?? env['HOSTS_FILE'] ?? null
  const read = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : '')
  const text = file === null ? (env['HOSTS'] ?? '') : onFile('read', () => read(file))
  const listed = text.trim() === '' ? [] : must(readHosts(text), 'HOSTS')
  const save = (changed: readonly Host[]) => {
    const lines = changed.map(host => `${hostLine(host)}\n`).join('')
    if (file !== null) onFile('written', () => replaceFile(file, lines))
    return `${file ?? 'HOSTS'}\n${lines}`.trimEnd()
  }
  return { listed, save }
}

/** Replaces a file at once, for its owner only. */
function replaceFile(file: string, text: string): void {
  const aside = `${file}.${process.pid}`
  writeFileSync(aside, text, { mode: 0o600 })
  renameSync(aside, file)
}

function onFile<Result>(verb: string, step: () => Result): Result {
  try {
    return step()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new UsageError(`The file of the hosts cannot be ${verb} (${code}). Check its path and owner.`)
  }
}
