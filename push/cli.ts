import { runPushCommand } from './command.ts'
import { serve } from './node.ts'

/** The commands of the endpoint, and its server on Node. */

const output = {
  line: (text: string) => void process.stdout.write(`${text}\n`),
  problem: (text: string) => void process.stderr.write(`${text}\n`),
}

/** The server sets its status itself. */
async function main(): Promise<void> {
  const status = await runPushCommand(process.argv.slice(2), process.env, output, serve)
  if (status !== null) process.exitCode = status
}

void main()
