import { sessionKeyBytes } from '../settings/session-keys.ts'
import { randomText } from './cryptography.ts'

/** Creates a key in the form that SESSION_KEYS takes, named for the day it was created. */
export function createSessionKey(now: Date): string {
  const day = now.toISOString().slice(0, 10).replaceAll('-', '')
  return `k${day}-${randomText(3).replaceAll(/[-_]/g, 'x')}:${randomText(sessionKeyBytes)}`
}
