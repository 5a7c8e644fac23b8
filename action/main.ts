import { writeSync } from 'node:fs'
import { exchange } from './http.ts'
import { readReportNeeds, readSettings } from './inputs/settings.ts'
import { createReport, unforeseen, withoutRound } from './report/report.ts'
import { runRound } from './round.ts'

/** What a process may still need after its result was reported: closing what it opened. */
const lingerMs = 500

const clock = {
  now: () => performance.now(),
  sleep: (ms: number) => new Promise<void>(resolve => setTimeout(resolve, ms)),
  random: Math.random,
}

/**
 * The exit guard. A promise that never settles lets Node end with status 0, and a cancelled run ends wherever it is;
 * both would look green or say nothing. Only a run that reported its result may end quietly.
 */
let reported = false
const addProblem = (message: string) => writeSync(1, `::error title=Homeport::${message}\n`)
process.once('exit', () => {
  if (reported) return
  process.exitCode = 1
  addProblem('Ended before there was a result. A write may have been under way: run again to see.')
})
process.once('SIGINT', () => process.exit(1))
process.once('SIGTERM', () => process.exit(1))
process.once('uncaughtException', error => {
  addProblem(unforeseen(error).message)
  process.exit(1)
})

const { token, maskAddress, summaryFile } = readReportNeeds(process.env)
const report = createReport(summaryFile)
report.mask(token, maskAddress)
try {
  const reading = readSettings(process.env)
  if (reading.kind === 'refused') {
    report.finish(withoutRound(reading.problem))
  } else {
    report.start(reading.settings)
    report.finish(await runRound(reading.settings, exchange, clock))
  }
} catch (error) {
  report.finish(withoutRound(unforeseen(error)))
}
reported = true
// Nothing is left to do, but something may be left open, and the step lasts as long as its process. What was printed
// is on its way first: a pipe takes it later on some systems.
setTimeout(() => process.stdout.write('', () => process.exit()), lingerMs).unref()
