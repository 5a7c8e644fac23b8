import { runEmployeesCommand } from '../../src/operator/cli.ts'

/** Runs a command of `npm run employees`. Resolves to what it printed. @throws Error with that if it fails */
export async function runEmployees(
  command: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<string> {
  const lines: string[] = []
  const write = (text: string) => void lines.push(text)
  const output = { line: write, problem: write, log: () => undefined }
  const status = await runEmployeesCommand([...command, '--operator', 'tests'], environment, output)
  if (status !== 0) throw new Error(`employees ${command[0]} ended with ${status}:\n${lines.join('\n')}`)
  return lines.join('\n')
}
