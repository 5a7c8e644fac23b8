import type pg from 'pg'
import type { SessionState } from '../../employees/employee-store.ts'
import { employeeRevocation, sessionRevocation } from '../../employees/revocations.ts'
import { type Row, readSessionState } from '../../employees/rows.ts'
import { checkSessionSql, checkSessionsSql } from '../../employees/statements.ts'
import { codeOf } from '../../http/error-code.ts'
import type { Pool } from './pool.ts'

/** A session whose state is asked for: its id, its employee's, and the earliest revocation that ends it. */
interface AskedSession {
  readonly sessionId: string
  readonly employeeId: string
  readonly endsFrom: number
}

interface Waiting extends AskedSession {
  readonly resolve: (state: SessionState | Promise<SessionState>) => void
  readonly reject: (error: unknown) => void
}

/** Numbers of sessions that a query is prepared for, each planned once a connection. The last session fills what is left. */
const sizes = [2, 4, 8, 16, 32] as const
const largest = sizes[sizes.length - 1] ?? 1

/** SQLSTATE classes of a server or a connection that failed, rather than of the statement. */
const outageClasses = ['08', '53', '57', '58', 'XX']

const checkOneSql = checkSessionSql('postgres')

/** Reads every employee. */
const checkOneByTextSql = checkSessionSql('postgres', 'CAST(e.id AS TEXT)')

/**
 * Returns a function that reads a session's state. Under load, checks of one turn of the event loop share a query, which is
 * sent after each of them was asked for; none waits for a query that runs.
 */
export function createSessionChecks(pool: Pool): (asked: AskedSession) => Promise<SessionState> {
  let waiting: Waiting[] = []
  /** The sessions in the last query, and the checks that have no answer yet. */
  let lastSize = 1
  let running = 0
  const ask = (text: string, values: readonly unknown[]) =>
    pool.query({ text, values, prepared: true, repeats: 'read' })

  /**
   * After a change of the view, a session can have an id that the column's type cannot hold (SQLSTATE class 22, data
   * exception), so nobody has it. The comparison as text tells that from a view that cannot be read, which fails again.
   */
  async function alone({ sessionId, employeeId, endsFrom }: AskedSession): Promise<SessionState> {
    const values = [employeeId, sessionRevocation(sessionId), employeeRevocation(employeeId)]
    try {
      return readSessionState((await ask(checkOneSql, values)).rows[0], endsFrom)
    } catch (error) {
      if (!codeOf(error)?.startsWith('22')) throw error
      return readSessionState((await ask(checkOneByTextSql, values)).rows[0], endsFrom)
    }
  }

  /** A statement that fails for one of them is asked for each alone. An outage is one for all. */
  async function together(checks: readonly Waiting[]): Promise<void> {
    let result: pg.QueryResult<Row>
    try {
      const size = sizes.find(count => count >= checks.length) ?? largest
      const filled = Array.from({ length: size }, (_, index) => checks[index] ?? checks[0])
      const values = [
        ...filled.map(check => check?.employeeId),
        ...filled.map(check => sessionRevocation(check?.sessionId ?? '')),
        ...filled.map(check => employeeRevocation(check?.employeeId ?? '')),
      ]
      result = await ask(checkSessionsSql(size), values)
    } catch (error) {
      const code = codeOf(error) ?? ''
      const isOutage = code.length !== 5 || outageClasses.some(start => code.startsWith(start))
      for (const check of checks) isOutage ? check.reject(error) : check.resolve(alone(check))
      return
    }
    const ended = (result.rows[0]?.['ended'] ?? {}) as Readonly<Record<string, number>>
    const rows = new Map(result.rows.map(row => [row['id'], row]))
    for (const check of checks) {
      const row = rows.get(check.employeeId)
      // Nobody has the id, or it is spelled otherwise: a type such as UUID compares several spellings as equal.
      check.resolve(row === undefined ? alone(check) : stateOf(row, check, ended))
    }
  }

  function send(): void {
    const checks = waiting
    waiting = []
    lastSize = checks.length
    for (let at = 0; at < checks.length; at += largest) {
      const part = checks.slice(at, at + largest)
      const [only] = part
      if (part.length > 1) void together(part)
      else if (only) only.resolve(alone(only))
    }
  }

  return async asked => {
    running += 1
    try {
      // Under little load there is nothing to wait for.
      if (running === 1 && lastSize === 1) return await alone(asked)
      return await new Promise((resolve, reject) => {
        if (waiting.length === 0) setImmediate(send)
        waiting.push({ ...asked, resolve, reject })
      })
    } finally {
      running -= 1
    }
  }
}

async function stateOf(
  row: Row,
  { sessionId, employeeId, endsFrom }: AskedSession,
  ended: Readonly<Record<string, number>>,
): Promise<SessionState> {
  const session_ended_at = ended[sessionRevocation(sessionId)] ?? null
  const employee_ended_at = ended[employeeRevocation(employeeId)] ?? null
  return readSessionState({ ...row, session_ended_at, employee_ended_at }, endsFrom)
}
