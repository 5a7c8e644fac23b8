import { Refusal, readOptions, reportRefusal } from '../command.ts'
import * as bootstrap from './bootstrap.ts'
import * as drift from './drift.ts'

/** Looks at a set-up or a stack, and changes neither. The first argument is the command, as in `npm run COMMAND`. */
const [command, ...args] = process.argv.slice(2)

try {
  if (command === 'bootstrap') {
    const chosen = readOptions(args, bootstrap.options, command)
    if (chosen.help) process.stdout.write(bootstrap.help)
    else await bootstrap.run(chosen)
  } else if (command === 'drift') {
    const chosen = readOptions(args, drift.options, command)
    if (chosen.help) process.stdout.write(drift.help)
    else await drift.run(chosen)
  } else throw new Refusal('Use npm run drift, or npm run bootstrap.', 2)
} catch (error) {
  reportRefusal(error)
}
