import { type Chosen, CommandError, helpOption, runCommand, UsageError } from '../../../lib/command.ts'
import { parsePort } from '../../../lib/port.ts'
import { parseSafeUrl } from '../../../lib/url.ts'
import { shareChecks } from '../../app.ts'
import { readServerSettings } from '../../node/settings.ts'
import { createSealer } from '../../session/seal.ts'
import { openStore } from '../cli.ts'
import { inspectStore } from '../commands.ts'
import type { Store } from '../store.ts'
import { createAsk, type Line } from './ask.ts'
import { checkEntra } from './entra.ts'
import { checkOpenPath, checkOutside, openEcho, visitorOf } from './outside.ts'

const help = `Usage: node server.js check [--from URL] [--echo PORT PATH…]

Says whether the settings work, before anybody signs in. They are those of the server; for a Worker, D1_DATABASE_ID,
CLOUDFLARE_ACCOUNT_ID and CLOUDFLARE_API_TOKEN replace DATABASE_URL.

  --from URL          another way to the proxy than the host of REDIRECT_URI, such as https://127.0.0.1
  --echo PORT PATH…   listen on this port of 127.0.0.1 in place of the application, which you stop first, and send these open
                      paths forged headers

Exit status: 0 nothing is wrong, 1 something is wrong, 2 the check could not run.
`

const byHand = {
  consent: 'Sign in with an ordinary account. If Entra asks for approval, an administrator consents.',
  assignment: 'In Entra, Enterprise applications, your application, Properties: must people be assigned?',
  'Conditional Access': 'Sign in from a device and a network of your people. A policy can ask for more.',
}

type Env = Readonly<Record<string, string | undefined>>

const options = { from: { type: 'string' }, echo: { type: 'string' }, ...helpOption } as const

/** Runs the check, and prints its lines. Returns the exit status. */
export async function runCheck(args: readonly string[], env: Env, print: (text: string) => void) {
  const frame = { args, call: 'node server.js check', help, options, takesArguments: true }
  return runCommand(frame, { line: print, problem: print }, async (chosen, paths) => {
    const found: Line[0][] = []
    for await (const [finding, about, text] of check(readGiven(chosen, paths), env)) {
      found.push(finding)
      print(`${finding.padEnd(13)}${about}: ${text}`)
    }
    const count = (pattern: RegExp) => found.filter(finding => pattern.test(finding)).length
    print(`${count(/^wrong/)} wrong, ${count(/^ok/)} ok, ${count(/^not/)} not checked.`)
    return found.includes('wrong') ? 1 : 0
  })
}

/** @throws UsageError */
function readGiven({ from, echo }: Chosen<typeof options>, paths: readonly string[]) {
  const url = from === undefined ? null : parseSafeUrl(from)
  const port = parsePort(echo ?? '0')
  if (from !== undefined && url === null) throw new UsageError('--from is not an https URL.')
  if (port === null) throw new UsageError('--echo is not a port.')
  if (paths.length > 0 !== (echo !== undefined) || !paths.every(path => path.startsWith('/')))
    throw new UsageError('--echo needs a port and the paths that are open.')
  return { from: url?.origin, port, paths }
}

async function* check({ from, port, paths }: ReturnType<typeof readGiven>, env: Env): AsyncGenerator<Line> {
  const remarks: Line[] = []
  function log({ message = '' }): void {
    // The server starts all the same. Only what others can read is wrong for sure.
    remarks.push([message.includes('chmod') ? 'wrong' : 'not checked', 'settings', message])
  }
  const isD1 = Boolean(env['D1_DATABASE_ID']) && !env['DATABASE_URL'] && !env['DATABASE_URL_FILE']
  const reading = await readServerSettings(env, log, { needsDatabase: !isD1 })
  yield* remarks.splice(0)
  if ('problems' in reading) {
    for (const problem of reading.problems) yield ['wrong', 'settings', problem]
    yield ['not checked', 'everything else', 'The server does not start with these settings.']
    return
  }
  const { settings, credentials } = reading.value
  const { httpsProxy, noProxy, sessionKeys } = settings
  const echo = paths.length === 0 ? null : await openEcho(port)
  yield ['ok', 'settings', 'The server starts with them, and can read its secrets and session keys.']
  const ask = createAsk(httpsProxy === null ? {} : { HTTPS_PROXY: httpsProxy, NO_PROXY: noProxy })
  const named = credentials.map((one, at) => {
    const place =
      credentials.length === 1 ? '' : ` ${at + 1} of ${credentials.length}${at === 0 ? ', used first' : ''}`
    return [`credential${place}`, one] as const
  })
  yield* checkEntra(settings, named, ask)
  yield* remarks
  yield* checkStore(env)
  const { hosts, hsts, assertions } = shareChecks(settings, createSealer(sessionKeys), Date.now)
  const [ownKey] = (await assertions.publicKeys()).keys
  for (const { origin } of hosts) {
    const visit = visitorOf(ask, origin, from ?? origin)
    const ofOrigin = ([finding, about, text]: Line): Line => [finding, `${about} of ${origin}`, text]
    for await (const line of checkOutside(settings, ownKey, hsts, visit)) yield ofOrigin(line)
    if (echo) for (const path of paths) yield ofOrigin(await checkOpenPath(path, visit, echo))
  }
  echo?.close()
  for (const [about, text] of Object.entries(byHand)) yield ['by hand', about, text]
}

/** Checks the employee store, and writes to it in a transaction that is rolled back. */
async function* checkStore(env: Env): AsyncGenerator<Line> {
  let store: Store | undefined
  try {
    store = openStore(env)
    const { problems, pending } = await inspectStore(store)
    const wrong = problems.filter(({ usable }) => !usable).map(({ message }) => message)
    const [first] = [...wrong, ...pending.map(({ title }) => `migrate has not created ${title}.`)]
    if (first !== undefined) {
      yield ['wrong', 'store', `${first} \`employees check\` says all.`]
      return
    }
    yield ['ok', 'store', `${store.place} can be used.`]
    const sql = "INSERT INTO homeport_ended_sessions (subject, ended_at, keep_until) VALUES ('check', 0, 0)"
    if (store.dialect === 'd1') yield ['not checked', 'writing', 'D1 rolls nothing back.']
    else {
      await store.transaction([{ sql }, { sql: 'ROLLBACK' }])
      yield ['ok', 'writing', 'The store took a row, which was rolled back.']
    }
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    yield ['wrong', 'store', error.message]
  } finally {
    await store?.close()
  }
}
