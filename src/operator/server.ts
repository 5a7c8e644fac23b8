import { terminal } from '../../lib/command.ts'
import { version } from '../../lib/version.ts'
import { serve } from '../node/serve.ts'
import { runCheck } from './check/check.ts'
import { main as runEmployees } from './cli.ts'
import { runKeysCommand } from './keys-cli.ts'

const help = `Usage: node server.js                  start the sign-in handler; SIGTERM stops it
       node server.js check            say whether the settings work, before anybody signs in; add --help for its options
       node server.js employees …      manage employees; add --help for its commands
       node server.js keys …           create and rotate the keys of SESSION_KEYS; add --help for its commands
       node server.js --version        print the version of Homeport

The settings are environment variables. docs/sign-in-reference.md of the repository describes them.
`

const commands = new Map([
  ['check', (args: readonly string[]) => runCheck(args, process.env, terminal.line)],
  ['employees', runEmployees],
  ['keys', runKeysCommand],
])

/** Runs the bundled server, which contains the handler and the operator's commands. */
async function main([command, ...args]: readonly string[]): Promise<void> {
  const run = commands.get(command ?? '')
  if (command === undefined) await serve()
  else if (run) process.exitCode = await run(args)
  else if (command === '--version') terminal.line(`homeport ${version}`)
  else if (command === '--help' || command === '-h') terminal.line(help.trimEnd())
  else {
    terminal.problem(`There is no command ${JSON.stringify(command)}.\n\n${help.trimEnd()}`)
    process.exitCode = 2
  }
}

void main(process.argv.slice(2))
