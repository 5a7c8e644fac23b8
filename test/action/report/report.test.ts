import { expect, it } from 'vitest'
import { resultOf } from '../../../action/decide.ts'
import type { ProblemSetting, Reason } from '../../../action/problem.ts'
import { outputsOf } from '../../../action/report/outputs.ts'
import { describeWatch, wordProblem } from '../../../action/report/sentences.ts'
import { summaryOf } from '../../../action/report/summary.ts'
import type { RecordResult, RoundResult } from '../../../action/result.ts'
import { slot } from '../records/api.ts'

/** A round over 50 names of two types: every tenth record failed, every tenth changed. */
function roundOf(nameLength: number, messageLength: number): RoundResult {
  const records = Array.from({ length: 100 }, (_, index): RecordResult => {
    const hostname = `h${String(index >> 1).padStart(nameLength - 13, '0')}.example.com`
    const problem = {
      reason: 'write-rejected',
      message: `Failed to update ${hostname}: ${'ö'.repeat(messageLength)}.`,
    } as const
    const address = '203.0.113.10'
    const known = { recordId: '1'.repeat(32), previousAddress: address, notes: ['*'.repeat(messageLength)] }
    const type = index % 2 === 0 ? 'A' : 'AAAA'
    const unchanged = resultOf({ ...slot, hostname, type }, address, null, { result: 'unchanged', ...known })
    if (index % 10 === 9) return { ...unchanged, result: 'failed', problem }
    return index % 10 === 8 ? { ...unchanged, result: 'updated', written: true } : unchanged
  })
  return { records, votes: [], warnings: [], problem: null, requests: 3, elapsedMs: 1000 }
}

it('fits 50 long names of two types into the outputs of a job and the summary of a step', () => {
  const round = roundOf(253, 2000)
  const outputs = outputsOf(round)
  expect(outputs.records.map(({ hostname }) => hostname)).toEqual(
    round.records.map(({ hostname }) => hostname),
  )
  // GitHub takes 1 MB of outputs from a job, counted as UTF-16, and 1 MiB of summary from a step.
  expect(JSON.stringify(outputs).length * 2).toBeLessThan(1_000_000)
  const summary = summaryOf(round)
  expect(Buffer.byteLength(summary)).toBeLessThan(1024 * 1024)
  expect(summary.match(/^\| h.* \|$/gm)).toHaveLength(100)
  expect(summary.match(/^\| h.*failed: write-rejected \|$/gm)).toHaveLength(10)
})

it('shows HTML and Markdown of others as text in the summary', () => {
  const message = 'Cloudflare returned 400 "<img src=x> & [here](https://evil.example) `a` | b".'
  const round = { ...roundOf(32, 0), problem: { reason: 'unexpected', message } as const }
  expect(summaryOf(round)).toContain(
    '- Cloudflare returned 400 "&lt;img src=x&gt; &amp; \\[here\\](https://evil.example) \\`a\\` \\| b".',
  )
})

it('counts requests and rounds in the singular and the plural', () => {
  const watched = { last: roundOf(32, 0), rounds: 1, failed: 0, requests: 2 }
  expect(describeWatch(watched)).toBe('1 round, 0 failed, 2 requests.')
  expect(describeWatch({ ...watched, rounds: 2, requests: 1 })).toBe('2 rounds, 0 failed, 1 request.')
})

it('ends a problem with what to do about an input, or with what the next run does', () => {
  const worded = (reason: Reason, setting?: ProblemSetting) =>
    wordProblem({ reason, message: 'Down.', ...(setting && { setting }) })
  expect(worded('unexpected', 'base-url')).toBe('Down. Check base-url.')
  expect(worded('service-unavailable')).toBe('Down. The next run tries again.')
  expect(worded('write-unconfirmed', 'timeout')).toBe(
    'Down. If this happens again, raise timeout. The next run checks again.',
  )
})
