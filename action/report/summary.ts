import { describeVote } from '../address/quorum.ts'
import { overall, type RecordResult, type RoundResult, severity } from '../result.ts'
import { redact } from '../text/redact.ts'
import { keepWithin } from './outputs.ts'
import { describeRound, listNames, problemsOf, warningsOf } from './sentences.ts'

/** GitHub takes 1 MiB of summary from a step. Both lists, of records and of what to do, stay below it together. */
const maxListBytes = 450 * 1024

/** A line of a list, or a few. The least serious are left out first. */
interface Entry {
  readonly severity: number
  readonly text: string
}

/** Returns the job summary in Markdown: each record before and after, each source's vote, requests, what to do next. */
export function summaryOf(round: RoundResult): string {
  const result = round.problem ? `failed: ${round.problem.reason}` : overall(round)
  const title = round.records.length === 1 ? `${round.records[0]?.hostname}: ${result}` : result
  const records = round.records.map(record => ({
    severity: severity[record.result],
    text: row([
      record.hostname,
      record.type,
      record.previousAddress ?? '–',
      addressAfter(record),
      record.problem ? `failed: ${record.problem.reason}` : record.result,
    ]),
  }))
  const votes = round.votes.map(vote => row([vote.source, vote.type, describeVote(vote)]))
  const next = nextSteps(round)
  const [rows, omittedRows] = shorten(records, 'record')
  const [steps, omittedSteps] = shorten(next, 'message')
  return [
    `### ${escapeMarkdown(`Homeport, ${title}`)}`,
    table(['Hostname', 'Type', 'Before', 'After', 'Result'], rows),
    omittedRows,
    table(['Address source', 'Type', 'Vote'], votes),
    ...describeRound(round).map(escapeMarkdown),
    next.length === 0 ? 'Nothing to do.' : '**What to do**',
    steps.join('\n'),
    omittedSteps,
  ]
    .filter(part => part !== '')
    .join('\n\n')
    .concat('\n\n')
}

/** Returns the entries that fit, and a sentence that counts the others, empty if there are none. */
function shorten(entries: readonly Entry[], noun: string): readonly [readonly string[], string] {
  const kept = keepWithin(entries, maxListBytes, ({ text }) => Buffer.byteLength(text) + 1)
  const left = entries.length - kept.length
  const omitted = left === 0 ? '' : `${left} more ${noun}s do not fit into a summary. The log shows all.`
  return [kept.map(({ text }) => text), omitted]
}

function nextSteps(round: RoundResult): readonly Entry[] {
  const planned = round.records.filter(({ result }) => result === 'would-update' || result === 'would-create')
  const names = listNames(planned.map(({ hostname }) => hostname))
  const dryRun = planned.length === 0 ? [] : [`This was a dry run. To write ${names}, run without dry-run.`]
  const steps = (texts: Iterable<string>, level: number) =>
    [...texts].map(text => ({ severity: level, text: escapeMarkdown(text).replace(/^/gm, '- ') }))
  return [...steps(problemsOf(round).keys(), 1), ...steps(dryRun, 2), ...steps(warningsOf(round), 0)]
}

/** Returns what the record holds now, as far as that is known. */
function addressAfter(record: RecordResult): string {
  const { problem, address, previousAddress } = record
  if (problem?.reason === 'write-unconfirmed') return 'unknown'
  if (problem?.reason === 'record-missing') return '–'
  return (record.written ? address : previousAddress) ?? '–'
}

function table(head: readonly string[], rows: readonly string[]): string {
  return rows.length === 0 ? '' : [row(head), `|${' --- |'.repeat(head.length)}`, ...rows].join('\n')
}

function row(cells: readonly string[]): string {
  return `| ${cells.map(escapeMarkdown).join(' | ')} |`
}

/** Redacts and escapes text: GitHub renders HTML and Markdown in summaries, and neither may come from a message. */
function escapeMarkdown(text: string): string {
  return redact(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(/[\\`*_[\]|~#]/g, character => `\\${character}`)
}
