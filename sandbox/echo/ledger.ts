import { type Entry, observed } from '../http/ledger.ts'

/** The address echoes. */
export const echo = {
  'echo.address': observed(
    'GET / returns the address as one line of text.',
    'public echo services, read in 2026-11',
  ),
} as const satisfies Readonly<Record<string, Entry>>
