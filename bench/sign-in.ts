import pg from 'pg'
import { startSandbox } from '../sandbox/sandbox.ts'
import { redirectUriOf } from '../src/settings/redirect-uri.ts'
import { runEmployees } from '../test/support/employees.ts'
import { freePort } from '../tools/free-port.ts'
import { startPostgres } from '../tools/postgres.ts'
import { type Checker, checkerClient, startExpress, startOurs } from './checkers.ts'
import { type Measure, median, missedGoal, show, spread, table } from './figures.ts'
import { pin, treeCpuMs } from './processor-time.ts'

const connections = 16
/** Checks before a server's figures count, so that V8 has compiled what it runs. */
const warmUpChecks = 10_000
/** The people who are signed in. The store has many more. */
const people = Array.from({ length: 50 }, (_, index) => `person${index}`)
const employees = 20_000
const defaultRounds = 7
const defaultSeconds = 5
/** At most this part of the other server's processor time, the store's included. */
const goal = 0.5

/** Measures forward checks of the handler on Node with PostgreSQL, and of another server on the same PostgreSQL. */
export const measureSignIn: Measure = async (options, progress) => {
  const { rounds = defaultRounds, seconds = defaultSeconds } = options
  const isPinned = pin(process.pid, 1)
  progress('starting PostgreSQL and the servers')
  await using open = new AsyncDisposableStack()
  const [ourPort, theirPort] = [await freePort(), await freePort()]
  const redirectUris = [redirectUriOf(`http://localhost:${ourPort}`)]
  const sandbox = open.adopt(await startSandbox({ entra: { redirectUris } }), of => of.close())
  const { entra } = sandbox.description
  const users = people.map((name, index) => {
    const [known] = entra.users
    const id = `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`
    const address = `${name}@example.com`
    return { ...known, id, displayName: name, userPrincipalName: address, mail: address }
  })
  sandbox.control.setState({ entra: { users } })
  const postgres = open.adopt(await startPostgres(), of => of.close())
  const databaseUrl = await postgres.createDatabase('people')
  await fill(databaseUrl)
  const started = async (starting: Promise<Checker>) => {
    const checker = open.adopt(await starting, async of => void (await of.stop()))
    pin(checker.pid, 0)
    const load = await openSessions(checker)
    for (let done = 0; done < warmUpChecks; ) done += await load(2000)
    return { ...checker, load, costs: [] as number[], storeCosts: [] as number[] }
  }
  const ours = await started(startOurs(entra, ourPort, databaseUrl))
  const both = [ours, await started(startExpress(theirPort, databaseUrl))]
  for (let round = 0; round < rounds; round += 1) {
    progress(`round ${round + 1} of ${rounds}`)
    for (const { load, pid, costs, storeCosts } of round % 2 === 0 ? both : both.toReversed()) {
      const [before, storeBefore] = [await treeCpuMs(pid), await treeCpuMs(postgres.pid())]
      const done = await load(seconds * 1000)
      costs.push(((await treeCpuMs(pid)) - before) / done)
      storeCosts.push(((await treeCpuMs(postgres.pid())) - storeBefore) / done)
    }
  }
  const [own = Number.NaN, other = Number.NaN] = both.map(({ costs, storeCosts }) =>
    median(costs.map((cost, round) => cost + (storeCosts[round] ?? Number.NaN))),
  )
  const rows = both.map(({ name, costs, storeCosts }) => [
    name,
    spread(costs, 'ms', 3),
    spread(storeCosts, 'ms', 3),
    name === ours.name ? show(own / other, 2) : '',
    name === ours.name ? `${goal}` : '',
  ])
  const head = ['', 'processor time per check', 'of the store', 'ratio of both', 'goal']
  const where = isPinned
    ? 'The application had core 0; the driver, the provider and PostgreSQL shared core 1.'
    : 'Nothing was pinned to a core.'
  const missed = missedGoal('forward checks', own / other, goal)
  return { figures: `${where}\n\n${table(head, ...rows)}`, missed }
}

/**
 * Signs everybody in at a server. Resolves to what checks their sessions for a time, and counts the checks.
 * @throws Error unless a revoked session is refused, while the person's other session goes on
 */
async function openSessions(checker: Checker): Promise<(durationMs: number) => Promise<number>> {
  const check = checkerClient(checker, connections)
  const visitors: { right: string; cookie: string }[] = []
  // One after another, since the handler limits how many sign in at once.
  for (const person of people) visitors.push({ right: `204 ${person}`, cookie: await checker.signIn(person) })
  const [{ right, cookie } = { right: '', cookie: '' }] = visitors
  const revoked = await checker.signIn(people[0] ?? '')
  const before = await check(revoked)
  await check(revoked, 'POST', '/api/auth/logout')
  const answers = [before, await check(revoked), await check(cookie), await check('')].join()
  if (answers !== [right, 401, right, 401].join())
    throw new Error(`${checker.name} answers ${answers} to a session, revoked, another one and none.`)
  return async durationMs => {
    const end = performance.now() + durationMs
    let done = 0
    async function use(): Promise<void> {
      while (performance.now() < end) {
        const visitor = visitors[done % visitors.length]
        const answer = await check(visitor?.cookie ?? '')
        if (answer !== visitor?.right) throw new Error(`${checker.name} answered ${answer}.`)
        done += 1
      }
    }
    await Promise.all(Array.from({ length: connections }, use))
    return done
  }
}

/** Fills an HR table of a large company, with fresh statistics for the planner. */
async function fill(databaseUrl: string): Promise<void> {
  await runEmployees(['migrate'], { DATABASE_URL: databaseUrl })
  const client = new pg.Client(databaseUrl)
  await client.connect()
  try {
    const rows = "SELECT n::text, 'person' || n FROM generate_series(0, $1::int - 1) n"
    await client.query(`INSERT INTO employees (id, user_name) ${rows}`, [employees])
    await client.query('ANALYZE')
  } finally {
    await client.end()
  }
}
