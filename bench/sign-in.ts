import pg from 'pg'
import { runEmployeesCommand } from '../src/operator/cli.ts'
import { startPostgres } from '../tools/postgres.ts'
import { type ContenderContext, startOauth2Proxy, startOurs, startScript } from './contenders.ts'
import { type Contender, compare, compareTable, pin } from './contest.ts'
import {
  type Check,
  type Client,
  cookieOf,
  driveChecks,
  driveSignIns,
  openClient,
  signIn as signInPerson,
  type Visitor,
} from './drivers.ts'
import type { Measure } from './figures.ts'
import { startStubProvider } from './sign-in-provider.ts'

/** Connections of the sign-ins. */
const connections = 16

/** Connections of the checks, contest by contest. */
const checkConnections = [1, 16, 64]

/** Checks before a contender's figures stand still: so many V8 takes to compile what it runs. */
const warmUpChecks = 10_000

/** The people who sign in, in turn. The store has many more. */
const people = Array.from({ length: 200 }, (_, index) => `person${index}`)
const employees = 20_000

const defaultRounds = 7
const defaultSeconds = 5

const forward: Check = {
  path: '/api/auth/forward',
  status: 204,
  header: person => `x-homeport-username: ${person}`,
  logout: '/api/auth/logout',
}

const oauth2Forward: Check = {
  path: '/oauth2/auth',
  status: 202,
  header: person => `x-auth-request-email: ${person}@example.com`,
  logout: '/oauth2/sign_out',
}

/** Measures the handler on Node with PostgreSQL, and others on the same PostgreSQL. */
export const measureSignIn: Measure = async (options, progress) => {
  const { rounds = defaultRounds, seconds = defaultSeconds, 'oauth2-proxy': oauth2Proxy } = options
  const isPinned = pin(process.pid, 1)
  progress('starting PostgreSQL and the servers')
  await using open = new AsyncDisposableStack()
  const provider = open.adopt(await startStubProvider(), of => of.close())
  const postgres = open.adopt(await startPostgres(), of => of.close())
  const databaseUrl = await postgres.createDatabase('people')
  await fill(databaseUrl)
  const context: ContenderContext = { provider, databaseUrl, storePid: postgres.pid() }
  async function started(starting: Promise<Contender>): Promise<Contender> {
    const contender = open.adopt(await starting, async of => void (await of.stop()))
    pin(contender.pid, 0)
    return contender
  }
  const ours = await started(startOurs(context))
  const msal = await started(
    startScript('msal-node, one shared client, on express, same store', 'sign-in-msal.ts', context),
  )
  const express = await started(
    startScript('express-session, connect-pg-simple', 'forward-express.ts', context),
  )
  const signIns = await compare(
    [ours, msal],
    ({ origin }, durationMs) => driveSignIns(origin, connections, people, durationMs),
    rounds,
    seconds * 1000,
    text => progress(`sign-ins, ${text}`),
  )
  const ourVisitors = await openSessions(ours, forward, async (client, person) =>
    cookieOf(await signInPerson(client, person), /session/),
  )
  const theirVisitors = await openSessions(express, forward, async ({ send }, person) =>
    cookieOf(await send('GET', `/sign-in?person=${person}`), /session/),
  )
  const withRead = `${express.name}, reading the employee`
  const sessionOnly = { ...forward, path: '/session-only' }
  const checkers: (Contender & { readonly check: Check; readonly visitors: readonly Visitor[] })[] = [
    { ...ours, check: forward, visitors: ourVisitors },
    { ...express, name: withRead, check: forward, visitors: theirVisitors },
    { ...express, name: `${express.name}, session only`, check: sessionOnly, visitors: theirVisitors },
  ]
  if (oauth2Proxy !== undefined) {
    const proxy = await started(startOauth2Proxy(oauth2Proxy, context))
    const visitors = await openSessions(proxy, oauth2Forward, signInAtOauth2Proxy)
    checkers.push({ ...proxy, check: oauth2Forward, visitors })
  }
  const checks: string[] = []
  for (const count of checkConnections) {
    const where = count === 1 ? 'over one connection' : `over ${count} connections`
    const results = await compare(
      checkers,
      ({ origin, check, visitors }, durationMs) => driveChecks(origin, check, count, visitors, durationMs),
      rounds,
      seconds * 1000,
      text => progress(`forward checks ${where}, ${text}`),
      warmUpChecks,
    )
    checks.push(`Forward checks ${where}:`, compareTable('forward check', results))
  }
  return [
    isPinned
      ? 'The application had core 0; the driver, the provider and PostgreSQL shared core 1.'
      : 'Nothing was pinned to a core.',
    compareTable('sign-in', signIns, ', goal 2'),
    ...checks,
  ].join('\n\n')
}

/**
 * Signs everybody in at a contender.
 * @throws Error unless a revoked session is refused, while the person's other session goes on
 */
async function openSessions(
  { name, origin }: Contender,
  { path, status, logout }: Check,
  open: (client: Client, person: string) => Promise<string>,
): Promise<readonly Visitor[]> {
  const client = openClient(origin, connections)
  try {
    const visitors = await Promise.all(
      people.map(async person => ({ person, cookie: await open(client, person) })),
    )
    const [{ person, cookie } = { person: '', cookie: '' }] = visitors
    const revoked = await open(client, person)
    const check = async (session: string) => (await client.send('GET', path, session)).status
    const before = await check(revoked)
    await client.send('POST', logout, revoked)
    const statuses = [before, await check(revoked), await check(cookie), await check('')]
    if (statuses.join() === [status, 401, status, 401].join()) return visitors
    throw new Error(`${name} answers ${statuses.join(', ')} to a session, revoked, another one and none.`)
  } finally {
    client.close()
  }
}

/** Signs a person in at oauth2-proxy, without visiting the provider. Returns the session's cookie. */
async function signInAtOauth2Proxy({ send }: Client, person: string): Promise<string> {
  const begun = await send('GET', '/oauth2/start?rd=%2F')
  const state = encodeURIComponent(new URL(begun.headers.location ?? '').searchParams.get('state') ?? '')
  const ended = await send('GET', `/oauth2/callback?code=${person}&state=${state}`, cookieOf(begun, /csrf/))
  return cookieOf(ended, /^_oauth2_proxy$/)
}

/** Fills an HR table of a large company, with an index for each contender and fresh statistics for the planner. */
async function fill(databaseUrl: string): Promise<void> {
  const problem = (text: string) => void process.stderr.write(`${text}\n`)
  const output = { line: () => undefined, problem, log: () => undefined }
  await runEmployeesCommand(['migrate'], { DATABASE_URL: databaseUrl }, output)
  const client = new pg.Client(databaseUrl)
  await client.connect()
  try {
    await client.query(
      "INSERT INTO employees (id, user_name) SELECT n::text, 'person' || n FROM generate_series(0, $1::int - 1) n",
      [employees],
    )
    await client.query('CREATE INDEX by_plain_name ON employees (user_name)')
    await client.query('ANALYZE')
  } finally {
    await client.end()
  }
}
