import { writeSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import type { Clock } from './deadline.ts'
import { exchange } from './http.ts'
import { givenSecrets } from './inputs/masking.ts'
import { actionInputs } from './inputs/reader.ts'
import { readSettings } from './inputs/settings.ts'
import { unhandledError } from './problem.ts'
import { createReport } from './report/report.ts'
import { withoutRound } from './result.ts'
import { runRound } from './round.ts'

/** How long the process may take to close what it opened, once its result is reported. */
const lingerMs = 500

const clock: Clock = {
  now: () => performance.now(),
  // An aborted wait ends early; it is no failure.
  sleep: (ms, signal) => delay(ms, undefined, { signal }).catch(() => {}),
  random: Math.random,
}

/**
 * The exit guard. Node ends with status 0 when a promise never settles, and a cancelled run can end anywhere. Only a run
 * that reported its result may end green.
 */
let reported = false
const printError = (message: string) => writeSync(1, `::error title=Homeport::${message}\n`)
process.once('exit', () => {
  if (reported) return
  process.exitCode = 1
  printError(
    'The action ended without a result. It may have been writing. Run it again to check the records.',
  )
})
process.once('SIGINT', () => process.exit(1))
process.once('SIGTERM', () => process.exit(1))
process.once('uncaughtException', error => {
  printError(unhandledError(error).message)
  process.exit(1)
})

const given = actionInputs(process.env)
const report = createReport(process.env['GITHUB_STEP_SUMMARY'])
report.mask(givenSecrets(given))
try {
  const reading = readSettings(given, process.env)
  if (reading.kind === 'refused') {
    report.finish(withoutRound(reading.problem))
  } else {
    report.start(reading.settings)
    report.finish(await runRound(reading.settings, exchange, clock, networkInterfaces))
  }
} catch (error) {
  report.finish(withoutRound(unhandledError(error)))
}
reported = true
// An open socket would keep the process, and so the step, alive. Flush stdout before the exit: a pipe may be slow.
setTimeout(() => process.stdout.write('', () => process.exit()), lingerMs).unref()
