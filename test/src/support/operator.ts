import type { LogEntry } from '../../../src/http/log.ts'
import { runEmployeesCommand } from '../../../src/operator/cli.ts'
import type { Database } from './databases.ts'

/** Runs the employees command in this process. */
export async function runEmployees(env: Readonly<Record<string, string>>, ...args: string[]) {
  const lines: string[] = []
  const problems: string[] = []
  const logged: LogEntry[] = []
  const status = await runEmployeesCommand(args, env, {
    line: text => void lines.push(text),
    problem: text => void problems.push(text),
    log: entry => void logged.push(entry),
  })
  return { status, out: lines.join('\n'), problem: problems.join('\n'), logged }
}

/** Returns how to run the command with a database, and whether an employee's sessions of a minute ago have ended. */
export function operatorOf({ env, store, employees }: Database) {
  return {
    operate: (...args: string[]) => runEmployees(env, ...args),
    query: (sql: string, ...values: string[]) => store.query(sql, values),
    endedFor: async (id: string, ago = 60_000) =>
      (await employees.checkSession('s', id, Date.now() - ago)).employeeEnded,
  }
}
