import { spawnSync } from 'node:child_process'
import { cpus, loadavg } from 'node:os'
import { resolve } from 'node:path'
import { helpOption, runCommand, terminal, UsageError } from '../lib/command.ts'
import { measureAction } from './action.ts'
import type { Measure } from './figures.ts'
import { measurePush } from './push.ts'
import { measureSignIn } from './sign-in.ts'

const rooms: Readonly<Record<string, Measure>> = {
  action: measureAction,
  'sign-in': measureSignIn,
  push: measurePush,
}

const help = `Usage: npm run bench -- [${Object.keys(rooms).join(' | ')}] [options]

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

function readCount(flag: string, text: string | undefined): number | undefined {
  if (text !== undefined && !/^[1-9]\d{0,3}$/.test(text))
    throw new UsageError(`--${flag} is ${text}. Use a whole number from 1 to 9999.`)
  return text === undefined ? undefined : Number(text)
}

const args = process.argv.slice(2)
const text = { type: 'string' } as const
const options = { rounds: text, seconds: text, favonia: text, ...helpOption }
const frame = { args, call: 'npm run bench --', help, options, takesArguments: true }
process.exitCode = await runCommand(frame, terminal, async (chosen, [name, ...others]) => {
  const rounds = readCount('rounds', chosen.rounds)
  const seconds = readCount('seconds', chosen.seconds)
  if (name === undefined) {
    const run = (room: string) =>
      spawnSync(process.execPath, [import.meta.filename, room, ...args], { stdio: 'inherit' }).status
    return Object.keys(rooms)
      .map(run)
      .every(status => status === 0)
      ? 0
      : 1
  }
  const measure = Object.hasOwn(rooms, name) && others.length === 0 ? rooms[name] : undefined
  if (!measure) throw new UsageError(`There is no benchmark "${[name, ...others].join(' ')}".`)
  // npm changes the working folder; INIT_CWD is where the user is.
  const favonia = chosen.favonia && resolve(process.env['INIT_CWD'] ?? '', chosen.favonia)
  const [load] = loadavg()
  const given = { ...(rounds && { rounds }), ...(seconds && { seconds }), ...(favonia && { favonia }) }
  const { figures, missed } = await measure(given, line => terminal.problem(`${name}: ${line}`))
  const machine = `${cpus()[0]?.model.trim() ?? 'unknown processor'}, ${cpus().length} cores`
  const node = `Node ${process.versions.node}, ${process.platform} ${process.arch}`
  terminal.line(`${machine}, ${node}. Load average at the start: ${load?.toFixed(1)}.\n\n${figures}`)
  for (const goal of missed) terminal.problem(`${name}: missed a goal. ${goal}`)
  return missed.length > 0 ? 1 : 0
})
