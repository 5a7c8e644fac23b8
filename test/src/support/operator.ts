import type { LogEntry } from '../../../src/http/log.ts'
import { runEmployeesCommand } from '../../../src/operator/cli.ts'

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
