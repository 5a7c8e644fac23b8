import { spawnSync } from 'node:child_process'
import { cpus, loadavg } from 'node:os'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { measureAction } from './action.ts'
import type { Measure } from './figures.ts'
import { measurePush } from './push.ts'
import { measureSignIn } from './sign-in.ts'

const rooms: Readonly<Record<string, Measure>> = {
  action: measureAction,
  'sign-in': measureSignIn,
  push: measurePush,
}

const usage = `Usage: npm run bench -- [${Object.keys(rooms).join(' | ')}] [options]

Measures one room beside what people use instead, and prints its figures. Without a name, measures all rooms one after another,
each in a process of its own. Exit status: 0 if every goal was reached, 1 if one was missed or anything failed, 2 wrong options.

action: the command that ships, with an unchanged record over https at 50 ms, compared with favonia/cloudflare-ddns. Needs Linux
and root: both run in network and mount namespaces, where a hosts file maps api.cloudflare.com and the echo services to the
sandbox
sign-in: forward checks on Node with PostgreSQL, revocation included, over 16 connections, compared with express with
express-session and connect-pg-simple. With taskset, the application gets core 0 and everything else core 1
push: what a ping costs the built Worker, compared with a plain Worker that writes at every ping

  --rounds N      rounds of each comparison (action 15, sign-in 7, push 5); programs take turns
  --seconds N     length of a round of sign-in (5)
  --favonia PATH  a build of favonia/cloudflare-ddns, which has no setting for the address of the API. In an empty folder:
                    go mod init bench
                    go get github.com/favonia/cloudflare-ddns/cmd/ddns@v1.17.0
                    go build github.com/favonia/cloudflare-ddns/cmd/ddns
  --help          this text
`

function fail(problem: string): never {
  process.stderr.write(`${problem}\n\n${usage}`)
  process.exit(2)
}

function read(args: string[]) {
  const text = { type: 'string' } as const
  const options = { rounds: text, seconds: text, favonia: text, help: { type: 'boolean' } } as const
  try {
    return parseArgs({ args, allowPositionals: true, options })
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error))
  }
}

function readCount(flag: string, text: string | undefined): number | undefined {
  if (text !== undefined && !/^[1-9]\d{0,3}$/.test(text))
    fail(`--${flag} is ${text}. Use a whole number from 1 to 9999.`)
  return text === undefined ? undefined : Number(text)
}

const given = process.argv.slice(2)
const { positionals, values } = read(given)
const [name, ...others] = positionals
if (values.help) process.stdout.write(usage)
else if (name === undefined) {
  const run = (room: string) =>
    spawnSync(process.execPath, [import.meta.filename, room, ...given], { stdio: 'inherit' }).status
  const statuses = Object.keys(rooms).map(run)
  process.exitCode = statuses.every(status => status === 0) ? 0 : 1
} else {
  const measure = Object.hasOwn(rooms, name) && others.length === 0 ? rooms[name] : undefined
  if (!measure) fail(`There is no benchmark "${positionals.join(' ')}".`)
  const [rounds, seconds] = [readCount('rounds', values.rounds), readCount('seconds', values.seconds)]
  // npm changes the working folder; INIT_CWD is where the user is.
  const favonia = values.favonia && resolve(process.env['INIT_CWD'] ?? '', values.favonia)
  const [load] = loadavg()
  const options = {
    ...(rounds && { rounds }),
    ...(seconds && { seconds }),
    ...(favonia && { favonia }),
  }
  const { figures, missed } = await measure(options, line => void process.stderr.write(`${name}: ${line}\n`))
  const machine = `${cpus()[0]?.model.trim() ?? 'unknown processor'}, ${cpus().length} cores`
  const node = `Node ${process.versions.node}, ${process.platform} ${process.arch}`
  process.stdout.write(`${machine}, ${node}. Load average at the start: ${load?.toFixed(1)}.\n\n${figures}\n`)
  for (const goal of missed) process.stderr.write(`${name}: missed a goal. ${goal}\n`)
  if (missed.length > 0) process.exitCode = 1
}
