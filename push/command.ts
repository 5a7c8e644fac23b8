import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { systemClock as clock } from '../action/deadline.ts'
import { maxHostnames } from '../lib/hostname.ts'
import { quote } from '../lib/quote.ts'
import type { Reading } from '../lib/reading.ts'
import { replaceFile } from '../lib/replace-file.ts'
import { maxServerSecretBytes } from '../lib/secret-file.ts'
import { readTextFile } from '../lib/text-file.ts'
import { hasCredentials, parseSafeUrl } from '../lib/url.ts'
import { checkEndpoint, checkRecords } from './check.ts'
import { clients } from './clients.ts'
import { type Host, hostLine, maxHashes, readHosts, readName, readTypes } from './hosts.ts'
import { exchange } from './node-exchange.ts'
import { createPassword, hashPassword } from './passwords.ts'
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
  --url URL           with add: the address of the endpoint, for the lines of the clients
                      with check: also try the endpoint there, without a password
  --old               with remove: keep the newest password
  --help              show this help

The settings are environment variables; docs/router.md describes them. Each secret can be in a file: API_TOKEN_FILE and so on.

Exit status: 0 done, 1 the check found an error or the name is not listed, 2 wrong usage or settings.
`

const text = { type: 'string' } as const
const flag = { type: 'boolean' } as const
const options = { hosts: text, types: text, url: text, old: flag, help: { ...flag, short: 'h' } } as const

/** What a command was given, and where it prints. */
interface Run {
  readonly names: readonly string[]
  readonly values: { readonly [Option in 'hosts' | 'types' | 'url']?: string } & { readonly old?: boolean }
  readonly env: Readonly<Record<string, string | undefined>>
  readonly line: (text: string) => void
  readonly problem: (text: string) => void
  readonly serve: () => Promise<void>
}

class UsageError extends Error {}

/** The options that a command takes, the most names, and what it does: it returns the exit status. */
type Command = readonly [takes: readonly string[], most: number, run: (run: Run) => Promise<number | null>]

const commands: Readonly<Record<string, Command>> = {
  serve: [[], 0, ({ serve }) => serve().then(() => null)],
  check: [['url'], 0, check],
  add: [['hosts', 'types', 'url'], maxHostnames, add],
  list: [['hosts'], 0, list],
  remove: [['hosts', 'old'], 1, remove],
}

/** Runs a command of the endpoint. Returns the exit status, or null while it serves. */
export async function runPushCommand(
  args: string[],
  given: Pick<Run, 'env' | 'line' | 'problem' | 'serve'>,
): Promise<number | null> {
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
    const [name = '', ...names] = positionals
    if (values.help) {
      given.line(usage)
      return 0
    }
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined
    if (!command)
      throw new UsageError(name === '' ? 'Give a command.' : `There is no command ${quote(name)}.`)
    const [takes, most, run] = command
    const extra = Object.keys(values).find(option => !takes.includes(option))
    if (extra) throw new UsageError(`\`${name}\` takes no --${extra}.`)
    if (most > 0 && names.length === 0) throw new UsageError(`\`${name}\` needs a HOSTNAME.`)
    const limit = most === 0 ? 'no arguments' : `at most ${most} HOSTNAME`
    if (names.length > most) throw new UsageError(`\`${name}\` takes ${limit}.`)
    return await run({ ...given, names, values })
  } catch (error) {
    given.problem(`${explain(error)} Run \`npm run push -- --help\` for help.`)
    return 2
  }
}

/** Explains why arguments or the file of the hosts cannot be used. */
function explain(error: unknown): string {
  const { message, code, syscall } = error as NodeJS.ErrnoException
  if (error instanceof UsageError) return message
  if (code === undefined) throw error
  if (syscall) return `The file of the hosts cannot be used (${code}). Check its path and owner.`
  // The first sentence: the rest explains how Node reads options.
  return `${quote(message.split(/\.?(?:\s*\n|\. |$)/, 1)[0] ?? '')}.`
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
  const { pathname, search, hash, origin } = url
  // Clients that take a host only, such as ddclient, could not have another path, a password or a query.
  const extra = hasCredentials(url)
    ? 'a user name or a password'
    : search + hash !== ''
      ? `the query ${quote(search + hash)}`
      : ['/', '/nic/update', '/v3/update'].includes(pathname)
        ? null
        : `the path ${quote(pathname)}`
  if (extra) throw new UsageError(`--url has ${extra}. The endpoint needs a host of its own: use ${origin}.`)
  return url
}

function readNames(names: readonly string[]): readonly string[] {
  return [...new Set(names.map(name => must(readName(name), 'HOSTNAME')))]
}

function must<Value>(reading: Reading<Value>, what: string): Value {
  if ('problem' in reading) throw new UsageError(`${what} ${reading.problem}`)
  return reading.value
}

function readHostsFile(file: string): string {
  const reading = readTextFile(file, maxServerSecretBytes)
  if ('value' in reading) return reading.value
  throw new UsageError(`${quote(file)} ${reading.problem}`)
}

/** Reads the hosts of a file, which need not exist yet, or of HOSTS. `save` returns what to print about others. */
function openHosts({ values, env }: Run) {
  const file = values.hosts ?? (env['HOSTS_FILE'] || null)
  const text = file === null ? (env['HOSTS'] ?? '') : existsSync(file) ? readHostsFile(file) : ''
  const listed = text.trim() === '' ? [] : must(readHosts(text), 'HOSTS')
  function save(changed: readonly Host[]): string {
    const lines = changed.map(host => `${hostLine(host)}\n`).join('')
    if (file !== null) replaceFile(file, lines)
    return `${file ?? 'HOSTS'}\n${lines}`.trimEnd()
  }
  return { listed, save }
}
