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
  readSessionRecheck,
  readTenantId,
  scope,
} from './values.ts'

/** Values that the reader of a later row needs. One is missing if its own row was refused. */
export interface Earlier {
  readonly instance?: string
  readonly basePath?: string
  readonly redirectUris?: readonly string[]
  readonly sessionLifetimeMs?: number
  readonly autoSignIn?: boolean
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
 * what the pages list follow from these rows. The comment of a row says in Markdown what it means, with links relative to
 * docs/; `@default` says what a missing one means, where the row has no text for it. No bundle carries comments.
 */
export const table = {
  /** Directory (tenant) ID, or a domain of the tenant. Never `common`, `organizations` or `consumers` */
  TENANT_ID: { field: 'tenantId', read: readTenantId, fix: 'Use your Directory (tenant) ID.' },
  /** Application (client) ID */
  CLIENT_ID: { field: 'clientId', read: readClientId, fix: 'Use the Application (client) ID.' },
  /**
   * its value, not its ID. While you rotate: several, newest first, separated by commas
   * @default required, secret
   */
  // Newest first. Empty if a file authenticates the application.
  CLIENT_SECRET: {
    field: 'clientSecrets',
    read: readClientSecrets,
    fix: 'Use the secret’s value, not its ID. On Node, CLIENT_CERTIFICATE_FILE or FEDERATED_TOKEN_FILE can replace it.',
    secret: true,
  },
  /**
   * the day on which the secret [ends](sign-in-reference.md#the-end-of-a-credential), such as `2027-05-31`. For several
   * secrets, one day for each, in the same order
   */
  // Unix times in milliseconds, in the order of the secrets. There can be more or fewer.
  CLIENT_SECRET_EXPIRES_ON: { field: 'clientSecretEnds', read: readSecretEnds },
  /**
   * in place of the secret: a PEM file with [a certificate and its private
   * key](sign-in-reference.md#without-a-client-secret)
   */
  CLIENT_CERTIFICATE_FILE: { only: 'file' },
  /**
   * in place of the secret: the file where the platform keeps [a token for
   * Entra](sign-in-reference.md#without-a-client-secret)
   */
  FEDERATED_TOKEN_FILE: { only: 'file' },
  /** the sign-in address of your cloud */
  // Neither this URL nor Graph's ends with a slash.
  INSTANCE: {
    field: 'instance',
    read: readServiceUrl,
    default: 'https://login.microsoftonline.com',
    key: 'instance',
  },
  /**
   * the Graph address of the same cloud
   * @default follows from `INSTANCE`
   */
  GRAPH_URL: {
    field: 'graphUrl',
    read: (text, { instance }) => readGraphUrl(text, instance ?? null),
    fix: 'Set it to that cloud’s Graph address.',
    key: 'graphUrl',
  },
  /** anything else is refused */
  SCOPES: { read: readScopes, default: scope },
  /**
   * such as `/_homeport`: everything that the handler serves is below it, so that an application can have [the rest of the
   * host](proxies.md#a-whole-host)
   * @default none: the handler has `/`, `/dashboard`, `/healthz` and `/api/`
   */
  // Blank, or `/_homeport`, without a final slash.
  BASE_PATH: { field: 'basePath', read: readBasePath, key: 'basePath' },
  /**
   * as registered, character for character: https (http on loopback), with a path, at most 256 characters. For [several
   * hosts](proxies.md#several-hosts), one each, separated by commas
   */
  // One for each host. Sessions that name no host belong to the first.
  REDIRECT_URI: {
    field: 'redirectUris',
    read: (text, { basePath = '' }) => readRedirectUris(text, basePath),
    fix: 'Use the registered URI, character for character.',
  },
  /**
   * `true` refuses a callback without `state`. Set it unless one of your clients sends only `code`. If the key is `false`,
   * every `pulumi up` warns
   */
  // Clients written for the API return only the code. The pages of a deployed handler return both.
  REQUIRE_STATE: {
    field: 'requireState',
    read: readBoolean,
    default: 'false',
    key: 'requireState',
    keyDefault: 'true',
  },
  /**
   * `name:key`, separated by commas or line ends; the first encrypts, any of them decrypts. `keys` [rotates
   * them](operate.md#rotate-the-session-key)
   */
  // The first encrypts; any of them decrypts.
  SESSION_KEYS: {
    field: 'sessionKeys',
    read: readSessionKeys,
    fix: 'Create a key with `npm run keys -- new`.',
    secret: true,
    key: 'sessionKeys',
  },
  /** email domains of your employees, the primary one first; `*` for any */
  // Lower case, the primary one first; null for any domain (`*`).
  ALLOWED_DOMAINS: {
    field: 'allowedDomains',
    read: readDomains,
    fix: 'List your employees’ domains, the primary one first, or * for any.',
    key: 'allowedDomains',
    list: true,
  },
  /** whether invited accounts (`#EXT#`) can sign in at all */
  ALLOW_GUESTS: { field: 'allowGuests', read: readBoolean, default: 'false', key: 'allowGuests' },
  /**
   * who is bound to their account by their first sign-in: `everybody`, `employees` (all but administrators) or `nobody`.
   * [Bind the first administrator](employees.md#the-first-administrator)
   */
  // The program is stricter, so that nobody becomes an administrator by an address alone.
  BIND_ON_FIRST_USE: {
    field: 'bindOnFirstUse',
    read: readBindOnFirstUse,
    default: 'everybody',
    key: 'bindOnFirstUse',
    keyDefault: 'employees',
  },
  /** absolute, `1m` to `7d`. A shorter one also ends [sessions that have started](employees.md#sessions) */
  SESSION_LIFETIME: {
    field: 'sessionLifetimeMs',
    read: readSessionLifetime,
    default: '8h',
    key: 'sessionLifetime',
  },
  /** ends a session that was not used for this long; `off` for never */
  // Null if idle sessions do not end.
  SESSION_IDLE: {
    field: 'sessionIdleMs',
    read: (text, { sessionLifetimeMs = maxSessionMs }) => readSessionIdle(text, sessionLifetimeMs),
    default: 'off',
    key: 'sessionIdle',
  },
  /** shows a link to the old login: an https URL or a path */
  LEGACY_LOGIN_URL: { field: 'legacyLoginUrl', read: readLegacyLoginUrl, key: 'legacyLoginUrl' },
  /**
   * path to open after sign-in if no other page asked for it, such as `/timesheets/`
   * @default the dashboard; `/` with a `BASE_PATH`
   */
  // A path of this origin; null for the dashboard, which is the default without a base path.
  AFTER_SIGN_IN_URL: {
    field: 'afterSignInUrl',
    read: (text, { redirectUris = [standardRedirectUri], basePath = '' }) =>
      readAfterSignInUrl(text, redirectUris, basePath),
    key: 'afterSignInUrl',
  },
  /**
   * what the pages call the application, at most 60 characters
   * @default `Employee system`
   */
  // Null for "Employee system".
  APP_NAME: { field: 'appName', read: readAppName, key: 'appName' },
  /**
   * `true` signs people out of Entra too. Without it, the next click on *Sign in* signs the last person in again: set it
   * if people share machines
   */
  LOGOUT_AT_PROVIDER: {
    field: 'logoutAtProvider',
    read: readBoolean,
    default: 'false',
    key: 'logoutAtProvider',
  },
  /**
   * whether a visitor whom a proxy sends to the sign-in page is [signed in without a click](proxies.md#a-whole-host), once
   * a tab until one succeeds there, at most twice in a minute, and never after signing out or a failure
   */
  // The button of the contract waits for people, and protects them from a sign-in that they did not ask for.
  AUTO_SIGN_IN: { field: 'autoSignIn', read: readBoolean, default: 'false', key: 'autoSignIn' },
  /**
   * how often a page that opens has Entra confirm [that the account still works](employees.md#leavers), without a click, such as
   * `1h`. Without a confirmation, a session ends after twice this time. Needs `AUTO_SIGN_IN`
   */
  // Null if only the sign-in asks Entra.
  SESSION_RECHECK: {
    field: 'sessionRecheckMs',
    read: (text, { sessionLifetimeMs = maxSessionMs, autoSignIn = false }) =>
      readSessionRecheck(text, sessionLifetimeMs, autoSignIn),
    default: 'off',
    key: 'sessionRecheck',
  },
  /**
   * whether the check for a proxy also answers `X-Homeport-Email`, the address at the last sign-in. Applications may show
   * it or write to it, and must not identify people by it
   */
  // An address can be given to somebody else, so it identifies nobody.
  EMAIL_HEADER: { field: 'emailHeader', read: readBoolean, default: 'false', key: 'emailHeader' },
  /**
   * `postgresql://…`. For another machine, add `?sslmode=verify-full`, or `?sslmode=disable` if the network is your own
   * @default required, secret
   */
  DATABASE_URL: { only: 'node', secret: true },
  /** the proxy between this host and Entra, such as `http://proxy.example.com:3128` */
  // Can contain a password.
  HTTPS_PROXY: { field: 'providerProxy', read: readProxyUrl, only: 'node' },
  /** hosts to reach without that proxy */
  NO_PROXY: { only: 'node' },
  /**
   * the D1 binding
   * @default required
   */
  EMPLOYEES: { only: 'worker' },
  /** a rate limit of 30 in 60 seconds, shared by all instances */
  FAILED_CALLBACKS: { only: 'worker' },
  /**
   * addresses or ranges of the proxies in front, whose `X-Forwarded-For` is believed. See
   * [abuse](sign-in-reference.md#abuse)
   */
  // The Node entry reads it, so that a Worker carries no ranges.
  TRUSTED_PROXIES: { only: 'node' },
  /** the address to listen on. Let the proxy in front handle TLS */
  HOST: { only: 'node', default: '127.0.0.1' },
  /** the port to listen on */
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
