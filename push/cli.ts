import { terminal } from '../lib/command.ts'
import { runPushCommand } from './command.ts'
import { serve } from './node.ts'

// A reader such as `head` may end first. Without a listener, that would end a server, too.
process.stdout.on('error', () => {})

void runPushCommand(process.argv.slice(2), { ...terminal, env: process.env, serve }).then(status => {
  // The server sets its status itself.
  if (status !== null) process.exitCode = status
})
