import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { expect } from 'vitest'
import { StoreFailure } from '../../../src/employees/employee-store.ts'
import { createPostgresEmployeeStore } from '../../../src/employees/postgres.ts'
import { createPool } from '../../../src/employees/postgres-pool.ts'
import { migrations } from '../../../src/operator/migrations.ts'
import type { Sequence } from '../../support/sequence.ts'

const people = 64
const atOnce = 200

/** The types that HR's ids have, how the store shows the id of a number, and one that the type cannot hold or nobody has. */
export const idTypes = {
  integer: { idOf: n => String(n), impossible: 'nobody' },
  bigint: { idOf: n => String(9_000_000_000 + n), impossible: '99999999999999999999' },
  uuid: { idOf: n => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`, impossible: 'E7' },
  'char(8)': { idOf: n => `E${n}`, impossible: '\0' },
  text: { idOf: n => `É ${n}`, impossible: '\0' },
  numeric: { idOf: n => `${n}.50`, impossible: '1e' },
} as const satisfies Readonly<
  Record<string, { readonly idOf: (n: number) => string; readonly impossible: string }>
>

/**
 * Reads sessions of 64 people, 200 at once, while connections are killed, statements cancelled and the tables locked. An answer
 * is about the employee who was asked for, as the tables had them, or the store failed.
 * @param direct URL of the database itself, for what disturbs
 * @param url what the handler connects to
 */
export async function underFire(
  direct: string,
  url: string,
  type: keyof typeof idTypes,
  sequence: Sequence,
  durationMs: number,
): Promise<{ readonly answers: number; readonly failures: number }> {
  const { idOf, impossible } = idTypes[type]
  const admin = new pg.Client({ connectionString: direct, application_name: 'fire' })
  admin.on('error', () => undefined)
  await admin.connect()
  const ids = Array.from({ length: people }, (_, n) => idOf(n))
  await admin.query('DROP TABLE IF EXISTS employees')
  await admin.query(
    `CREATE TABLE employees (id ${type} PRIMARY KEY, user_name text, is_active boolean, is_admin boolean)`,
  )
  for (const statement of migrations.flatMap(({ statements }) => statements)) await admin.query(statement)
  await admin.query('TRUNCATE homeport_ended_sessions')
  for (const [n, id] of ids.entries())
    await admin.query('INSERT INTO employees VALUES ($1, $2, $3, $4)', [
      id,
      `name ${n}`,
      n % 8 !== 3,
      n % 8 === 5,
    ])
  // Every fourth session has ended, and all sessions of every eighth person that started before 1000.
  await admin.query(
    `INSERT INTO homeport_ended_sessions SELECT 'session:s' || n, 1, 9e15 FROM generate_series(0, ${people - 1}, 4) AS n`,
  )
  for (const id of ids.filter((_, n) => n % 8 === 1))
    await admin.query("INSERT INTO homeport_ended_sessions VALUES ('employee:' || $1::text, 1000, 9e15)", [
      id,
    ])

  const pool = createPool(url)
  const employees = createPostgresEmployeeStore(pool)
  const until = performance.now() + durationMs
  let answers = 0
  let failures = 0

  async function ask(n: number): Promise<void> {
    const [id = '', endsFrom] = [ids[n], sequence.below(2) === 0 ? 500 : 1500]
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
      failures += 1
    }
  }

  async function askImpossible(): Promise<void> {
    const state = await employees.checkSession('s', impossible, 0).catch((error: unknown) => error)
    if (state instanceof StoreFailure) failures += 1
    else expect(state).toMatchObject({ employee: null, sessionEnded: false })
  }

  async function disturb(): Promise<void> {
    const others =
      "FROM pg_stat_activity WHERE application_name = 'homeport' AND datname = current_database()"
    const disturbances = [
      `SELECT pg_terminate_backend(pid) ${others} ORDER BY random() LIMIT 3`,
      `SELECT pg_cancel_backend(pid) ${others} AND state = 'active'`,
      'BEGIN; LOCK TABLE employees IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(0.1); COMMIT',
      'BEGIN; LOCK TABLE homeport_ended_sessions IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(0.1); COMMIT',
    ]
    while (performance.now() < until) {
      await pause(60)
      await admin.query(disturbances[sequence.below(disturbances.length)] ?? '')
    }
  }

  async function drive(): Promise<void> {
    while (performance.now() < until) {
      await Promise.all([
        ...Array.from({ length: atOnce }, () => ask(sequence.below(people))),
        askImpossible(),
      ])
    }
  }

  try {
    await Promise.all([drive(), disturb()])
    return { answers, failures }
  } finally {
    await pool.end()
    await admin.end()
  }
}
