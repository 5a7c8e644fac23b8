import { describe, expect, it } from 'vitest'
import { startDeadline } from '../../action/deadline.ts'
import type { HttpOutcome, HttpRequest } from '../../action/http.ts'
import type { DnsRecord, RecordBody } from '../../action/records/record.ts'
import { openService } from '../../action/records/service.ts'
import { type PlannedWrite, write } from '../../action/write.ts'

const zoneId = 'f'.repeat(32)
const target = { hostname: 'home.example.com', zoneId }
const body: RecordBody = {
  type: 'A',
  name: target.hostname,
  content: '203.0.113.7',
  ttl: 120,
  proxied: false,
}
const old: DnsRecord = {
  id: 'a'.repeat(32),
  type: 'A',
  name: target.hostname,
  content: '192.0.2.1',
  ttl: 120,
  proxied: false,
  comment: null,
  tags: [],
  settings: {},
  privateRouting: null,
  readOnly: false,
}
const update: PlannedWrite = { kind: 'update', record: old, body, drift: [] }

/** A record as the API shows it. */
type Shown = Readonly<Record<string, unknown>>
const shownOld: Shown = {
  id: old.id,
  type: 'A',
  name: old.name,
  content: old.content,
  ttl: 120,
  proxied: false,
}

const timeout: HttpOutcome = {
  kind: 'failure',
  cause: 'timeout',
  detail: 'no complete response within 10.0 s',
}

function answer(status: number, content: unknown): HttpOutcome {
  return {
    kind: 'response',
    status,
    contentType: 'application/json',
    retryAfterMs: null,
    body: JSON.stringify(content),
  }
}

function listed(...records: readonly Shown[]): HttpOutcome {
  return answer(200, { success: true, errors: [], result: records })
}

/** Writes with these outcomes of the requests, in order. Returns the result and what was sent. */
async function writing(plan: PlannedWrite, ...outcomes: readonly HttpOutcome[]) {
  const sent: HttpRequest[] = []
  let nowMs = 0
  const clock = {
    now: () => nowMs,
    sleep: async (ms: number) => {
      nowMs += ms
    },
    random: () => 0.5,
  }
  const service = openService(
    { baseUrl: 'https://dns.example', token: 'token' },
    async request => {
      const outcome = outcomes[sent.length]
      sent.push(request)
      if (!outcome) throw new Error(`No outcome for ${request.method} ${request.url}`)
      if (outcome.kind === 'failure') nowMs += request.timeoutMs
      return outcome
    },
    startDeadline(60_000, clock),
    clock,
  )
  const written = await write(service, target, plan)
  return { written, sent: sent.map(({ method }) => method), bodies: sent.map(request => request.body) }
}

describe('a repeated write', () => {
  it('carries over what was edited since the first one', async () => {
    const edited = { ...shownOld, comment: 'the attic', tags: ['owner:me'] }
    const { written, sent, bodies } = await writing(
      update,
      timeout,
      listed(edited),
      answer(200, { success: true, errors: [], result: { ...edited, content: body.content } }),
    )
    expect(written).toMatchObject({
      kind: 'confirmed',
      record: { content: body.content, comment: 'the attic' },
    })
    expect(sent).toEqual(['PUT', 'GET', 'PUT'])
    expect(bodies.map(text => text && JSON.parse(text))).toEqual([
      body,
      undefined,
      { ...body, comment: 'the attic', tags: ['owner:me'] },
    ])
  })
})
