import { appendFileSync } from 'node:fs'
import * as core from '@actions/core'
import { nameOf } from '../../lib/exchange.ts'
import type { Reading } from '../problem.ts'
import { outputsOf } from './outputs.ts'
import type { Printer } from './report.ts'
import { summaryOf } from './summary.ts'

const title = 'Homeport'

/** Prints for GitHub's runner. `summaryFile` is where it collects the job summary; undefined when it does not. */
export function runnerPrinter(summaryFile: string | undefined): Printer {
  const warning = (text: string) => core.warning(text, { title })
  const error = (text: string, reason?: string) =>
    core.error(text, { title: reason ? `${title}: ${reason}` : title })
  return {
    secret: core.setSecret,
    line: core.info,
    warning,
    error,

    publish(round) {
      const outputs = outputsOf(round)
      const set = tryWrite(() => {
        for (const [name, value] of Object.entries(outputs)) core.setOutput(name, value)
      })
      if ('problem' in set) {
        error(
          `Failed to write the outputs (${set.problem}), so later steps do not get them. The result is ${outputs.result}; the log ` +
            'shows each record. Check the disk of the runner.',
        )
      }
      const appended = tryWrite(() => {
        if (summaryFile) appendFileSync(summaryFile, summaryOf(round))
      })
      if ('problem' in appended) {
        warning(`Failed to write the job summary (${appended.problem}). The result is not affected.`)
      }
      return 'value' in set
    },
  }
}

/** Writes files. The problem is the system's error code, safe to print. */
function tryWrite(write: () => void): Reading<void, string> {
  try {
    return { value: write() }
  } catch (error) {
    return { problem: nameOf(error) }
  }
}
