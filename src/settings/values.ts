import { canonicalHostname } from '../../lib/hostname.ts'
import type { Cidr } from '../../lib/ip-address.ts'
import { parseTrustedProxy } from '../../lib/trusted-proxies.ts'
import { hasCredentials, parseProxy, parseUrl } from '../../lib/url.ts'
import { parseDay } from './day.ts'
import { isGuid } from './guid.ts'
import { refuse, type SettingProblem, type SettingReading } from './problems.ts'

/** The only scope the handler requests. A broader one would need an administrator's consent. */
export const scope = 'User.Read'

const unitsMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
}

/** Bounds of a session's lifetime. The upper one limits how long a revocation must be kept. */
const minSessionMs = 60_000
export const maxSessionMs = 7 * 86_400_000

/** Reads `true` or `false`, in either case. */
export function readBoolean(text: string): SettingReading<boolean> {
  const value = text.toLowerCase()
  return value === 'true' || value === 'false' ? { value: value === 'true' } : refuse('not-boolean')
}

/** Whom the first sign-in binds to their account: everybody in the primary domain, all but administrators, or nobody. */
const bindOnFirstUseChoices = ['everybody', 'employees', 'nobody'] as const

export type BindOnFirstUse = (typeof bindOnFirstUseChoices)[number]

export function readBindOnFirstUse(text: string): SettingReading<BindOnFirstUse> {
  const value = bindOnFirstUseChoices.find(choice => choice === text.toLowerCase())
  return value ? { value } : refuse('not-a-choice', { expected: bindOnFirstUseChoices.join(', ') })
}

/**
 * Reads a time such as `500ms`, `10s`, `30m`, `8h` or `1d` as milliseconds.
 * @param expected the bounds in words
 */
function readDuration(text: string, minMs: number, maxMs: number, expected: string): SettingReading<number> {
  const [, amount, unit] = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text) ?? []
  const value = Number(amount) * (unitsMs[unit ?? ''] ?? Number.NaN)
  return value >= minMs && value <= maxMs ? { value } : refuse('not-a-duration', { expected })
}

/** Reads how long a session lasts, in milliseconds. */
export function readSessionLifetime(text: string): SettingReading<number> {
  return readDuration(text, minSessionMs, maxSessionMs, 'from 1m to 7d, such as 8h')
}

/** Reads after how many idle milliseconds a session ends; null for `off`. */
export function readSessionIdle(text: string, lifetimeMs: number): SettingReading<number | null> {
  if (text === 'off') return { value: null }
  return readDuration(text, minSessionMs, lifetimeMs, 'from 1m to the session’s lifetime, such as 1h, or off')
}

/**
 * Reads how often a session's account is checked at Entra, in milliseconds: from a minute to the session's lifetime; `off` is null.
 * Only a sign-in that starts by itself can check it.
 */
export function readSessionRecheck(
  text: string,
  lifetimeMs: number,
  autoSignIn: boolean,
): SettingReading<number | null> {
  if (text === 'off') return { value: null }
  if (!autoSignIn) return refuse('needs-auto-sign-in')
  return readDuration(text, minSessionMs, lifetimeMs, 'from 1m to the session’s lifetime, such as 1h, or off')
}

/** Reads the URL of a proxy, with or without credentials; blank is null. */
export function readProxyUrl(text: string): SettingReading<string | null> {
  if (text === '') return { value: null }
  const url = parseProxy(text)
  return url ? { value: url.href } : refuse('not-a-proxy')
}

/** Reads addresses and ranges of proxies, separated by commas or spaces; blank is an empty list. */
export function readTrustedProxies(text: string): SettingReading<readonly Cidr[]> {
  const value: Cidr[] = []
  const problems: SettingProblem[] = []
  for (const part of text.split(/[\s,]+/).filter(Boolean)) {
    const reading = parseTrustedProxy(part)
    if ('value' in reading) value.push(reading.value)
    else problems.push({ code: 'not-a-proxy-range', part, found: reading.problem })
  }
  return problems.length > 0 ? { problems } : { value }
}

/** Whether a name can be that of an e-mail domain, in lower-case ASCII. */
function isDomain(name: string): boolean {
  return canonicalHostname(name) === name && !/[_*]/.test(name)
}

/**
 * Reads the domains whose addresses may sign in, separated by commas or spaces, the primary one first. Returns them in
 * lower case, or null for `*`, any domain. An empty list does not allow all: matching by the local part alone would let
 * alice@elsewhere.example sign in as alice.
 */
export function readDomains(text: string): SettingReading<readonly string[] | null> {
  if (text === '*') return { value: null }
  const domains = text
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean)
  if (domains.length === 0) return refuse('missing')
  const problems = domains
    .filter(domain => !isDomain(domain))
    .map((found): SettingProblem => ({ code: 'not-a-domain', found }))
  return problems.length > 0 ? { problems } : { value: domains }
}

/** Reads where the old login is: an https URL or a path of this host; blank is null. */
export function readLegacyLoginUrl(text: string): SettingReading<string | null> {
  if (text === '') return { value: null }
  // A second slash or a backslash would make the path another host's URL.
  if (/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(text)) return { value: text }
  const url = parseUrl(text)
  return url?.protocol === 'https:' && !hasCredentials(url)
    ? { value: url.href }
    : refuse('not-https-or-path')
}

/** Maximum length of the application's name, in characters. */
const maxAppNameLength = 60

/** Reads what the pages call the application; blank is null. */
export function readAppName(text: string): SettingReading<string | null> {
  if (text === '') return { value: null }
  const visible = [...text].length <= maxAppNameLength && !/[\p{C}\p{Zl}\p{Zp}]/u.test(text)
  return visible ? { value: text } : refuse('not-a-name', { expected: String(maxAppNameLength) })
}

/** Names that mean any tenant. They would let users of other organisations in. */
const tenantAliases = ['common', 'organizations', 'consumers']

/** Reads a tenant: its ID or one of its domains. */
export function readTenantId(text: string): SettingReading<string> {
  if (text === '') return refuse('missing')
  if (tenantAliases.includes(text.toLowerCase())) return refuse('any-tenant', { found: text })
  return /^[A-Za-z0-9][A-Za-z0-9.-]{0,127}$/.test(text) ? { value: text } : refuse('not-a-tenant')
}

/** Reads an application's client ID. */
export function readClientId(text: string): SettingReading<string> {
  if (text === '') return refuse('missing')
  return /^[A-Za-z0-9._~-]{1,128}$/.test(text) ? { value: text } : refuse('not-a-client-id')
}

/**
 * Reads client secrets, newest first, comma separated. Returns each once: a rejected one is not worth a second try. Blank
 * is none, since a file can replace them.
 */
export function readClientSecrets(text: string): SettingReading<readonly string[]> {
  if (text === '') return { value: [] }
  const value = [...new Set(text.split(',').map(secret => secret.trim()))]
  if (value.includes('')) return refuse('empty-part')
  return value.some(isGuid) ? refuse('secret-id') : { value }
}

/**
 * Reads the days on which the client secrets end, in the order of the secrets, as Unix times in milliseconds. A day counts
 * from its beginning in UTC. There can be more or fewer days than secrets: a forgotten one must not stop sign-ins.
 */
export function readSecretEnds(text: string): SettingReading<readonly number[]> {
  if (text === '') return { value: [] }
  const days = text.split(',').map(part => parseDay(part.trim()))
  const value = days.filter(day => day !== null)
  return value.length < days.length ? refuse('not-days') : { value }
}

/** Reads the scopes to request. Only one is possible. */
export function readScopes(text: string): SettingReading<typeof scope> {
  const broader = text.split(/[\s,]+/).some(name => name !== scope && name !== '')
  return broader ? refuse('scope-not-allowed', { expected: scope }) : { value: scope }
}
