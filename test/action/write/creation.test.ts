import { describe, expect, it } from 'vitest'
import type { HttpOutcome } from '../../../action/http.ts'
import {
  alias,
  attemptWrite,
  body,
  create,
  listed,
  old,
  refused,
  secondId,
  shownNew,
  timeout,
  unconfirmed,
  written,
} from './scripted-api.ts'

describe('a creation', () => {
  const shown = { ...shownNew, id: secondId }
  const created = expect.objectContaining({ id: secondId })

  it('is confirmed by reading the name again', async () => {
    const { result, sent, bodies, sleptMs } = await attemptWrite(create, [written(shown), listed(shown)])
    expect(result).toEqual({ kind: 'confirmed', record: created, notes: [] })
    expect([sent, bodies[0], sleptMs]).toEqual(['POST GET', body, []])
  })

  it('is read a second time if the list does not show it yet', async () => {
    const { result, sent, sleptMs } = await attemptWrite(create, [written(shown), listed(), listed(shown)])
    expect(result).toEqual({ kind: 'confirmed', record: created, notes: [] })
    expect([sent, sleptMs]).toEqual(['POST GET GET', [250]])
  })

  it.each<[string, readonly HttpOutcome[], string]>([
    ['the list stays empty', [listed(), listed()], 'reading it back, the name had no record'],
    ['a CNAME', [listed(alias)], 'reading it back, the name has a CNAME, which prevents an A record'],
    ['another ttl', [listed({ ...shown, ttl: 60 })], 'reading it back, it shows ttl "60" instead of 120'],
  ])('is in doubt: %s', async (_, lists, why) => {
    const { result } = await attemptWrite(create, [written(shown), ...lists])
    expect(result).toEqual(
      unconfirmed(`the service created ${secondId}, but ${why}`, 'request', create, created),
    )
  })

  it('is in doubt if it cannot be read', async () => {
    const { result } = await attemptWrite(create, [written(shown), refused(403, 10000, 'No.')])
    if (result.kind !== 'failed') throw new Error(result.kind)
    expect(result).toMatchObject({ problem: { reason: 'write-unconfirmed' }, record: { id: secondId } })
    expect(result.problem.message).toMatch(
      /but reading it back failed: Failed .*api-token uses\. The record may/,
    )
  })

  it('at the same time as another is ambiguous', async () => {
    const { result } = await attemptWrite(create, [written(shown), listed(shown, { ...shown, id: old.id })])
    expect(result).toEqual({
      kind: 'failed',
      problem: {
        reason: 'record-ambiguous',
        message:
          `home.example.com has 2 A records: ${secondId} ("203.0.113.7"), ${old.id} ("203.0.113.7"), because something ` +
          `else created a record at the same time as this run created ${secondId}. Delete all but one. Let only one ` +
          'workflow update the hostname.',
      },
      record: created,
      scope: 'request',
    })
  })

  it('under another name is reported with its id, and not repeated', async () => {
    const misplaced = { ...shown, name: 'home.example.com.example.org' }
    const { result, sent } = await attemptWrite(create, [written(misplaced)])
    expect(result).toMatchObject({
      kind: 'failed',
      problem: {
        reason: 'write-unconfirmed',
        message: expect.stringContaining(`Delete the record ${secondId}.`),
      },
      record: { id: secondId },
      scope: 'request',
    })
    expect(sent).toBe('POST')
  })

  it('with another ttl is read back', async () => {
    const { result, sent } = await attemptWrite(create, [written({ ...shown, ttl: 60 }), listed(shown)])
    expect(result).toMatchObject({ kind: 'confirmed', record: { id: secondId } })
    expect(sent).toBe('POST GET')
  })

  it('whose outcome is unknown is repeated while the name is empty', async () => {
    const { result, sent, bodies } = await attemptWrite(create, [
      timeout,
      listed(),
      written(shown),
      listed(shown),
    ])
    expect(result).toMatchObject({ kind: 'confirmed', record: { id: secondId } })
    expect(sent).toBe('POST GET POST GET')
    expect(bodies[2]).toEqual(body)
  })

  it('whose outcome stays unknown may have happened', async () => {
    const { result } = await attemptWrite(create, [timeout, listed(), timeout, listed()])
    expect(result).toEqual(
      unconfirmed(
        'no complete response; reading it back, it had not changed after 2 attempts',
        'record',
        create,
      ),
    )
  })

  it('is not repeated beside a record that shows something else', async () => {
    const other = { ...shown, content: '198.51.100.9' }
    const { result, sent } = await attemptWrite(create, [timeout, listed(other)])
    expect(result).toEqual(
      unconfirmed(
        'no complete response; reading it back, it shows content "198.51.100.9" instead of 203.0.113.7',
        'record',
        create,
      ),
    )
    expect(sent).toBe('POST GET')
  })
})
