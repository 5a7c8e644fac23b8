import { appendFileSync } from 'node:fs'
import * as core from '@actions/core'
import { describeVote } from '../address/quorum.ts'
import type { Settings } from '../inputs/settings.ts'
import { overall, type RoundResult } from '../result.ts'
import { outputsOf } from './outputs.ts'
import { addressesToMask, maskAddresses, maskSecrets, redact } from './redact.ts'
import { describeEffort, describeRecord, problemsOf, warningsOf } from './sentences.ts'
import { summaryOf } from './summary.ts'

/**
 * Prints, sets outputs and masks; nothing else does. Remote text arrives quoted. Everything is redacted here, and the
 * runner is told what to mask in the output of other steps.
 */
export interface Report {
  /** Redacts secrets in everything quoted or printed from now on. Call it first. */
  mask(secrets: readonly string[]): void
  /**
   * Redacts addresses from now on if the settings say so, and prints one line before the first request, so that a slow
   * run shows what it waits for.
   */
  start(settings: Settings): void
  /** Writes log, annotations, outputs and summary of a round, and sets the exit status. */
  finish(round: RoundResult): void
}

/** Creates the report. `summaryFile` is where the runner collects the job summary; undefined when it does not. */
export function createReport(summaryFile: string | undefined): Report {
  const masked = new Set<string>()
  function safe(text: string): string {
    for (const address of addressesToMask(text)) {
      if (masked.has(address)) continue
      masked.add(address)
      core.setSecret(address)
    }
    return redact(text)
  }
  const log = (text: string) => core.info(safe(text))
  const warn = (text: string) => core.warning(safe(text), { title: 'Homeport' })

  return {
    mask(secrets) {
      for (const form of maskSecrets(secrets)) core.setSecret(form)
    },

    start({ targets, addresses, maskAddress }) {
      maskAddresses(maskAddress)
      const names = targets.map(target => target.hostname).join(', ')
      for (const { type, source } of addresses) {
        log(
          source.kind === 'given'
            ? `Checking ${names} (${type}) against the given address ${source.address}.`
            : `Checking ${names} (${type}) against the detected address. Quorum: ${source.quorum} of ` +
                `${source.sources.length} sources.`,
        )
      }
    },

    finish(round) {
      for (const vote of round.votes) log(`  ${vote.type} from ${vote.source}: ${describeVote(vote)}`)
      for (const record of round.records) log(describeRecord(record))
      log(describeEffort(round))
      for (const text of warningsOf(round)) warn(text)
      for (const [message, reason] of problemsOf(round)) {
        core.error(safe(message), { title: `Homeport: ${reason}` })
      }
      const lostOutputs = failureOf(() => {
        for (const [name, value] of Object.entries(outputsOf(round))) core.setOutput(name, value)
      })
      if (lostOutputs) {
        core.error(
          `Failed to write the outputs (${lostOutputs}), so later steps do not get them. The result is ${overall(round)}; ` +
            'the log shows each record. Check the disk of the runner.',
          { title: 'Homeport' },
        )
      }
      const lostSummary = summaryFile && failureOf(() => appendFileSync(summaryFile, summaryOf(round)))
      if (lostSummary) {
        warn(`Failed to write the job summary (${lostSummary}). The result is not affected.`)
      }
      process.exitCode = overall(round) === 'failed' || lostOutputs ? 1 : 0
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
