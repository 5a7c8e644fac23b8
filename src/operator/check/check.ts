import { type Chosen, CommandError, helpOption, runCommand, UsageError } from '../../../lib/command.ts'
import { parsePort } from '../../../lib/port.ts'
import { parseSafeUrl } from '../../../lib/url.ts'
import { shareChecks } from '../../app.ts'
import { readServerSettings } from '../../node/settings.ts'
import { createSealer } from '../../session/seal.ts'
import { secretCredentials } from '../../sign-in/client-secret.ts'
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

const byHand: readonly Line[] = [
  [
    'by hand',
    'consent',
    'Sign in with an ordinary account. If Entra asks for approval, an administrator consents.',
  ],
  [
    'by hand',
    'assignment',
    'Entra, Enterprise applications, your application, Properties: must people be assigned?',
  ],
  [
    'by hand',
    'Conditional Access',
    'Sign in from a device and a network of your people. A policy can ask for more.',
  ],
]

type Env = Readonly<Record<string, string | undefined>>

const options = { from: { type: 'string' }, echo: { type: 'string' }, ...helpOption } as const

/** Runs the check, and prints its lines. Returns the exit status. */
export async function runCheck(args: readonly string[], env: Env, print: (text: string) => void) {
  const counts = new Map<string, number>()
  const countOf = (...findings: readonly Line[0][]) =>
    findings.reduce((sum, finding) => sum + (counts.get(finding) ?? 0), 0)
  function report([finding, about, text]: Line): void {
    counts.set(finding, countOf(finding) + 1)
    print(`${finding.padEnd(13)}${about}: ${text}`)
  }
  const frame = { args, call: 'node server.js check', help, options, takesArguments: true }
  return runCommand(frame, { line: print, problem: print }, async (chosen, paths) => {
    for await (const line of check(readGiven(chosen, paths), env)) report(line)
    print(
      `${countOf('wrong')} wrong, ${countOf('ok')} ok, ${countOf('not checked', 'not refused')} not checked.`,
    )
    return countOf('wrong') > 0 ? 1 : 0
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
  return { from: url?.origin ?? null, port, paths }
}

async function* check({ from, port, paths }: ReturnType<typeof readGiven>, env: Env): AsyncGenerator<Line> {
  const warnings: string[] = []
  const log = ({ message = '' }) => void warnings.push(message)
  const isD1 = Boolean(env['D1_DATABASE_ID']) && !env['DATABASE_URL'] && !env['DATABASE_URL_FILE']
  const reading = await readServerSettings(env, log, { needsDatabase: !isD1 })
  const problems = [...warnings, ...('problems' in reading ? reading.problems : [])]
  for (const problem of problems) yield ['wrong', 'settings', problem]
  if ('problems' in reading) {
    yield ['not checked', 'everything else', 'The server does not start with these settings.']
    return
  }
  const { settings, credential } = reading.value
  const { httpsProxy, noProxy, clientSecrets, sessionKeys } = settings
  const echo =
    paths.length === 0
      ? null
      : await openEcho(port).catch(({ message }: Error) => {
          throw new CommandError(`${message}. Stop the application first.`, { status: 2 })
        })
  yield ['ok', 'settings', 'The server starts with them, and can read its secrets and session keys.']
  const ask = createAsk(httpsProxy === null ? {} : { HTTPS_PROXY: httpsProxy, NO_PROXY: noProxy })
  const secrets = secretCredentials(settings, log, Date.now).map((secret, at) => {
    const place = clientSecrets.length === 1 ? '' : ` ${at + 1} of ${clientSecrets.length}`
    return [`secret${place}${place && at === 0 ? ', used first' : ''}`, secret] as const
  })
  yield* checkEntra(settings, credential ? [['credential', credential]] : secrets, ask)
  yield* checkStore(env)
  const { hosts, hsts, assertions } = shareChecks(settings, createSealer(sessionKeys), Date.now)
  const [ownKey] = (await assertions.publicKeys()).keys
  for (const { origin } of hosts) {
    const visit = visitorOf(ask, origin, from ?? origin)
    const named = ([finding, about, text]: Line): Line => [finding, `${about} of ${origin}`, text]
    for await (const line of checkOutside(settings, { ownKey, hsts }, visit)) yield named(line)
    if (echo) for (const path of paths) yield named(await checkOpenPath(path, visit, echo))
  }
  echo?.close()
  yield* byHand
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
    if (store.dialect === 'd1') yield ['not checked', 'writing to the store', 'D1 rolls nothing back.']
    else {
      const sql = "INSERT INTO homeport_ended_sessions (subject, ended_at, keep_until) VALUES ('check', 0, 0)"
      await store.transaction([{ sql }, { sql: 'ROLLBACK' }])
      yield ['ok', 'writing to the store', 'A row was written and rolled back.']
    }
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    yield ['wrong', 'store', error.message]
  } finally {
    await store?.close()
  }
}
