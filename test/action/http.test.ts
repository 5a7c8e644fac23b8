import { describe, expect, it } from 'vitest'
import { parseRetryAfter } from '../../action/http.ts'

describe('Retry-After', () => {
  const now = Date.parse('Sat, 21 Nov 2026 08:00:00 GMT')

  it.each([
    ['0', 0],
    ['30', 30_000],
    ['Sat, 21 Nov 2026 08:00:10 GMT', 10_000],
    ['Sat, 21 Nov 2026 07:00:00 GMT', 0],
  ])('%s is a wait of %i ms', (value, waitMs) => {
    expect(parseRetryAfter(value, now)).toBe(waitMs)
  })

  it.each([undefined, '', '-1', '1.5', '1e9', 'soon', '2026-11-21', '99999999999'])(
    '%s is ignored',
    value => {
      expect(parseRetryAfter(value, now)).toBeNull()
    },
  )
})
