import { type AddressRange, readAddressRanges } from './addresses.ts'
import { readGraphUrl } from './clouds.ts'
import { credentialFiles } from './credential-file.ts'
import { credentialFileNames, misspelledNames } from './names.ts'
import { describeProblem, type SettingReading } from './problems.ts'
import { readRedirectUri } from './redirect-uri.ts'
import { readAfterSignInUrl } from './return-path.ts'
import { readServiceUrl } from './service-url.ts'
import { readSessionKeys, type SessionKey } from './session-keys.ts'
import {
  type BindOnFirstUse,
  maxSessionMs,
  readAppName,
  readBindOnFirstUse,
  readBoolean,
  readClientId,
  readClientSecrets,
  readDomains,
  readLegacyLoginUrl,
  readProviderTimeout,
  readProxyUrl,
  readScopes,
  readSecretEnds,
  readSessionIdle,
  readSessionLifetime,
  readTenantId,
  scope,
} from './values.ts'

/** The handler's validated settings. Times are milliseconds. */
export interface Settings {
  readonly tenantId: string
  readonly clientId: string
  /** Newest first. Empty if a file authenticates the application. */
  readonly clientSecrets: readonly string[]
  /** When they end, in their order, as Unix times in milliseconds. There can be more or fewer. */
  readonly clientSecretEnds: readonly number[]
  /** Without a slash at the end. */
  readonly instance: string
  /** Without a slash at the end. */
  readonly graphUrl: string
  readonly redirectUri: string
  readonly requireState: boolean
  /** The first encrypts, all decrypt. */
  readonly sessionKeys: readonly SessionKey[]
  /** Lower case, the primary one first; null for any domain (`*`). */
  readonly allowedDomains: readonly string[] | null
  readonly allowGuests: boolean
  readonly bindOnFirstUse: BindOnFirstUse
  readonly sessionLifetimeMs: number
  /** Null if idle sessions do not end. */
  readonly sessionIdleMs: number | null
  readonly legacyLoginUrl: string | null
  /** Where a sign-in ends by default: a path of this origin; null for the dashboard. */
  readonly afterSignInUrl: string | null
  /** What the pages call the application behind the handler; null for "Employee system". */
  readonly appName: string | null
  /** Whether signing out sends the browser to the provider, to end its session too. */
  readonly logoutAtProvider: boolean
  /** URL of the proxy to the provider, for Node; may contain a password. */
  readonly providerProxy: string | null
  /** Proxies whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly AddressRange[]
  /** Limit for the two calls to the provider together. */
  readonly providerTimeoutMs: number
}

export type SettingsReading =
  | { readonly kind: 'settings'; readonly settings: Settings }
  | { readonly kind: 'refused'; readonly problems: readonly string[] }

/** Environment variables of a process, or bindings of a Worker. Only texts are read. */
export type Environment = Readonly<Record<string, unknown>>

/** Defaults of settings that are missing or blank. */
export const settingDefaults = {
  INSTANCE: 'https://login.microsoftonline.com',
  SCOPES: scope,
  REQUIRE_STATE: 'false',
  ALLOW_GUESTS: 'false',
  BIND_ON_FIRST_USE: 'everybody',
  SESSION_LIFETIME: '8h',
  SESSION_IDLE: 'off',
  LOGOUT_AT_PROVIDER: 'false',
  PROVIDER_TIMEOUT: '10s',
} as const satisfies Readonly<Record<string, string>>

/** What to do about a missing setting, or about a key that cannot be used. */
const cures: Readonly<Record<string, string>> = {
  TENANT_ID: 'Use your Directory (tenant) ID.',
  CLIENT_ID: 'Use the Application (client) ID.',
  CLIENT_SECRET: `Use the secret’s value, not its ID. On Node, ${credentialFileNames.join(' or ')} can replace it.`,
  GRAPH_URL: 'Set it to that cloud’s Graph address.',
  REDIRECT_URI: 'Use the registered URI, character for character.',
  SESSION_KEYS: 'Create a key with `npm run keys -- new`.',
  ALLOWED_DOMAINS: 'List your employees’ domains, the primary one first, or * for any.',
}

/** Reads every setting. Returns all of them, or every problem at once, in sentences that repeat no secret. */
export function readSettings(env: Environment): SettingsReading {
  const problems: string[] = []
  const known = ['HTTPS_PROXY']
  function read<T>(name: string, reader: (text: string) => SettingReading<T>): T | null {
    known.push(name)
    const given = env[name]
    const text = (typeof given === 'string' && given.trim()) || (settingDefaults as Environment)[name]
    const reading = reader(typeof text === 'string' ? text : '')
    if ('value' in reading) return reading.value
    for (const problem of reading.problems) {
      const cure = /^(missing|graph-unknown|key-)/.test(problem.code) ? ` ${cures[name]}` : ''
      problems.push(`${name} ${describeProblem(problem)}${cure}`)
    }
    return null
  }

  const instance = read('INSTANCE', readServiceUrl)
  const lifetimeMs = read('SESSION_LIFETIME', readSessionLifetime) ?? maxSessionMs
  const redirectUri = read('REDIRECT_URI', readRedirectUri)
  read('SCOPES', readScopes)
  const [file, ...moreFiles] = credentialFiles(env)
  let secretGiven = false
  const clientSecrets = read('CLIENT_SECRET', text => {
    secretGiven = text !== ''
    return file && !secretGiven ? { value: [] } : readClientSecrets(text)
  })
  if (file && (secretGiven || moreFiles.length > 0)) {
    const rest = [...(secretGiven ? ['CLIENT_SECRET'] : []), ...moreFiles.map(({ setting }) => setting)]
    problems.push(`${file.setting} cannot be combined with ${rest.join(' or ')}. Set only one.`)
  }
  const settings: Settings = {
    tenantId: read('TENANT_ID', readTenantId) ?? '',
    clientId: read('CLIENT_ID', readClientId) ?? '',
    clientSecrets: clientSecrets ?? [],
    clientSecretEnds: read('CLIENT_SECRET_EXPIRES_ON', readSecretEnds) ?? [],
    instance: instance ?? '',
    graphUrl: read('GRAPH_URL', text => readGraphUrl(text, instance)) ?? '',
    redirectUri: redirectUri ?? '',
    requireState: read('REQUIRE_STATE', readBoolean) ?? false,
    sessionKeys: read('SESSION_KEYS', readSessionKeys) ?? [],
    allowedDomains: read('ALLOWED_DOMAINS', readDomains),
    allowGuests: read('ALLOW_GUESTS', readBoolean) ?? false,
    bindOnFirstUse: read('BIND_ON_FIRST_USE', readBindOnFirstUse) ?? 'nobody',
    sessionLifetimeMs: lifetimeMs,
    sessionIdleMs: read('SESSION_IDLE', text => readSessionIdle(text, lifetimeMs)),
    legacyLoginUrl: read('LEGACY_LOGIN_URL', readLegacyLoginUrl),
    afterSignInUrl: read('AFTER_SIGN_IN_URL', text => readAfterSignInUrl(text, redirectUri)),
    appName: read('APP_NAME', readAppName),
    logoutAtProvider: read('LOGOUT_AT_PROVIDER', readBoolean) ?? false,
    providerProxy: read(env['HTTPS_PROXY'] ? 'HTTPS_PROXY' : 'https_proxy', readProxyUrl),
    trustedProxies: read('TRUSTED_PROXIES', readAddressRanges) ?? [],
    providerTimeoutMs: read('PROVIDER_TIMEOUT', readProviderTimeout) ?? 0,
  }
  problems.push(...misspelledNames(Object.keys(env), known))
  return problems.length > 0 ? { kind: 'refused', problems } : { kind: 'settings', settings }
}
