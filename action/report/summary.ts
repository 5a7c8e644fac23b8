import { describeVote } from '../address/quorum.ts'
import { overall, type RecordResult, type RoundResult } from '../result.ts'
import type { Watched } from '../watch.ts'
import { explain } from './catalogue.ts'
import { redact } from './redact.ts'
import {
  describeEffort,
  describePartial,
  describeServed,
  describeWatch,
  listNames,
  problemsOf,
  warningsOf,
} from './sentences.ts'

/** Returns the job summary in Markdown: each record before and after, each source's vote, requests, what to do next. */
export function summaryOf(round: RoundResult, watched: Watched | null): string {
  const result = overall(round)
  const title = round.records.length === 1 ? `${round.records[0]?.hostname}: ${result}` : result
  const records = round.records.map(record => [
    record.hostname,
    record.type,
    record.previousAddress ?? '–',
    addressAfter(record),
    record.problem ? `failed: ${record.problem.reason}` : record.result,
  ])
  const votes = round.votes.map(vote => [vote.source, vote.type, describeVote(vote)])
  const next = nextSteps(round)
  return [
    `### ${escapeMarkdown(`Homeport, ${title}`)}`,
    table(['Hostname', 'Type', 'Before', 'After', 'Result'], records),
    table(['Address source', 'Type', 'Vote'], votes),
    escapeMarkdown(describeServed(round) ?? ''),
    escapeMarkdown(describePartial(round) ?? ''),
    describeEffort(round),
    watched ? `${describeWatch(watched)} The rest of this summary is about the last round.` : '',
    next.length === 0 ? 'Nothing to do.' : '**What to do**',
    next
      .flatMap(text => text.split('\n'))
      .map(text => `- ${escapeMarkdown(text)}`)
      .join('\n'),
  ]
    .filter(part => part !== '')
    .join('\n\n')
    .concat('\n\n')
}

function nextSteps(round: RoundResult): readonly string[] {
  const planned = round.records.filter(({ result }) => result === 'would-update' || result === 'would-create')
  const names = listNames(planned.map(({ hostname }) => hostname))
  const dryRun = planned.length === 0 ? [] : [`This was a dry run. To write ${names}, run without dry-run.`]
  const problems = problemsOf(round)
  const explanations = [...new Set(problems.values())].map(explain)
  return [...problems.keys(), ...explanations, ...dryRun, ...warningsOf(round)]
}

/** Returns what the record holds now, as far as that is known. */
function addressAfter(record: RecordResult): string {
  const { problem, address, previousAddress } = record
  if (problem?.reason === 'write-unconfirmed') return 'unknown'
  if (problem?.reason === 'record-missing') return '–'
  return (record.written ? address : previousAddress) ?? '–'
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return ''
  const line = (cells: readonly string[]) => `| ${cells.map(escapeMarkdown).join(' | ')} |`
  return [line(head), `|${' --- |'.repeat(head.length)}`, ...rows.map(line)].join('\n')
}

/** Redacts and escapes text: GitHub renders HTML and Markdown in summaries, and neither may come from a message. */
function escapeMarkdown(text: string): string {
  return redact(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(/[\\`*_[\]|~#]/g, character => `\\${character}`)
}
