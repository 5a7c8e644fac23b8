import { readFileSync } from 'node:fs'
import { type Environment, type Given, type Reader, readChoice } from './reader.ts'
import { secretInputs } from './table.ts'

/** Returns every secret as given, so that it can be masked before anything else happens. */
export function givenSecrets(given: Given): readonly string[] {
  return secretInputs.map(name => given.text(name) ?? '')
}

/** Reads `mask-address`. `auto` masks unless the run's event says that only members can read its log. */
export function readMaskAddress(read: Reader, env: Environment): boolean {
  const choice = readChoice(read, 'mask-address', ['auto', 'true', 'false'])
  return choice === 'auto' ? !isPrivateRepository(env['GITHUB_EVENT_PATH']) : choice === 'true'
}

function isPrivateRepository(eventPath: string | undefined): boolean {
  if (!eventPath) return false
  try {
    const event: { repository?: { private?: unknown } } | null = JSON.parse(readFileSync(eventPath, 'utf8'))
    return event?.repository?.private === true
  } catch {
    return false
  }
}
