import { randomUUID } from 'node:crypto'
import { appendFileSync, existsSync } from 'node:fs'
import type { Printer } from './printer.ts'

const title = 'Homeport'

/** Files in which GitHub's runner collects what a step hands over; undefined where it does not. */
export interface RunnerFiles {
  readonly outputs: string | undefined
  readonly summary: string | undefined
}

/** Prints for GitHub's runner, in the commands that it reads (source: actions/toolkit, @actions/core 3.0.1). */
export function runnerPrinter(files: RunnerFiles): Printer {
  const warning = (text: string) => annotate('warning', title, text)
  const error = (text: string, reason?: string) =>
    annotate('error', reason ? `${title}: ${reason}` : title, text)
  return {
    publishesRounds: false,
    secret: text => print(`::add-mask::${escapeData(text)}`),
    line: print,
    warning,
    error,

    publish(outputs, summary, result) {
      const lostOutputs = failureOf(() => setOutputs(files.outputs, outputs))
      if (lostOutputs) {
        error(
          `Failed to write the outputs (${lostOutputs}), so later steps do not get them. The result is ${result}; the log ` +
            'shows each record. Check the disk of the runner.',
        )
      }
      const { summary: file } = files
      const lostSummary = file && failureOf(() => appendFileSync(file, summary()))
      if (lostSummary) {
        warning(`Failed to write the job summary (${lostSummary}). The result is not affected.`)
      }
      return lostOutputs === null
    },
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

function annotate(level: 'error' | 'warning', heading: string, text: string): void {
  const escapedHeading = escapeData(heading).replaceAll(':', '%3A').replaceAll(',', '%2C')
  print(`::${level} title=${escapedHeading}::${escapeData(text)}`)
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

/** Writes the outputs. The random delimiter keeps a value from ending itself and setting other outputs. */
function setOutputs(file: string | undefined, outputs: Readonly<Record<string, string>>): void {
  if (!file) return
  // The runner creates the file. It does not read one that is created here.
  if (!existsSync(file)) throw Object.assign(new Error('The file is missing.'), { code: 'ENOENT' })
  const delimiter = `homeport_${randomUUID()}`
  const entries = Object.entries(outputs)
  appendFileSync(
    file,
    entries.map(([name, value]) => `${name}<<${delimiter}\n${value}\n${delimiter}\n`).join(''),
  )
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
