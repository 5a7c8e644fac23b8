import { readFileSync } from 'node:fs'
import { type Environment, type Given, isAction, type Reader, readChoice } from './reader.ts'
import { maxSecretBytes } from './secret-file.ts'
import { secretInputs } from './table.ts'

/**
 * Returns every secret as given, so that it can be masked before anything else happens. Without one that is too long: the
 * run is refused, and no message shows it.
 */
export function givenSecrets(given: Given): readonly string[] {
  const texts = secretInputs.map(name => given.text(name)?.trim() ?? '')
  return texts.filter(text => text.length <= maxSecretBytes).map(secretPart)
}

/** Returns the path and query of a URL, and any other text whole. A masked scheme or host would redact other URLs too. */
function secretPart(text: string): string {
  const url = /^https?:/i.test(text) && URL.canParse(text) ? new URL(text) : null
  if (!url) return text
  const path = `${url.pathname}${url.search}`
  return path === '/' ? '' : path
}

/**
 * Reads `mask-address`. `auto` masks in GitHub's logs unless the run's event says that the repository is private. Outside
 * GitHub, nobody else reads the log.
 */
export function readMaskAddress(read: Reader, env: Environment): boolean {
  const choice = readChoice(read, 'mask-address', ['auto', 'true', 'false'])
  if (choice !== 'auto') return choice === 'true'
  return isAction(env) && !isPrivateRepository(env['GITHUB_EVENT_PATH'])
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
