import { redirectUriProblems } from '../routes.ts'
import { longestSessionMs } from '../session/session.ts'
import { cloudMismatch, graphUrlFor } from './clouds.ts'
import { parseKeys, type SessionKey } from './session-keys.ts'
import { parseDomains, parseDuration, parseLegacyUrl, parseServiceUrl } from './values.ts'

/** Everything the handler was told, validated. Times are milliseconds. */
export interface Settings {
  readonly tenantId: string
  readonly clientId: string
  /** Newest first, at least one. */
  readonly clientSecrets: readonly string[]
  /** Without a slash at the end. */
  readonly instance: string
  /** Without a slash at the end. */
  readonly graphUrl: string
  readonly redirectUri: string
  readonly requireState: boolean
  /** The first seals, all open. */
  readonly sessionKeys: readonly SessionKey[]
  /** Lower case, the first is the primary one; null when the operator opted out with `*`. */
  readonly allowedDomains: readonly string[] | null
  readonly allowGuests: boolean
  readonly sessionLifetimeMs: number
  /** Null when sessions do not end by idleness. */
  readonly sessionIdleMs: number | null
  readonly legacyLoginUrl: string | null
  /** How long both calls to the provider may take together. */
  readonly providerTimeoutMs: number
}

export type Reading =
  | { readonly kind: 'settings'; readonly settings: Settings }
  | { readonly kind: 'refused'; readonly problems: readonly string[] }

/** Environment variables of a process, or the bindings of a Worker, of which only the texts are read here. */
export type Environment = Readonly<Record<string, unknown>>

/** The one scope, in both requests. Anything broader needs an administrator's consent, and nothing here uses it. */
export const scope = 'User.Read'

/** What a setting stands at when it is left out or blank. */
export const settingDefaults = {
  INSTANCE: 'https://login.microsoftonline.com',
  SCOPES: scope,
  REQUIRE_STATE: 'false',
  ALLOW_GUESTS: 'false',
  SESSION_LIFETIME: '8h',
  PROVIDER_TIMEOUT: '10s',
} as const

const minute = 60_000
const day = 24 * 60 * minute

/**
 * Reads every setting once and gives all of them, or one sentence for each wrong one: an operator should not learn of
 * the second fault by repairing the first. No sentence repeats a secret.
 */
export function readSettings(env: Environment): Reading {
  const problems: string[] = []
  const complain: Complain = (name, message) => void problems.push(`${name} ${message}`)
  const text = (name: string) => {
    const value = env[name]
    return typeof value === 'string' ? value.trim() : ''
  }
  const given = (name: keyof typeof settingDefaults) => text(name) || settingDefaults[name]
  const boolean = (name: 'REQUIRE_STATE' | 'ALLOW_GUESTS') => {
    const value = given(name).toLowerCase()
    if (value !== 'true' && value !== 'false') complain(name, 'is neither true nor false.')
    return value === 'true'
  }

  const provider = readProvider(given('INSTANCE'), text('GRAPH_URL'), complain)
  const lifetime = parseDuration(given('SESSION_LIFETIME'), minute, longestSessionMs)
  if (lifetime === null) complain('SESSION_LIFETIME', 'is not a time from 1m to 7d, such as 8h.')
  const idleText = text('SESSION_IDLE')
  const idle = idleText === '' || idleText === 'off' ? null : parseDuration(idleText, minute, lifetime ?? day)
  if (idle === null && idleText !== '' && idleText !== 'off') {
    complain('SESSION_IDLE', 'is neither off nor a time from 1m to SESSION_LIFETIME, such as 1h.')
  }
  const timeout = parseDuration(given('PROVIDER_TIMEOUT'), 500, minute)
  if (timeout === null) complain('PROVIDER_TIMEOUT', 'is not a time from 500ms to 1m, such as 10s.')
  checkScopes(given('SCOPES'), complain)
  const redirectUri = text('REDIRECT_URI')
  if (redirectUri === '') {
    complain('REDIRECT_URI', 'is missing. Give the registered address, character for character.')
  } else {
    for (const problem of redirectUriProblems(redirectUri)) complain('REDIRECT_URI', problem)
  }
  const keys = parseKeys(text('SESSION_KEYS'))
  for (const problem of keys.problems) complain('SESSION_KEYS', problem)
  const domains = parseDomains(text('ALLOWED_DOMAINS'))
  for (const problem of domains.problems) complain('ALLOWED_DOMAINS', problem)
  const legacy = parseLegacyUrl(text('LEGACY_LOGIN_URL'))
  if (legacy === 'malformed') {
    complain('LEGACY_LOGIN_URL', 'is neither an https address nor a path.')
  }

  const settings: Settings = {
    tenantId: readTenant(text('TENANT_ID'), complain),
    clientId: readClientId(text('CLIENT_ID'), complain),
    clientSecrets: readSecrets(text('CLIENT_SECRET'), complain),
    ...provider,
    redirectUri,
    requireState: boolean('REQUIRE_STATE'),
    sessionKeys: keys.keys,
    allowedDomains: domains.domains,
    allowGuests: boolean('ALLOW_GUESTS'),
    sessionLifetimeMs: lifetime ?? 0,
    sessionIdleMs: idle,
    legacyLoginUrl: legacy,
    providerTimeoutMs: timeout ?? 0,
  }
  return problems.length > 0 ? { kind: 'refused', problems } : { kind: 'settings', settings }
}

type Complain = (name: string, message: string) => void

/** Names that stand for any directory. With one of them, strangers' directories could sign people in. */
const tenantAliases = ['common', 'organizations', 'consumers']

function readTenant(value: string, complain: Complain): string {
  if (value === '') complain('TENANT_ID', 'is missing. It is the Directory (tenant) ID.')
  else if (tenantAliases.includes(value.toLowerCase())) {
    complain('TENANT_ID', `is ${value}, which lets every directory in. Use your own ID.`)
  } else if (!/^[A-Za-z0-9][A-Za-z0-9.-]{0,127}$/.test(value)) {
    complain('TENANT_ID', 'is neither a directory’s ID nor its domain.')
  }
  return value
}

function readClientId(value: string, complain: Complain): string {
  if (value === '') complain('CLIENT_ID', 'is missing. It is the Application (client) ID.')
  else if (!/^[A-Za-z0-9._~-]{1,128}$/.test(value)) {
    complain('CLIENT_ID', 'holds characters no ID has.')
  }
  return value
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

function readSecrets(value: string, complain: Complain): readonly string[] {
  // One that stands there twice would be tried again after it was refused.
  const secrets = [...new Set(value.split(',').map(secret => secret.trim()))]
  if (value === '') complain('CLIENT_SECRET', 'is missing. It is a secret’s value, not its ID.')
  else if (secrets.includes('')) complain('CLIENT_SECRET', 'has an empty part between its commas.')
  else if (secrets.some(secret => uuid.test(secret))) {
    complain('CLIENT_SECRET', 'holds the ID of a secret. Use its value, shown once when it is made.')
  }
  return secrets
}

function checkScopes(value: string, complain: Complain): void {
  const others = value.split(/[\s,]+/).filter(name => name !== scope && name !== '')
  if (others.length > 0) {
    complain('SCOPES', `asks for more than ${scope}. Nothing here uses it.`)
  }
}

/** The provider's two addresses; Graph's follows from the login host where that is a known one. */
function readProvider(instance: string, graph: string, complain: Complain) {
  const login = parseServiceUrl(instance)
  if (login.kind === 'malformed') complain('INSTANCE', login.message)
  const standard = login.kind === 'url' ? graphUrlFor(login.url.hostname) : null
  const directory = graph === '' && standard ? parseServiceUrl(standard) : parseServiceUrl(graph)
  if (graph === '' && standard === null) {
    complain('GRAPH_URL', 'is missing, and no Graph is known for INSTANCE.')
  } else if (directory.kind === 'malformed') {
    complain('GRAPH_URL', directory.message)
  }
  if (login.kind === 'url' && directory.kind === 'url') {
    const mismatch = cloudMismatch(login.url.hostname, directory.url.hostname)
    if (mismatch) complain('GRAPH_URL', mismatch)
  }
  return {
    instance: login.kind === 'url' ? login.text : '',
    graphUrl: directory.kind === 'url' ? directory.text : '',
  }
}
