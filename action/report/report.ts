import { maskAddresses, maskSecrets, redact } from '../../lib/redact.ts'
import { describeVote, majority } from '../address/quorum.ts'
import type { GivenSecrets } from '../inputs/given.ts'
import type { Inputs } from '../inputs/inputs.ts'
import { overall, type RoundResult } from '../result.ts'
import type { Watched } from '../watch.ts'
import {
  describeCalm,
  describeRecord,
  describeRound,
  describeWatch,
  isNews,
  otherVotes,
  problemsOf,
  warningsOf,
} from './sentences.ts'

/**
 * Creates the only place that prints, sets outputs and masks. Remote text arrives quoted. Everything is redacted here,
 * and the printer is told what to mask in the output of other steps. If it is quiet, it prints changes and failures only.
 */
export function createReport(printer: Printer, quiet = false) {
  const masked = new Set<string>()
  const safe = (text: string) =>
    redact(text, address => {
      if (!masked.has(address)) printer.secret(address)
      masked.add(address)
    })
  const log = (text: string) => printer.line(safe(text))
  const warn = (text: string) => printer.warning(safe(text))

  function describe(round: RoundResult): void {
    const votes = otherVotes(round).map(vote => `  ${vote.type} from ${vote.source}: ${describeVote(vote)}`)
    const lines = quiet
      ? round.records.filter(isNews).map(describeRecord)
      : [...votes, ...round.records.map(describeRecord), ...describeRound(round)]
    for (const line of lines) log(line)
  }
  function annotate(round: RoundResult): void {
    for (const text of warningsOf(round)) warn(text)
    for (const [message, reason] of problemsOf(round)) printer.error(safe(message), reason)
  }
  function publish(round: RoundResult): void {
    process.exitCode = printer.publish(round) && overall(round) !== 'failed' ? 0 : 1
  }

  return {
    /** Redacts secrets in everything quoted or printed from now on. Call it first. */
    mask({ token, urls, shown }: GivenSecrets): void {
      for (const form of maskSecrets([token], urls, shown)) printer.secret(form)
    },
    warn,
    /**
     * Redacts addresses from now on if the inputs say so, and prints one line before the first request, so that a slow run
     * shows what it waits for.
     */
    start({ targets, addresses, maskAddress, intervalMs }: Inputs): void {
      maskAddresses(maskAddress)
      if (quiet) return
      const names = targets.map(target => target.hostname).join(', ')
      for (const { type, source } of addresses) {
        log(
          source.kind === 'given'
            ? `Checking ${names} (${type}) against the given address ${source.address}.`
            : `Checking ${names} (${type}) against the detected address. Quorum: ${majority(source.sources.length)} of ` +
                `${source.sources.length} sources.`,
        )
      }
      if (intervalMs !== null) log(`Watching every ${intervalMs / 1000} s until stopped.`)
    },
    /**
     * Writes log, annotations, outputs and summary of a round, and sets the exit status. A round of a watch that changes nothing
     * takes one line.
     * @param nextMs how long until the next round of a watch
     */
    round(round: RoundResult, nextMs?: number): void {
      const isCalm = round.problem === null && !round.records.some(isNews)
      const next =
        nextMs === undefined || quiet
          ? null
          : `Next check at ${new Date(Date.now() + nextMs).toISOString().slice(11, 19)}Z.`
      if (!isCalm || next === null) describe(round)
      if (!isCalm || !quiet) annotate(round)
      if (next !== null) log(isCalm ? `${describeCalm(round)} ${next}` : next)
      publish(round)
    },
    /** Ends a run of several rounds, or of none that was over before it had to stop. */
    finishWatch(watched: Watched): void {
      if (!quiet) log(describeWatch(watched))
      if (watched.rounds > 0) return
      annotate(watched.last)
      publish(watched.last)
    },
  }
}

/** Where a report goes: to GitHub's runner, or to a terminal. Texts arrive redacted. */
export interface Printer {
  /** Masks a secret in what other programs print. */
  secret(text: string): void
  line(text: string): void
  warning(text: string): void
  error(text: string, reason?: string): void
  /** Publishes the outputs and the summary. Returns whether all outputs were written. */
  publish(round: RoundResult): boolean
}
