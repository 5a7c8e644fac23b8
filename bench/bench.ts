import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { describeRun, type Options, type Room } from './room.ts'

/** The rooms with benchmarks, in the order of the page. */
const rooms: Readonly<Record<string, () => Promise<Room>>> = {
  action: async () => (await import('./action.ts')).action,
  'sign-in': async () => (await import('./sign-in.ts')).signIn,
  push: async () => (await import('./push.ts')).push,
}

const usage = `Usage: npm run bench -- [${Object.keys(rooms).join(' | ')}] [options]

Measures one room and prints its figures. Without a name, measures all rooms one after another, each in a process of its own.
If a room fails, the command ends with status 1.

  --rounds N      rounds of each comparison; each room has its own default
  --seconds N     length of a round of sign-in under load (5)
  --favonia PATH  a build of favonia/cloudflare-ddns, to compare the action with (npm run bench -- action --help)
  --oauth2-proxy PATH
                  a build of oauth2-proxy, to compare forward checks with (npm run bench -- sign-in --help)
  --help          this text, or that of a room
`

class UsageError extends Error {}

/** Runs the command. Returns the exit status. */
async function run(args: readonly string[]): Promise<number> {
  const { name, options, help } = readArguments(args)
  if (name === undefined) return help ? print(usage) : measureAll(options)
  const room = await roomOf(name)
  if (help) return print(room.help)
  const foreign = Object.keys(options).find(option => !room.options.some(known => known === option))
  if (foreign !== undefined) throw new UsageError(`${name} has no --${foreign}.`)
  const described = describeRun(name, options, new Date())
  const figures = await room.measure(options, line => void process.stderr.write(`${name}: ${line}\n`))
  return print(`${described}\n\n${figures}\n`)
}

function roomOf(name: string): Promise<Room> {
  const load = Object.hasOwn(rooms, name) ? rooms[name] : undefined
  if (!load) throw new UsageError(`There is no benchmark "${name}".`)
  return load()
}

function readArguments(args: readonly string[]) {
  const { positionals, values } = parse(args)
  const [name, ...others] = positionals
  if (others.length > 0) throw new UsageError('Name one benchmark, or none.')
  const options: Options = {
    ...readNumber('rounds', values.rounds),
    ...readNumber('seconds', values.seconds),
    ...readProgram('favonia', values.favonia),
    ...readProgram('oauth2-proxy', values['oauth2-proxy']),
  }
  return { name, options, help: values.help === true }
}

function parse(args: readonly string[]) {
  const value = { type: 'string' } as const
  const options = {
    rounds: value,
    seconds: value,
    favonia: value,
    'oauth2-proxy': value,
    help: { type: 'boolean' },
  } as const
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

function readNumber(name: 'rounds' | 'seconds', given: string | undefined): Options {
  if (given === undefined) return {}
  if (!/^[1-9]\d{0,3}$/.test(given))
    throw new UsageError(`--${name} is ${given}. Use a whole number from 1 to 9999.`)
  return { [name]: Number(given) }
}

/** Reads the path of a program, and makes it absolute. npm changes the working folder; INIT_CWD is where the user is. */
function readProgram(name: 'favonia' | 'oauth2-proxy', given: string | undefined): Options {
  if (given === undefined) return {}
  const path = resolve(process.env['INIT_CWD'] ?? '', given)
  try {
    accessSync(path, constants.X_OK)
    return { [name]: path }
  } catch {
    throw new UsageError(`--${name} is ${given}, which is not an executable file.`)
  }
}

/** Measures every room in a process of its own, so that no room changes what the next one measures. */
async function measureAll(options: Options): Promise<number> {
  let status = 0
  for (const name of Object.keys(rooms)) {
    const known = (await roomOf(name)).options.filter(option => options[option] !== undefined)
    const args = known.flatMap(option => [`--${option}`, `${options[option]}`])
    const child = spawn(process.execPath, [import.meta.filename, name, ...args], { stdio: 'inherit' })
    const [ended] = await once(child, 'close')
    if (ended !== 0) status = 1
  }
  return status
}

function print(written: string): number {
  process.stdout.write(written)
  return 0
}

if (import.meta.main) {
  try {
    process.exitCode = await run(process.argv.slice(2))
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    process.stderr.write(`${error.message}\n\n${usage}`)
    process.exitCode = 2
  }
}
