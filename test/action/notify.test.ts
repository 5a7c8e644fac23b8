import { describe, expect, it } from 'vitest'
import { resultOf } from '../../action/decide.ts'
import { messageOf, notify } from '../../action/notify.ts'
import { failure, type HttpOutcome } from '../../lib/exchange.ts'
import { recorded, response } from '../support/response.ts'
import { slot } from './records/api.ts'

const url = 'https://hooks.example:8443/services/T0/6f1d2c9a?key=1'
const updated = resultOf(slot, '203.0.113.10', null, { result: 'updated', previousAddress: '192.0.2.10' })

/** Tells of an update. Returns the warnings and the requests. */
async function tell(outcome: HttpOutcome, format: 'text' | 'json' = 'text', records = [updated]) {
  const { exchange, sent } = recorded(() => outcome)
  return { warnings: await notify({ url, format }, records, exchange), sent }
}

describe('a message', () => {
  it('takes at most ten seconds, reads at most 64 KiB, and is sent once', async () => {
    const { warnings, sent } = await tell(failure('timeout', 'no complete response within 10.0 s'))
    expect(warnings).toEqual([
      'hooks.example:8443 did not accept the message: no complete response within 10.0 s. The records are not affected.',
    ])
    expect(sent).toEqual([
      {
        method: 'POST',
        url,
        headers: { 'Content-Type': 'text/plain' },
        body: 'home.example.com (A): changed from 192.0.2.10 to 203.0.113.10',
        timeoutMs: 10_000,
        maxBytes: 65_536,
      },
    ])
  })

  it.each([302, 500])('is not accepted with %i, which is a warning', async status => {
    const { warnings, sent } = await tell(response('6f1d2c9a', { status }))
    expect(warnings).toEqual([
      expect.stringMatching(`^hooks\\.example:8443 did not accept the message: it returned ${status}\\.`),
    ])
    expect(sent).toHaveLength(1)
  })

  it.each([
    ['unchanged', null, 0],
    ['would-update', null, 0],
    ['failed', null, 0],
    ['failed', 'updated', 1],
    ['failed', 'unchanged', 0],
  ] as const)('of a record that is %s (%s if it were served) is sent %i times', async (...row) => {
    const [result, ifServed, count] = row
    const { sent } = await tell(response(''), 'text', [{ ...updated, result, ifServed }])
    expect(sent).toHaveLength(count)
  })

  it('is JSON with the same text for both services, if that is the format', async () => {
    const created = { ...updated, result: 'created', previousAddress: null } as const
    const { warnings, sent } = await tell(response(''), 'json', [created])
    const text = 'home.example.com (A): created with 203.0.113.10'
    expect(warnings).toEqual([])
    expect(sent).toMatchObject([{ headers: { 'Content-Type': 'application/json' } }])
    expect(JSON.parse(sent[0]?.body ?? '')).toEqual({ text, content: text })
  })

  it('says what a repair changed, even beside a new address', () => {
    const drift = [
      { field: 'ttl', found: 300, wanted: 120 },
      { field: 'proxied', found: true, wanted: false },
    ] as const
    const settings = 'ttl changed from 300 to 120, proxied changed from true to false'
    expect(messageOf([{ ...updated, previousAddress: updated.address, drift }])).toBe(
      `home.example.com (A): ${settings}`,
    )
    expect(messageOf([{ ...updated, drift }])).toBe(
      `home.example.com (A): changed from 192.0.2.10 to 203.0.113.10, ${settings}`,
    )
  })

  it('fits into a message of Discord, with whole lines and a count of the others', () => {
    for (const count of [32, 33, 40, 1000]) {
      const names = Array.from({ length: count }, (_, index) => `n${index}.example.com`)
      const text = messageOf(names.map(hostname => ({ ...updated, hostname })))
      expect(text.length).toBeLessThanOrEqual(2000)
      const [told = '', more] = text.split(/\nand (\d+) more$/)
      const whole = names.map(name => `${name} (A): changed from 192.0.2.10 to 203.0.113.10`)
      expect(told.split('\n')).toEqual(whole.slice(0, count - Number(more ?? 0)))
      expect(more !== undefined).toBe(count > 32)
    }
  })
})
