import { createHash, randomBytes } from 'node:crypto'
import { explainFailure, type HttpOutcome, type HttpRequest } from '../../lib/exchange.ts'
import { isIpv4, isIpv6 } from '../../lib/ip-address.ts'
import { fillProbe, isExpected } from '../../lib/probes.ts'
import { quote, quoteValue } from '../../lib/quote.ts'
import { differences, readAnswer } from './answer.ts'
import { createMask } from './mask.ts'
import { type Question, questions } from './questions.ts'

type Values = Readonly<Record<string, string>>

/** Sends one request, follows no redirect, and repeats nothing. */
export type Send = (request: HttpRequest) => Promise<HttpOutcome>

/** Asks a question once. Resolves to how the answer is not as the table says, or to why it was not asked. */
export async function askQuestion(
  question: Question,
  given: Values,
  send: Send,
): Promise<{ readonly isAsked: boolean; readonly lines: readonly string[] }> {
  const { probe, expected: meaning, values = {}, needsClient } = question
  const { tenant = '', client = '' } = given
  if (needsClient && !(tenant && client))
    return { isAsked: false, lines: ['PROBE_TENANT_ID and PROBE_CLIENT_ID are not set.'] }
  const [verifier, state] = [randomBytes(32).toString('base64url'), randomBytes(16).toString('base64url')]
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  const authority = values['authority']?.replace('{tenant}', tenant) ?? ''
  const { url, form } = fillProbe(probe, { ...given, ...values, authority, verifier, state, challenge })
  const body = form?.toString() ?? (probe.json && JSON.stringify(probe.json))
  const type = form ? 'application/x-www-form-urlencoded' : 'application/json'
  const outcome = await send({
    method: body === undefined ? 'GET' : 'POST',
    url,
    family: probe.family,
    body,
    headers: { 'user-agent': 'homeport', ...(body && { 'content-type': type }), ...probe.headers },
    timeoutMs: 10_000,
    maxBytes: probe.maxBytes ?? 1024 * 1024,
  })
  if (outcome.kind === 'failure') {
    const isAsked = !(probe.family === 6 && outcome.cause === 'unsent')
    return { isAsked, lines: [isAsked ? explainFailure(outcome) : 'This machine has no IPv6.'] }
  }
  const mask = createMask({ tenant, client })
  const answer = mask(readAnswer(outcome))
  const { status, codes } = answer
  const expected = probe.answers[meaning] ?? { observed: false }
  const lines = expected.body ? [...differences(expected.body, answer.body, false)] : []
  if (!isExpected(expected, answer)) lines.unshift('another status or code')
  if (expected.text && !(probe.family === 6 ? isIpv6 : isIpv4)(outcome.body.trim()))
    lines.push(`${quote(mask(outcome.body))} is not one IPv${probe.family} address`)
  const leadsTo = URL.parse(outcome.header('location') ?? '', url)?.host
  if (expected.host && (status >= 400 || (leadsTo ?? expected.host) !== expected.host))
    lines.push(`it leads to ${quoteValue(leadsTo)}`)
  if (lines.length > 0)
    lines.push(
      `expected ${quoteValue(expected)}`,
      `found    ${status} ${quoteValue(codes)} ${quoteValue(answer.body)}`,
    )
  return { isAsked: true, lines }
}

/** Asks every question, and prints what was found. Returns the text of the issue, or null if nothing differs. */
export async function sendProbes(
  given: Values,
  send: Send,
  print: (line: string) => void,
): Promise<string | null> {
  const issue: string[] = []
  for (const question of questions) {
    const { isAsked, lines } = await askQuestion(question, given, send)
    const { name, probe, expected } = question
    const today = new Date().toISOString().slice(0, 10)
    const isNews = probe.answers[expected]?.observed === false
    if (!isAsked) print(`not asked ${name}: ${lines}`)
    else if (lines.length === 0) print(`same      ${name}${isNews ? `: observed is now ${today}` : ''}`)
    else issue.push(`differs   ${name}`, ...lines.map(line => `            ${line}`))
  }
  for (const line of issue) print(line)
  const html = issue.map(line =>
    line.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
  )
  return issue.length === 0 ? null : `<pre>\n${html.join('\n')}\n</pre>`
}
