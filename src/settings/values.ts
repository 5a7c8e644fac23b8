import type { ClientCertificate } from '../../lib/client-certificate.ts'
import { canonicalHostname } from '../../lib/hostname.ts'
import type { FullReading, Reading } from '../../lib/reading.ts'
import { choice, isGuid, list, parseDay, readDuration, refuse } from '../../lib/settings/readers.ts'
import { hasCredentials, parseUrl } from '../../lib/url.ts'

/** Values that the reader of a later row of the table needs. One is missing if its own row was refused. */
export interface Earlier {
  readonly clientCertificate?: ClientCertificate | null
  readonly clientCertificateFile?: string | null
  readonly federatedTokenFile?: string | null
  readonly instance?: string
  readonly basePath?: string
  readonly redirectUris?: readonly string[]
  readonly sessionLifetimeMs?: number
  readonly autoSignIn?: boolean
}

/** The only scope the handler requests. A broader one would need an administrator's consent. */
export const scope = 'User.Read'

/** Bounds of a session's lifetime. The upper one limits how long a revocation must be kept. */
const minSessionMs = 60_000
export const maxSessionMs = 7 * 86_400_000

/** Reads whom the first sign-in binds to their account: everybody in the primary domain, all but administrators, or nobody. */
export const readBindOnFirstUse = choice('everybody', 'employees', 'nobody')

/** Reads how long a session lasts, in milliseconds. */
export function readSessionLifetime(text: string): FullReading<number> {
  return readDuration(text, { minMs: minSessionMs, maxMs: maxSessionMs, range: '1m to 7d, such as 8h' })
}

/** Reads after how many idle milliseconds a session ends; null for `off`. */
export function readSessionIdle(text: string, lifetimeMs: number): FullReading<number | null> {
  if (text === 'off') return { value: null }
  const range = '1m to the session’s lifetime, such as 1h, or off'
  return readDuration(text, { minMs: minSessionMs, maxMs: lifetimeMs, range })
}

/**
 * Reads how often a session's account is checked at Entra, in milliseconds: from a minute to the session's lifetime; `off` is null.
 * Only a sign-in that starts by itself can check it.
 */
export function readSessionRecheck(
  text: string,
  lifetimeMs: number,
  autoSignIn: boolean,
): FullReading<number | null> {
  if (text !== 'off' && !autoSignIn)
    return refuse('needs AUTO_SIGN_IN=true, since it signs people in without a click. Set both, or off.')
  return readSessionIdle(text, lifetimeMs)
}

function parseDomain(text: string): Reading<string> {
  const name = text.toLowerCase()
  return canonicalHostname(name) === name && !/[_*]/.test(name)
    ? { value: name }
    : { problem: 'is not a domain such as example.com' }
}

/**
 * Reads the domains whose addresses may sign in, separated by commas or spaces, the primary one first. Returns them in
 * lower case, or null for `*`, any domain. An empty list does not allow all: matching by the local part alone would let
 * alice@elsewhere.example sign in as alice.
 */
export function readDomains(text: string): FullReading<readonly string[] | null> {
  if (text === '*') return { value: null }
  const reading = list(parseDomain)(text)
  return 'value' in reading && reading.value.length === 0 ? refuse('has no domain. List one.') : reading
}

/** Reads where the old login is: an https URL or a path of this host. */
export function readLegacyLoginUrl(text: string): FullReading<string> {
  // A second slash or a backslash would make the path another host's URL.
  if (/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(text)) return { value: text }
  const url = parseUrl(text)
  return url?.protocol === 'https:' && !hasCredentials(url)
    ? { value: url.href }
    : refuse('is neither an https URL nor a path such as /login.')
}

/** Maximum length of the application's name, in characters. */
const maxAppNameLength = 60

/** Reads what the pages call the application. */
export function readAppName(text: string): FullReading<string> {
  return [...text].length <= maxAppNameLength && !/[\p{C}\p{Zl}\p{Zp}]/u.test(text)
    ? { value: text }
    : refuse(`is not a name of 1 to ${maxAppNameLength} visible characters. Use a shorter one.`)
}

/** Names that mean any tenant. They would let users of other organisations in. */
const tenantAliases = ['common', 'organizations', 'consumers']

/** Reads a tenant: its ID or one of its domains. */
export function readTenantId(text: string): FullReading<string> {
  const fix = 'Use your Directory (tenant) ID.'
  if (tenantAliases.includes(text.toLowerCase()))
    return refuse(`is ${text}, which lets users of every tenant in. ${fix}`)
  if (/^[A-Za-z0-9][A-Za-z0-9.-]{0,127}$/.test(text)) return { value: text }
  return refuse(`is neither a tenant ID nor a domain. ${fix}`)
}

/** Reads an application's client ID. */
export function readClientId(text: string): FullReading<string> {
  if (/^[A-Za-z0-9._~-]{1,128}$/.test(text)) return { value: text }
  return refuse('has characters that no client ID has. Use the Application (client) ID.')
}

/**
 * Reads client secrets, newest first, comma separated. Returns each once: a rejected one is not worth a second try. There are
 * none if something else authenticates the application.
 */
export function readClientSecrets(
  text: string,
  { clientCertificate, clientCertificateFile, federatedTokenFile }: Earlier,
): FullReading<readonly string[]> {
  // A certificate that was refused is missing here.
  if (text === '' && (clientCertificate !== null || clientCertificateFile || federatedTokenFile))
    return { value: [] }
  if (text === '')
    return refuse('is missing. Use the secret’s value, not its ID, or set CLIENT_CERTIFICATE instead.')
  const value = [...new Set(text.split(',').map(secret => secret.trim()))]
  if (value.includes('')) return refuse('has an empty part between its commas. Remove it.')
  return value.some(isGuid)
    ? refuse('has the ID of a secret. Use its value, which Entra shows once, when you create it.')
    : { value }
}

/**
 * Reads the days on which the client secrets expire, in the order of the secrets, as Unix times in milliseconds. A day counts
 * from its beginning in UTC. There can be more or fewer days than secrets: a forgotten one must not stop sign-ins.
 */
export function readSecretEnds(text: string): FullReading<readonly number[]> {
  if (text === '') return { value: [] }
  const days = text.split(',').map(part => parseDay(part.trim()))
  const value = days.filter(day => day !== null)
  // Does not repeat the text, which could be the secret itself.
  return value.length < days.length
    ? refuse('is not a list of days such as 2027-01-31, separated by commas.')
    : { value }
}

/** Reads the scopes to request. Only one is possible. */
export function readScopes(text: string): FullReading<typeof scope> {
  const broader = text.split(/[\s,]+/).some(name => name !== scope && name !== '')
  return broader ? refuse(`asks for more than ${scope}. Remove the others.`) : { value: scope }
}
