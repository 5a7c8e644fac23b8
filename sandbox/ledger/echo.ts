import { type Entry, observed } from './entry.ts'

/** The address echoes. */
export const echo = {
  'echo.address': observed(
    'A GET of the root is answered with the address, as text on one line.',
    'public echo services, read in 2026-11',
  ),
} as const satisfies Readonly<Record<string, Entry>>
