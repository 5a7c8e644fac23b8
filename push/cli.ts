import { runPushCommand } from './command.ts'
import { serve } from './node.ts'

const line = (text: string) => void process.stdout.write(`${text}\n`)
const problem = (text: string) => void process.stderr.write(`${text}\n`)

// A reader such as `head` may end first. Without a listener, that would end a server, too.
process.stdout.on('error', () => {})

void runPushCommand(process.argv.slice(2), { env: process.env, line, problem, serve }).then(status => {
  // The server sets its status itself.
  if (status !== null) process.exitCode = status
})
