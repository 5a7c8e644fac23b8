import { redact } from '../../lib/redact.ts'
import { describeVote } from '../address/quorum.ts'
import { overall, type RecordResult, type RoundResult } from '../result.ts'
import { describeRound, otherVotes, problemsOf, warningsOf } from './sentences.ts'

/** Returns the job summary in Markdown: each record before and after, each source's vote, requests, what to do next. */
export function summaryOf(round: RoundResult): string {
  const result = round.problem ? `failed: ${round.problem.reason}` : overall(round)
  const title = round.records.length === 1 ? `${round.records[0]?.hostname}: ${result}` : result
  const rows = round.records.map(record =>
    row([
      record.hostname,
      record.type,
      record.previousAddress ?? '–',
      addressAfter(record),
      record.problem ? `failed: ${record.problem.reason}` : record.result,
    ]),
  )
  const votes = otherVotes(round).map(vote => row([vote.source, vote.type, describeVote(vote)]))
  const next = nextSteps(round)
  return [
    `### ${escapeMarkdown(`Homeport, ${title}`)}`,
    table(['Hostname', 'Type', 'Before', 'After', 'Result'], rows),
    table(['Address source', 'Type', 'Vote'], votes),
    ...describeRound(round).map(escapeMarkdown),
    next.length === 0 ? 'Nothing to do.' : '**What to do**',
    next.join('\n'),
  ]
    .filter(part => part !== '')
    .join('\n\n')
    .concat('\n\n')
}

function nextSteps(round: RoundResult): readonly string[] {
  const planned = round.records.filter(({ result }) => result === 'would-update' || result === 'would-create')
  const names = planned.map(({ hostname }) => hostname).join(', ')
  const dryRun = planned.length === 0 ? [] : [`This was a dry run. To write ${names}, run without dry-run.`]
  const steps = [...problemsOf(round).keys(), ...dryRun, ...warningsOf(round)]
  return steps.map(step => escapeMarkdown(step).replace(/^/gm, '- '))
}

/** Returns what the record holds now, as far as that is known, or would hold without a dry run. */
function addressAfter(record: RecordResult): string {
  const { problem, address, previousAddress } = record
  if (problem?.reason === 'write-unconfirmed') return 'unknown'
  if (problem?.reason === 'record-missing') return '–'
  const isNew = record.written || ['would-update', 'would-create'].includes(record.result)
  return (isNew ? address : previousAddress) ?? '–'
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
