import { readD1Facts } from './d1-facts.ts'
import { checkSample, type EmployeeStore, fromStore } from './employee-store.ts'
import { employeeRevocation, sessionRevocation } from './revocations.ts'
import { type Row, readCandidate, readIds, readSessionState } from './rows.ts'
import { sharedIdsSql } from './shared-ids.ts'
import {
  bindSql,
  checkSessionSql,
  endEmployeeSessionsSql,
  endSessionSql,
  findByNameSql,
  forD1,
} from './statements.ts'
import { judgeStore } from './store-check.ts'

/** The part of a D1 binding that is used here. */
export interface D1Binding {
  prepare(sql: string): D1Statement
  batch(statements: readonly D1Statement[]): Promise<unknown>
}

interface D1Statement {
  bind(...values: readonly unknown[]): D1Statement
  all(): Promise<D1Result>
}

interface D1Result {
  readonly results: readonly Row[]
  readonly meta: { readonly changes?: number }
}

const dropExpiredSql = 'DELETE FROM homeport_ended_sessions WHERE keep_until < ?1'

/** Whether a Worker's binding is a D1 database. */
export function isD1Binding(value: unknown): value is D1Binding {
  return typeof value === 'object' && value !== null && 'prepare' in value && 'batch' in value
}

/** Errors after which a statement can be sent again (D1, "Retry queries"). They do not include an overloaded database. */
const transientErrors =
  /Network connection lost|storage caused object to be reset|reset because its code was updated/

/** Sends what changes nothing, or does no harm twice, and once more after a transient error. D1 repeats only reads itself. */
async function onceMore<T>(send: () => Promise<T>): Promise<T> {
  try {
    return await send()
  } catch (error) {
    if (!transientErrors.test(String(error)) || /overloaded/.test(String(error))) throw error
    return await send()
  }
}

/** Opens the employees in D1 through a Worker's binding. */
export function createD1EmployeeStore(database: D1Binding): EmployeeStore {
  const prepare = (sql: string) => database.prepare(forD1(sql))
  function run<T>(sql: string, values: readonly unknown[], read: (result: D1Result) => T): Promise<T> {
    const query = prepare(sql).bind(...values)
    return fromStore(onceMore(() => query.all()).then(read))
  }

  return {
    findByName: (names, objectId, username) =>
      run(findByNameSql('d1', names.length), [objectId, username, ...names], ({ results }) =>
        results.map(readCandidate),
      ),
    bind: (employeeId, objectId, now) =>
      run(bindSql, [employeeId, objectId, now], ({ meta }) => meta.changes === 1),
    checkSession(sessionId, employeeId, endsFrom) {
      const values = [employeeId, sessionRevocation(sessionId), employeeRevocation(employeeId)]
      return run(checkSessionSql('d1'), values, ({ results }) => readSessionState(results[0], endsFrom))
    },
    async endSession(sessionId, now, keepUntil) {
      const statements = [
        database.prepare(dropExpiredSql).bind(now),
        prepare(endSessionSql).bind(sessionRevocation(sessionId), now, keepUntil),
      ]
      await fromStore(onceMore(() => database.batch(statements)))
    },
    async endEmployeeSessions(employeeId, endedAt, keepUntil) {
      const values = [employeeRevocation(employeeId), endedAt, keepUntil]
      // Sent twice, it could end a session that started in between.
      await fromStore(
        prepare(endEmployeeSessionsSql)
          .bind(...values)
          .all(),
      )
    },
    check() {
      const query = async (sql: string) => (await database.prepare(sql).all()).results
      return fromStore(readD1Facts(query, checkSample).then(judgeStore))
    },
    findSharedIds: () => run(sharedIdsSql('d1'), [], ({ results }) => readIds(results)),
  }
}
