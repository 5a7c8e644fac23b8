import { appendFileSync } from 'node:fs'
import * as core from '@actions/core'
import type { Vote } from '../address/quorum.ts'
import type { Settings } from '../inputs/settings.ts'
import type { Problem } from '../problem.ts'
import { firstProblem, overall, type RecordResult, type Result, type RoundResult } from '../result.ts'
import { quote } from './quote.ts'
import { addressesToMask, maskAddresses, maskToken, redact, redactToken } from './redact.ts'

/**
 * The only place that prints, sets outputs or masks. Every text that reaches it is safe to print already, but for what
 * is to be hidden: that is taken out here, and the runner is told of it for whatever others print.
 */
export interface Report {
  /** Hides the token, and addresses if they are to be hidden, in everything quoted or printed from now on. Call it first. */
  mask(token: string, addresses: boolean): void
  /** One line before the first request, so that a slow run shows what it waits for. */
  start(settings: Settings): void
  /** Log, annotations, outputs and summary of a round that has a result. */
  finish(round: RoundResult): void
}

/**
 * A run that never got as far as a round, because its inputs were refused or something unforeseen happened, as a
 * result with nothing in it but the problem.
 */
export function withoutRound(problem: Problem): RoundResult {
  return { records: [], votes: [], warnings: [], problem, requests: 0, elapsedMs: 0 }
}

/** An error nobody foresaw, without its stack, which may hold remote text. */
export function unforeseen(error: unknown): Problem {
  const what = error instanceof Error ? quote(`${error.name}: ${error.message}`) : 'an unknown error'
  return {
    reason: 'unexpected',
    message: `Homeport stopped on ${what}. What was written until then is not known; please report this.`,
  }
}

/** `summaryFile` is where the runner collects the job summary, or undefined when it does not. */
export function createReport(summaryFile: string | undefined): Report {
  const hidden = new Set<string>()
  const masked = (text: string): string => {
    for (const address of addressesToMask(text)) {
      if (hidden.has(address)) continue
      hidden.add(address)
      core.setSecret(address)
    }
    return redact(text)
  }
  const log = (text: string) => core.info(masked(text))
  const warn = (text: string) => core.warning(masked(text), { title: 'Homeport' })

  return {
    mask(token, addresses) {
      for (const form of maskToken(token)) core.setSecret(form)
      maskAddresses(addresses)
    },

    start(settings) {
      const names = settings.targets.map(target => target.hostname).join(', ')
      const { source } = settings
      log(
        source.kind === 'given'
          ? `Keeping ${names} at the given address ${source.address}.`
          : `Keeping ${names} at this host’s address, as ${source.quorum} of ${source.sources.length} sources see it.`,
      )
    },

    finish(round) {
      for (const vote of round.votes) log(`  ${vote.source}: ${sayVote(vote)}`)
      for (const record of round.records) log(describe(record))
      log(elapsed(round))
      for (const text of warningsOf(round)) warn(text)
      for (const [message, reason] of problemsOf(round)) {
        core.error(masked(message), { title: `Homeport: ${reason}` })
      }
      setOutputs(round)
      const lost = summaryFile ? appendSummary(summaryFile, round) : null
      if (lost) {
        warn(`The job summary could not be written (${lost}). The run is done, and its result stands.`)
      }
      process.exitCode = overall(round) === 'failed' ? 1 : 0
    },
  }
}

/** One line on one hostname: what its record held, what it holds now as far as is known, and what was done. */
function describe(record: RecordResult): string {
  const { hostname, previousAddress, address, problem } = record
  const before = previousAddress ?? 'no record'
  const said: Readonly<Record<Result, string>> = {
    unchanged: `${address}, already right, nothing was written`,
    updated: `${before} -> ${address}, updated`,
    created: `${before} -> ${address}, created`,
    'would-update': `${before}, would be updated to ${address} (dry run, nothing was written)`,
    'would-create': `${before}, would be created with ${address} (dry run, nothing was written)`,
    failed: `failed (${problem?.reason})${address ? `, wanted ${address}` : ''}`,
  }
  return `${hostname}: ${said[record.result]}`
}

/** What the record holds now, as far as is known. */
function addressAfter({ result, address, previousAddress, problem }: RecordResult): string {
  if (problem?.reason === 'write-unconfirmed') return 'unknown'
  if (problem?.reason === 'record-missing') return '–'
  const written = result === 'updated' || result === 'created'
  return (written ? address : previousAddress) ?? '–'
}

function elapsed(round: RoundResult): string {
  return `${round.requests} requests in ${(round.elapsedMs / 1000).toFixed(2)} s.`
}

function sayVote(vote: Vote): string {
  return 'address' in vote ? vote.address : `no vote: ${vote.problem}`
}

function warningsOf(round: RoundResult): readonly string[] {
  return [...round.warnings, ...round.records.flatMap(record => [...driftNotes(record), ...record.notes])]
}

function driftNotes({ hostname, result, drift }: RecordResult): readonly string[] {
  const tense: Readonly<Record<Result, string>> = {
    unchanged: 'was left as it is; set on-drift: repair to have it changed',
    updated: 'was changed by this write',
    created: '',
    'would-update': 'would be changed by the write',
    'would-create': '',
    failed: 'was to be changed by the write that failed',
  }
  return drift.map(
    ({ field, found, wanted }) =>
      `${field} of ${hostname} was found as ${found} where ${wanted} is wanted, and ${tense[result]}.`,
  )
}

/** Each message once, though several hostnames may share it, with its reason. */
function problemsOf(round: RoundResult): ReadonlyMap<string, string> {
  const problems = [round.problem, ...round.records.map(record => record.problem)]
  return new Map(problems.flatMap(problem => (problem ? [[problem.message, problem.reason]] : [])))
}

/** The single values are the first hostname's, but `result`, `changed` and `reason` speak for the whole round. */
function setOutputs(round: RoundResult): void {
  const [first] = round.records
  const outputs: Readonly<Record<string, string>> = {
    result: overall(round),
    changed: String(round.records.some(isWritten)),
    address: first?.address ?? '',
    'previous-address': first?.previousAddress ?? '',
    'record-id': first?.recordId ?? '',
    drift: JSON.stringify(first?.drift ?? []),
    requests: String(round.requests),
    reason: firstProblem(round)?.reason ?? '',
    records: JSON.stringify(round.records.map(outputOf)),
  }
  for (const [name, value] of Object.entries(outputs)) core.setOutput(name, value)
}

function outputOf(record: RecordResult) {
  return {
    hostname: record.hostname,
    'zone-id': record.zoneId,
    result: record.result,
    changed: isWritten(record),
    address: record.address,
    'previous-address': record.previousAddress,
    'record-id': record.recordId,
    drift: record.drift,
    reason: record.problem?.reason ?? null,
    message: record.problem ? redactToken(record.problem.message) : null,
  }
}

function isWritten({ result }: RecordResult): boolean {
  return result === 'updated' || result === 'created'
}

/** The system's code when the file cannot be written, else null. It is not worth a red run: the result stands. */
function appendSummary(file: string, round: RoundResult): string | null {
  try {
    appendFileSync(file, summaryOf(round))
    return null
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code ?? 'no reason given')
  }
}

/** The job summary in Markdown: hostnames before and after, each source's vote, requests, what to do next. */
export function summaryOf(round: RoundResult): string {
  const result = overall(round)
  const title = round.records.length === 1 ? `${round.records[0]?.hostname}: ${result}` : result
  const records = round.records.map(record => [
    record.hostname,
    record.previousAddress ?? '–',
    addressAfter(record),
    record.problem ? `failed: ${record.problem.reason}` : record.result,
  ])
  const votes = round.votes.map(vote => [vote.source, sayVote(vote)])
  const next = [...problemsOf(round).keys(), ...warningsOf(round)]
  return [
    `### ${escapeMarkdown(`Homeport, ${title}`)}`,
    table(['Hostname', 'Before', 'After', 'Result'], records),
    table(['Address source', 'Vote'], votes),
    elapsed(round),
    next.length === 0 ? 'Nothing is left to do.' : '**What to do**',
    next
      .flatMap(text => text.split('\n'))
      .map(text => `- ${escapeMarkdown(text)}`)
      .join('\n'),
  ]
    .filter(part => part !== '')
    .join('\n\n')
    .concat('\n\n')
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return ''
  const line = (cells: readonly string[]) => `| ${cells.map(escapeMarkdown).join(' | ')} |`
  return [line(head), `|${' --- |'.repeat(head.length)}`, ...rows.map(line)].join('\n')
}

/** GitHub renders HTML and Markdown in summaries; neither may come from a message, nor what is to be hidden. */
function escapeMarkdown(text: string): string {
  return redact(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(/[\\`*_[\]|~#]/g, character => `\\${character}`)
}
