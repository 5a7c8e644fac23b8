import { type Chosen, CommandError, helpOption, runCommand, UsageError } from '../../../lib/command.ts'
import { parsePort } from '../../../lib/port.ts'
import { printable } from '../../../lib/quote.ts'
import { parseSafeUrl } from '../../../lib/url.ts'
import { shareChecks } from '../../app.ts'
import { noTrustedProxies, proxyEnvOf, readServerSettings } from '../../node/settings.ts'
import { randomText } from '../../session/cryptography.ts'
import { createSealer } from '../../session/seal.ts'
import { openStore } from '../cli.ts'
import { inspectStore } from '../inspect-store.ts'
import type { Store } from '../store.ts'
import { createAsk, type Say } from './ask.ts'
import { checkEntra } from './entra.ts'
import { checkOutside, openEcho, tryOpenPath } from './outside.ts'

const help = `Usage: node server.js check [--from URL] [--echo PORT PATH…]

Checks the settings of the server before anybody signs in. For a Worker, D1_DATABASE_ID, CLOUDFLARE_ACCOUNT_ID and
CLOUDFLARE_API_TOKEN replace DATABASE_URL.

  --from URL          another way to the proxy than the host of REDIRECT_URI, such as https://127.0.0.1
  --echo PORT PATH…   take the place of the application, which you stop first, and send these open paths forged headers

Exit status: 0 nothing is wrong, 1 something is wrong, 2 the check could not run.
`

const byHand = {
  consent: 'Sign in with an ordinary account. If Entra asks for approval, an administrator consents.',
  assignment: 'In Entra, Enterprise applications, your application, Properties: must people be assigned?',
  'Conditional Access': 'Sign in from a device and a network of your people. A policy can ask for more.',
}

const options = { from: { type: 'string' }, echo: { type: 'string' }, ...helpOption } as const

/** Runs the check, and prints its lines. Returns the exit status. */
export async function runCheck(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  print: (text: string) => void,
) {
  const frame = { args, call: 'node server.js check', help, options, takesArguments: true }
  return runCommand(frame, { line: print, problem: print }, async (chosen, paths) => {
    const lines: string[] = []
    await check(readGiven(chosen, paths), env, (about, finding, text) => {
      lines.push(printable(`${finding.padEnd(13)}${about}: ${text}`))
      print(lines.at(-1) ?? '')
    })
    const count = (start: string) => lines.filter(line => line.startsWith(start)).length
    const last = count('not checked  protection') > 0 ? ' The protection was not checked.' : ''
    print(`${count('wrong')} wrong, ${count('ok')} ok, ${count('not checked')} not checked.${last}`)
    return count('wrong') > 0 ? 1 : 0
  })
}

/** @throws UsageError */
function readGiven({ from, echo }: Chosen<typeof options>, paths: readonly string[]) {
  const url = from === undefined ? undefined : parseSafeUrl(from)
  const port = echo === undefined ? 0 : parsePort(echo)
  if (url === null) throw new UsageError('--from is not an https URL.')
  const isComplete = (echo !== undefined) === paths.length > 0 && paths.every(path => path.startsWith('/'))
  if (port === null || !isComplete) throw new UsageError('--echo needs a port and the paths that are open.')
  return { from: url?.origin, port, paths }
}

async function check(
  { from, port, paths }: ReturnType<typeof readGiven>,
  env: NodeJS.ProcessEnv,
  say: Say,
): Promise<void> {
  function log({ message = '' }): void {
    // The server starts all the same. Only what others can read is wrong for sure.
    say('settings', message.includes('chmod') ? 'wrong' : 'not checked', message)
  }
  const isD1 = Boolean(env['D1_DATABASE_ID']) && !env['DATABASE_URL'] && !env['DATABASE_URL_FILE']
  const reading = await readServerSettings(env, log, { needsDatabase: !isD1 })
  if ('problems' in reading) {
    for (const problem of reading.problems) say('settings', 'wrong', problem)
    return say('everything else', 'not checked', 'The server does not start with these settings.')
  }
  const { settings } = reading.value
  if (!isD1 && settings.trustedProxies.length === 0) log({ message: noTrustedProxies })
  const mark = randomText(8)
  if (paths.length > 0) await openEcho(port, mark)
  say('settings', 'ok', 'The server starts with them, and can read its secrets and session keys.')
  const proxyEnv = proxyEnvOf(settings)
  const misplaced = await checkEntra(reading.value, createAsk(proxyEnv), say)
  await checkStore(openStore(env, isD1 ? 'd1' : 'postgres'), say)
  const { hosts, hsts, assertions } = shareChecks(settings, createSealer(settings.sessionKeys), Date.now)
  const [ownKey] = (await assertions.publicKeys()).keys
  for (const { origin, redirectUri } of hosts) {
    // Only this host may reach the address of --from, such as its own.
    const route = from === undefined ? proxyEnv : {}
    const visit = createAsk(route, from ?? origin, { host: new URL(origin).host, accept: 'text/html' })
    const sayOf: Say = (about, ...found) => say(`${about} of ${origin}`, ...found)
    const registered = misplaced.includes(redirectUri) ? null : redirectUri
    await checkOutside(settings, registered, ownKey, hsts, visit, sayOf)
    for (const open of paths) sayOf(`open path ${open}`, ...(await tryOpenPath(open, mark, visit)))
  }
  for (const [about, text] of Object.entries(byHand)) say(about, 'by hand', text)
}

/** Checks the employee store. Except on D1, also writes to it in a transaction that is rolled back. */
async function checkStore(store: Store, say: Say): Promise<void> {
  try {
    const found = await inspectStore(store, id => `id ${id}`)
    const [first] = found.broken
    const refused = [...found.nobody, ...found.refused]
    for (const line of found.counts)
      say('employees', refused.length > 0 ? 'wrong' : 'ok', [line, ...refused].join(' '))
    if (first !== undefined) throw new CommandError(`${first} \`employees check\` says all.`)
    say('store', 'ok', [`${store.place} can be used.`, ...found.remarks].join(' '))
    if (store.dialect === 'd1') return say('writing', 'not checked', 'D1 has no ROLLBACK for a test row.')
    const sql = "INSERT INTO homeport_ended_sessions (subject, ended_at, keep_until) VALUES ('check', 0, 0)"
    await store.transaction([{ sql }, { sql: 'ROLLBACK' }])
    say('writing', 'ok', 'The store took a row, which was rolled back.')
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    say('store', 'wrong', error.message)
  } finally {
    await store.close()
  }
}
