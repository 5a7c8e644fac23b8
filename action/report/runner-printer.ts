import { appendFileSync } from 'node:fs'
import * as core from '@actions/core'
import { maxRecordsCharacters } from './limits.ts'
import type { Printer } from './printer.ts'

const title = 'Homeport'

/** Prints for GitHub's runner. `summaryFile` is where it collects the job summary; undefined when it does not. */
export function runnerPrinter(summaryFile: string | undefined): Printer {
  const warning = (text: string) => core.warning(text, { title })
  const error = (text: string, reason?: string) =>
    core.error(text, { title: reason ? `${title}: ${reason}` : title })
  return {
    publishesRounds: false,
    maxRecordsCharacters,
    secret: core.setSecret,
    line: core.info,
    warning,
    error,

    publish(outputs, summary, result) {
      const lostOutputs = failureOf(() => {
        for (const [name, value] of Object.entries(outputs)) core.setOutput(name, value)
      })
      if (lostOutputs) {
        error(
          `Failed to write the outputs (${lostOutputs}), so later steps do not get them. The result is ${result}; the log ` +
            'shows each record. Check the disk of the runner.',
        )
      }
      const lostSummary = summaryFile && failureOf(() => appendFileSync(summaryFile, summary()))
      if (lostSummary) {
        warning(`Failed to write the job summary (${lostSummary}). The result is not affected.`)
      }
      return lostOutputs === null
    },
  }
}

/** Returns the system's error code if a file cannot be written, else null. */
function failureOf(write: () => void): string | null {
  try {
    write()
    return null
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code ?? 'unknown error')
  }
}
