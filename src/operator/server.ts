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

/** Runs the bundled server, which contains the handler and the operator's commands. */
async function main([command, ...args]: readonly string[]): Promise<void> {
  switch (command) {
    case undefined:
      return serve()
    case 'check':
      process.exitCode = await runCheck(args, process.env, text => void process.stdout.write(`${text}\n`))
      return
    case 'employees':
      process.exitCode = await runEmployees(args)
      return
    case 'keys':
      process.exitCode = await runKeysCommand(args)
      return
    case '--help':
    case '-h':
      process.stdout.write(help)
      return
    case '--version':
      process.stdout.write(`homeport ${version}\n`)
      return
    default:
      process.stderr.write(`There is no command ${JSON.stringify(command)}.\n\n${help}`)
      process.exitCode = 2
  }
}

void main(process.argv.slice(2))
