import { createServer } from 'node:http'
import { runServer } from '../../lib/server.ts'
import { createHandler } from '../app.ts'
import type { EmployeeStore } from '../employees/employee-store.ts'
import { causeOf, sharedIds } from '../employees/health.ts'
import { judgeSharedIds } from '../employees/shared-ids.ts'
import { isReadable } from '../employees/store-check.ts'
import { createSealer, rememberSessions } from '../session/seal.ts'
import { everyHour } from '../sign-in/credential-end.ts'
import { createListener } from './listener.ts'
import { createLogWriter } from './log-writer.ts'
import { nodeCryptography } from './node-cryptography.ts'
import { createPostgresEmployeeStore } from './postgres/employees.ts'
import { createPool } from './postgres/pool.ts'
import { noTrustedProxies, proxyEnvOf, readServerSettings } from './settings.ts'
import { createNodeTransport } from './transport.ts'

/** Sessions whose cookies are kept unsealed. */
const rememberedSessions = 2000

/** Time for open requests after SIGTERM, in milliseconds. */
const drainMs = 10_000

/**
 * Longest headers of a request, in bytes. Node's 16 KB can be used up by the application's own cookies, which some proxies
 * cannot keep from the handler.
 */
const maxHeaderSize = 65_536

/**
 * Time for which an idle connection is kept, in milliseconds: longer than Caddy and Traefik keep theirs (two minutes and 90 seconds). Node's
 * five seconds end some as a proxy sends a request on them, which it reports as a failure.
 */
const keepAliveMs = 125_000

const log = createLogWriter(process.stdout)

/**
 * Reads the environment and serves until SIGTERM or SIGINT, then drains. Exits with 2 if a setting is wrong, and with 1 for
 * what can end without a change: a credential's file that is not there yet, or a port in use.
 */
export async function serve(): Promise<void> {
  const reading = await readServerSettings(process.env, log)
  if ('problems' in reading) {
    for (const message of reading.problems) log({ level: 'error', event: 'settings', message })
    process.exitCode = reading.needsChange ? 2 : 1
    return
  }
  const { settings, credentials } = reading.value
  const { trustedProxies, host, port } = settings
  const pool = createPool(settings.databaseUrl)
  const employees = createPostgresEmployeeStore(pool)
  const sealer = rememberSessions(createSealer(settings.sessionKeys, nodeCryptography), rememberedSessions)
  const handler = createHandler({
    settings,
    employees,
    log,
    sealer,
    transport: createNodeTransport(proxyEnvOf(settings)),
    cryptography: nodeCryptography,
    credentials,
    schedule: everyHour,
  })
  const server = createServer({ maxHeaderSize }, createListener(handler, trustedProxies))
  // Node would ignore the headers after the first thousand, and the check could not refuse them.
  server.maxHeadersCount = 0
  server.keepAliveTimeout = keepAliveMs
  if (trustedProxies.length === 0) log({ level: 'warning', event: 'start', message: noTrustedProxies })
  runServer(server, {
    host,
    port,
    drainMs,
    log,
    onListening: () => void reportStore(employees),
    onEnd: () => void pool.end(),
  })
}

/** Logs what is wrong with the employee store. The handler serves regardless, and recovers once it is fixed. */
async function reportStore(employees: EmployeeStore): Promise<void> {
  try {
    const problems = await employees.check()
    const shared = isReadable(problems) ? judgeSharedIds(await sharedIds(employees)) : []
    for (const { code, usable, message } of [...problems, ...shared]) {
      const fix = 'Run `employees check` for details.'
      log({ level: usable ? 'warning' : 'error', event: 'start', store: code, message: `${message} ${fix}` })
    }
  } catch (error) {
    const message = 'The employee store does not answer. Check DATABASE_URL and the database.'
    log({ level: 'error', event: 'start', store: causeOf(error), message })
  }
}
