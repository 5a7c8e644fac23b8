import { readBasePath } from './base-path.ts'
import { readGraphUrl } from './clouds.ts'
import type { SettingReading } from './problems.ts'
import { readRedirectUris } from './redirect-uri.ts'
import { readAfterSignInUrl } from './return-path.ts'
import { readServiceUrl } from './service-url.ts'
import { readSessionKeys } from './session-keys.ts'
import {
  maxSessionMs,
  readAppName,
  readBindOnFirstUse,
  readBoolean,
  readClientId,
  readClientSecrets,
  readDomains,
  readLegacyLoginUrl,
  readProxyUrl,
  readScopes,
  readSecretEnds,
  readSessionIdle,
  readSessionLifetime,
  readTenantId,
  scope,
} from './values.ts'

/** Values that the reader of a later row needs. One is missing if its own row was refused. */
export interface Earlier {
  readonly instance?: string
  readonly basePath?: string
  readonly redirectUris?: readonly string[]
  readonly sessionLifetimeMs?: number
}

/** Stands for redirect URIs that were refused. */
const standardRedirectUri = 'https://people.example.com/auth/callback'

/** A setting of the handler: an environment variable of the Node server, a binding of the Worker. */
export interface SettingRow {
  /** The value's name among the settings. Without it, the value is only checked. */
  readonly field?: string
  /** Reads a text without blanks around it; blank means missing. Without a reader, the entry reads the setting itself. */
  readonly read?: (text: string, earlier: Earlier) => SettingReading<unknown>
  /** The text that stands for a missing or blank one. */
  readonly default?: string
  /** What to do if it is missing, or is a key that cannot be used. */
  readonly fix?: string
  /** Whether it is never printed. On Node it can be in a file, which NAME_FILE names. */
  readonly secret?: true
  /** The only entry that has it, if not both. A `file` is the name of a file, which only Node reads. */
  readonly only?: 'node' | 'file' | 'worker'
  /** Its key in the Pulumi program. */
  readonly key?: string
  /** The program's own default, where it is stricter than the handler's. */
  readonly keyDefault?: string
  /** Whether the key also takes a list of a stack file. */
  readonly list?: true
}

/**
 * Every setting, in the order of the documentation. What the handler reads, what the Pulumi program takes and binds, and
 * what the pages list follow from these rows. `prose.ts` says what each means.
 */
export const table = {
  TENANT_ID: { field: 'tenantId', read: readTenantId, fix: 'Use your Directory (tenant) ID.' },
  CLIENT_ID: { field: 'clientId', read: readClientId, fix: 'Use the Application (client) ID.' },
  // Newest first. Empty if a file authenticates the application.
  CLIENT_SECRET: {
    field: 'clientSecrets',
    read: readClientSecrets,
    fix: 'Use the secret’s value, not its ID. On Node, CLIENT_CERTIFICATE_FILE or FEDERATED_TOKEN_FILE can replace it.',
    secret: true,
  },
  // Unix times in milliseconds, in the order of the secrets. There can be more or fewer.
  CLIENT_SECRET_EXPIRES_ON: { field: 'clientSecretEnds', read: readSecretEnds },
  CLIENT_CERTIFICATE_FILE: { only: 'file' },
  FEDERATED_TOKEN_FILE: { only: 'file' },
  // Neither this URL nor Graph's ends with a slash.
  INSTANCE: {
    field: 'instance',
    read: readServiceUrl,
    default: 'https://login.microsoftonline.com',
    key: 'instance',
  },
  GRAPH_URL: {
    field: 'graphUrl',
    read: (text, { instance }) => readGraphUrl(text, instance ?? null),
    fix: 'Set it to that cloud’s Graph address.',
    key: 'graphUrl',
  },
  SCOPES: { read: readScopes, default: scope },
  // Blank, or `/_homeport`, without a final slash.
  BASE_PATH: { field: 'basePath', read: readBasePath, key: 'basePath' },
  // One for each host. Sessions that name no host belong to the first.
  REDIRECT_URI: {
    field: 'redirectUris',
    read: (text, { basePath = '' }) => readRedirectUris(text, basePath),
    fix: 'Use the registered URI, character for character.',
  },
  // Clients written for the API return only the code. The pages of a deployed handler return both.
  REQUIRE_STATE: {
    field: 'requireState',
    read: readBoolean,
    default: 'false',
    key: 'requireState',
    keyDefault: 'true',
  },
  // The first encrypts; any of them decrypts.
  SESSION_KEYS: {
    field: 'sessionKeys',
    read: readSessionKeys,
    fix: 'Create a key with `npm run keys -- new`.',
    secret: true,
    key: 'sessionKeys',
  },
  // Lower case, the primary one first; null for any domain (`*`).
  ALLOWED_DOMAINS: {
    field: 'allowedDomains',
    read: readDomains,
    fix: 'List your employees’ domains, the primary one first, or * for any.',
    key: 'allowedDomains',
    list: true,
  },
  ALLOW_GUESTS: { field: 'allowGuests', read: readBoolean, default: 'false', key: 'allowGuests' },
  // The program is stricter, so that nobody becomes an administrator by an address alone.
  BIND_ON_FIRST_USE: {
    field: 'bindOnFirstUse',
    read: readBindOnFirstUse,
    default: 'everybody',
    key: 'bindOnFirstUse',
    keyDefault: 'employees',
  },
  SESSION_LIFETIME: {
    field: 'sessionLifetimeMs',
    read: readSessionLifetime,
    default: '8h',
    key: 'sessionLifetime',
  },
  // Null if idle sessions do not end.
  SESSION_IDLE: {
    field: 'sessionIdleMs',
    read: (text, { sessionLifetimeMs = maxSessionMs }) => readSessionIdle(text, sessionLifetimeMs),
    default: 'off',
    key: 'sessionIdle',
  },
  LEGACY_LOGIN_URL: { field: 'legacyLoginUrl', read: readLegacyLoginUrl, key: 'legacyLoginUrl' },
  // A path of this origin; null for the dashboard, which is the default without a base path.
  AFTER_SIGN_IN_URL: {
    field: 'afterSignInUrl',
    read: (text, { redirectUris = [standardRedirectUri], basePath = '' }) =>
      readAfterSignInUrl(text, redirectUris, basePath),
    key: 'afterSignInUrl',
  },
  // Null for "Employee system".
  APP_NAME: { field: 'appName', read: readAppName, key: 'appName' },
  LOGOUT_AT_PROVIDER: {
    field: 'logoutAtProvider',
    read: readBoolean,
    default: 'false',
    key: 'logoutAtProvider',
  },
  // The button of the contract waits for people, and protects them from a sign-in that they did not ask for.
  AUTO_SIGN_IN: { field: 'autoSignIn', read: readBoolean, default: 'false', key: 'autoSignIn' },
  // An address can be given to somebody else, so it identifies nobody.
  EMAIL_HEADER: { field: 'emailHeader', read: readBoolean, default: 'false', key: 'emailHeader' },
  DATABASE_URL: { only: 'node', secret: true },
  // Can contain a password.
  HTTPS_PROXY: { field: 'providerProxy', read: readProxyUrl, only: 'node' },
  NO_PROXY: { only: 'node' },
  EMPLOYEES: { only: 'worker' },
  FAILED_CALLBACKS: { only: 'worker' },
  // The Node entry reads it, so that a Worker carries no ranges.
  TRUSTED_PROXIES: { only: 'node' },
  HOST: { only: 'node', default: '127.0.0.1' },
  PORT: { only: 'node', default: '8080' },
} as const satisfies Readonly<Record<string, SettingRow>>

/** Environment variables of a process, or bindings of a Worker, where JSON can be `true` or a number in place of a text. */
export type Environment = Readonly<Record<string, unknown>>

type Table = typeof table
export type SettingName = keyof Table

/** Every row with its name, without the exact types. */
export const rows: readonly (readonly [SettingName, SettingRow])[] = Object.entries(table) as [
  SettingName,
  SettingRow,
][]

/** Whether a setting must be set, since its reader refuses a blank. */
export function isRequired({ read, default: standard = '' }: SettingRow): boolean {
  const reading = standard === '' && read?.('', {})
  return typeof reading === 'object' && 'problems' in reading && reading.problems[0]?.code === 'missing'
}

/** The handler's validated settings, by field. Times are milliseconds. */
export type Settings = {
  readonly [Name in SettingName as Table[Name] extends { readonly field: infer Field extends string }
    ? Field
    : never]: Table[Name] extends { readonly read: (text: string, earlier: never) => infer Reading }
    ? Extract<Reading, { readonly value: unknown }>['value']
    : never
}
