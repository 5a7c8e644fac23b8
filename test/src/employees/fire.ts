import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { expect } from 'vitest'
import { StoreFailure } from '../../../src/employees/employee-store.ts'
import { createPostgresEmployeeStore } from '../../../src/node/postgres/employees.ts'
import { createPool } from '../../../src/node/postgres/pool.ts'
import { openPostgresStore } from '../../../src/operator/open-store.ts'
import { seed } from '../../support/random.ts'
import { Sequence } from '../../support/sequence.ts'
import { migrate } from '../support/databases.ts'

const people = 64
const atOnce = 200
/** A busy machine goes on until it has more. */
export const minAnswers = 100

/** Types that HR's ids have, and how the store shows the id of a number. */
export const idTypes = {
  integer: String,
  uuid: n => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
  'char(8)': n => `E${n}`,
  numeric: n => `${n}.50`,
} as const satisfies Readonly<Record<string, (n: number) => string>>

/** What goes wrong meanwhile. */
const others = "FROM pg_stat_activity WHERE application_name = 'homeport' AND datname = current_database()"
const disturbances = [
  `SELECT pg_terminate_backend(pid) ${others} ORDER BY random() LIMIT 3`,
  `SELECT pg_cancel_backend(pid) ${others} AND state = 'active'`,
  'BEGIN; LOCK TABLE employees IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(0.1); COMMIT',
  'BEGIN; LOCK TABLE homeport_ended_sessions IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(0.1); COMMIT',
]

/**
 * Makes 64 people in an empty database, with ids of a type. Every fourth session has ended, and all sessions of every eighth
 * person that started before 1000.
 */
async function fill(url: string, type: keyof typeof idTypes): Promise<void> {
  const store = openPostgresStore(url)
  await store.query(
    `CREATE TABLE employees (id ${type} PRIMARY KEY, user_name text, is_active boolean, is_admin boolean)`,
  )
  await migrate(store)
  const end = 'INSERT INTO homeport_ended_sessions VALUES ($1, $2, 9e15)'
  for (let n = 0; n < people; n += 1) {
    const id = idTypes[type](n)
    const employee = [id, `name ${n}`, n % 8 !== 3, n % 8 === 5]
    await store.query('INSERT INTO employees VALUES ($1, $2, $3, $4)', employee)
    if (n % 4 === 0) await store.query(end, [`session:s${n}`, 1])
    if (n % 8 === 1) await store.query(end, [`employee:${id}`, 1000])
  }
  await store.close()
}

/**
 * Reads sessions of 64 people, 200 at once, while connections are killed, statements cancelled and the tables locked. An answer
 * is about the employee who was asked for, as the tables had them, or the store failed. Returns the number of answers.
 * @param direct URL of an empty database itself, for what disturbs
 * @param url what the handler connects to
 */
export async function underFire(
  direct: string,
  url: string,
  type: keyof typeof idTypes,
  durationMs: number,
): Promise<number> {
  await fill(direct, type)
  const admin = new pg.Client({ connectionString: direct, application_name: 'fire' })
  await admin.connect()
  const pool = createPool(url)
  const employees = createPostgresEmployeeStore(pool)
  const sequence = new Sequence(seed)
  const startMs = performance.now()
  let answers = 0
  const isLasting = () => answers <= minAnswers || performance.now() < startMs + durationMs

  async function ask(n: number): Promise<void> {
    const id = idTypes[type](n)
    const endsFrom = sequence.below(2) === 0 ? 500 : 1500
    try {
      expect(await employees.checkSession(`s${n}`, id, endsFrom)).toEqual({
        employee: { id, userName: `name ${n}`, isActive: n % 8 !== 3, isAdmin: n % 8 === 5 },
        sharesId: false,
        sessionEnded: n % 4 === 0,
        employeeEnded: n % 8 === 1 && endsFrom === 500,
        boundTo: null,
      })
      answers += 1
    } catch (error) {
      if (!(error instanceof StoreFailure)) throw error
    }
  }
  async function drive(): Promise<void> {
    while (isLasting()) await Promise.all(Array.from({ length: atOnce }, () => ask(sequence.below(people))))
  }
  async function disturb(): Promise<void> {
    while (isLasting()) {
      await pause(60)
      await admin.query(sequence.pick(disturbances))
    }
  }

  try {
    await Promise.all([drive(), disturb()])
    return answers
  } finally {
    await pool.end()
    await admin.end()
  }
}
