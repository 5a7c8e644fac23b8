import { describe, expect, it } from 'vitest'
import {
  attemptWrite,
  limited,
  listed,
  refused,
  shownNew,
  shownOld,
  timeout,
  unavailable,
  unconfirmed,
  update,
  written,
} from './scripted-api.ts'

describe('Retry-After', () => {
  it.each([
    ['the service', unavailable(7000)],
    ['the rate limit', limited(7000)],
  ])('from %s is honoured before reading back and repeating', async (_, busy) => {
    const { result, sent, sleptMs } = await attemptWrite(update, [busy, listed(shownOld), written(shownNew)])
    expect(result.kind).toBe('confirmed')
    expect([sent, sleptMs]).toEqual(['PUT GET PUT', [7000]])
  })

  it('that leaves just enough time to read back is honoured', async () => {
    const { sleptMs, sent } = await attemptWrite(update, [unavailable(50_000), listed(shownNew)])
    expect([sent, sleptMs]).toEqual(['PUT GET', [50_000]])
  })

  it('beyond the deadline ends the write: it is read back at once, and not repeated', async () => {
    const { result, sent, sleptMs } = await attemptWrite(update, [unavailable(50_001), listed(shownOld)])
    expect(result).toEqual(
      unconfirmed(
        'the service returned 503; reading it back, it had not changed after one attempt, and its Retry-After is later ' +
          'than the deadline',
        'record',
      ),
    )
    expect([sent, sleptMs]).toEqual(['PUT GET', [250]])
  })

  it('from the rate limit beyond the deadline ends the write without reading it back', async () => {
    const { result, sent } = await attemptWrite(update, [limited(50_001)])
    expect(result).toMatchObject({
      kind: 'failed',
      problem: { reason: 'rate-limited' },
      record: null,
      scope: 'service',
    })
    expect(sent).toBe('PUT')
  })

  it('from the rate limit after an unknown outcome is still followed by reading back', async () => {
    const { result, sent } = await attemptWrite(update, [
      timeout,
      listed(shownOld),
      { ...limited(), rateLimits: [] },
      listed(shownNew),
    ])
    expect(result).toMatchObject({
      kind: 'confirmed',
      notes: [expect.stringContaining('back: the rate limit was reached.')],
    })
    expect(sent).toBe('PUT GET PUT GET')
  })

  it('is waited for again if the timer ended early, or another response made it longer', async () => {
    const { result, sent, sleptMs } = await attemptWrite(
      update,
      [limited(1000), listed(shownOld), written(shownNew)],
      {
        prepare: ({ clock, pace }) => {
          const { sleep } = clock
          let sleeps = 0
          clock.sleep = async ms => {
            sleeps++
            if (sleeps === 2) await pace.track(Promise.resolve(limited(500)))
            await sleep(sleeps === 1 ? ms - 0.5 : ms)
          }
        },
      },
    )
    expect(result.kind).toBe('confirmed')
    expect([sent, sleptMs]).toEqual(['PUT GET PUT', [999.5, 0.5, 499.5]])
  })

  it('does not extend the jitter beyond the remaining time', async () => {
    const { sleptMs } = await attemptWrite(update, [unavailable(), listed(shownNew)], {
      elapsedMs: 49_900,
    })
    expect(sleptMs).toEqual([100])
  })
})

describe('an update that the rate limit stops', () => {
  it('twice has written nothing', async () => {
    const { result, sent } = await attemptWrite(update, [
      limited(),
      listed(shownOld),
      limited(),
      listed(shownOld),
    ])
    expect(result).toMatchObject({ kind: 'failed', problem: { reason: 'rate-limited' }, scope: 'record' })
    expect(sent).toBe('PUT GET PUT GET')
  })

  it('after an unknown outcome may have written', async () => {
    const { result } = await attemptWrite(update, [timeout, listed(shownOld), limited(), listed(shownOld)])
    expect(result).toEqual(
      unconfirmed(
        'the rate limit was reached; reading it back, it had not changed after 2 attempts',
        'request',
      ),
    )
  })

  it('and then is refused has written nothing', async () => {
    const { result, sent } = await attemptWrite(update, [
      limited(),
      listed(shownOld),
      refused(400, 9005, 'No.'),
    ])
    expect(result).toMatchObject({ kind: 'failed', problem: { reason: 'write-rejected' }, scope: 'request' })
    expect(sent).toBe('PUT GET PUT')
  })
})
