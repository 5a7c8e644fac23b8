import { readFileSync } from 'node:fs'
import { canonicalHostname } from '../../lib/hostname.ts'
import { type Environment, type Given, isAction, maxSecretBytes, type Reader, readChoice } from './reader.ts'
import { secretInputs } from './table.ts'

/** What must be masked before anything else happens. */
export interface GivenSecrets {
  readonly token: string
  /** The secret parts of `heartbeat-url` and `notify-url`, one per line. */
  readonly urls: string
  /** What is no secret, although a URL contains it. In the token it stays masked: somebody can paste that into hostname. */
  readonly shown: readonly string[]
}

/** Returns the secrets as given. One that is too long is empty: the run is refused, and no message shows it. */
export function givenSecrets(given: Given): GivenSecrets {
  const [token = '', ...urls] = secretInputs
    .map(name => given.text(name)?.trim() ?? '')
    .map(text => (text.length > maxSecretBytes ? '' : secretPart(text)))
  const words = given.text('hostname')?.split(/\s+/) ?? []
  const names = words.flatMap(word => canonicalHostname(word) ?? [])
  return { token, urls: urls.join('\n'), shown: [...secretInputs, ...names] }
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
