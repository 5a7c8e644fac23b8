import { appendFileSync } from 'node:fs'
import * as core from '@actions/core'
import { describeVote } from '../address/quorum.ts'
import type { Settings } from '../inputs/settings.ts'
import { overall, type RoundResult } from '../result.ts'
import { outputsOf } from './outputs.ts'
import { addressesToMask, maskAddresses, maskToken, redact } from './redact.ts'
import { describeEffort, describeRecord, problemsOf, warningsOf } from './sentences.ts'
import { summaryOf } from './summary.ts'

/**
 * Prints, sets outputs and masks; nothing else does. Remote text arrives quoted. Everything is redacted here, and the
 * runner is told what to mask in the output of other steps.
 */
export interface Report {
  /** Redacts the token, and addresses if asked to, in everything quoted or printed from now on. Call it first. */
  mask(token: string, addresses: boolean): void
  /** Prints one line before the first request, so that a slow run shows what it waits for. */
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
    mask(token, addresses) {
      for (const form of maskToken(token)) core.setSecret(form)
      maskAddresses(addresses)
    },

    start({ targets, addresses }) {
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
      for (const [name, value] of Object.entries(outputsOf(round))) core.setOutput(name, value)
      const lost = summaryFile ? appendSummary(summaryFile, round) : null
      if (lost) {
        warn(`Failed to write the job summary (${lost}). The result is not affected.`)
      }
      process.exitCode = overall(round) === 'failed' ? 1 : 0
    },
  }
}

/** Returns the system's error code if the file cannot be written, else null. A missing summary fails no run. */
function appendSummary(file: string, round: RoundResult): string | null {
  try {
    appendFileSync(file, summaryOf(round))
    return null
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code ?? 'unknown error')
  }
}
