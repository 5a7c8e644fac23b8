import { runCommand, terminal } from '../../lib/command.ts'
import * as bootstrap from './bootstrap.ts'
import * as drift from './drift.ts'

/** Looks at a set-up or a stack, and changes neither. The first argument is the command, as in `npm run COMMAND`. */
const [name, ...args] = process.argv.slice(2)
const call = `npm run ${name} --`

if (name === 'bootstrap')
  process.exitCode = await runCommand({ args, call, ...bootstrap }, terminal, bootstrap.reportNextStep)
else if (name === 'drift')
  process.exitCode = await runCommand({ args, call, ...drift }, terminal, drift.reportDrift)
else {
  terminal.problem('Use npm run drift, or npm run bootstrap.')
  process.exitCode = 2
}
