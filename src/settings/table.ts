import { boolean, optional } from '../../lib/settings/readers.ts'
import { type Row, rowsOf, type ValuesOf } from '../../lib/settings/table.ts'
import { readBasePath } from './base-path.ts'
import { readClientCertificate } from './client-certificate.ts'
import { readGraphUrl } from './clouds.ts'
import { readRedirectUris } from './redirect-uri.ts'
import { readAfterSignInUrl } from './return-path.ts'
import { readServiceUrl } from './service-url.ts'
import { readSessionKeys } from './session-keys.ts'
import {
  type Earlier,
  maxSessionMs,
  readAppName,
  readBindOnFirstUse,
  readClientId,
  readClientSecrets,
  readDomains,
  readLegacyLoginUrl,
  readScopes,
  readSecretEnds,
  readSessionIdle,
  readSessionLifetime,
  readSessionRecheck,
  readTenantId,
  scope,
} from './values.ts'

/** Used in place of redirect URIs that were refused. */
const standardRedirectUri = 'https://people.example.com/auth/callback'

/** A setting of the handler: an environment variable of the Node server, a binding of the Worker. */
export interface SettingRow extends Row<Earlier> {
  /** The only entry that has it, if not both. */
  readonly only?: 'node' | 'worker'
  /** Whether it is a key of the Pulumi program, by its name in camel case. */
  readonly key?: true
  /** The program's own default, where it is stricter than the handler's. */
  readonly keyDefault?: string
  /** Whether the key also takes a list of a stack file. */
  readonly list?: true
}

/**
 * Every setting but those of the Node server alone, which are in node/settings.ts, so that no Worker carries their readers. What the
 * handler reads, what the Pulumi program takes and binds, and what the page lists follow from these rows. Links in comments are
 * relative to docs/.
 */
export const table = {
  /** Directory (tenant) ID, or a domain of the tenant. Never `common`, `organizations` or `consumers` */
  TENANT_ID: { read: readTenantId, fix: 'Use your Directory (tenant) ID.' },
  /** Application (client) ID */
  CLIENT_ID: { read: readClientId, fix: 'Use the Application (client) ID.' },
  /**
   * in place of `CLIENT_SECRET`: the PEM of [a certificate and its private
   * key](sign-in-reference.md#without-a-client-secret). With both, the secret is used until Entra rejects it
   * @default secret
   */
  CLIENT_CERTIFICATE: { read: optional(readClientCertificate), secret: true, key: true },
  /**
   * while you rotate: the certificate that follows. It is used when Entra rejects `CLIENT_CERTIFICATE`, or that has expired
   * @default secret
   */
  CLIENT_CERTIFICATE_NEXT: {
    read: optional(readClientCertificate),
    secret: true,
    key: true,
  },
  /**
   * its value, not its ID. While you rotate: several, newest first, separated by commas
   * @default required, secret
   */
  // Newest first. Empty if something else authenticates the application.
  CLIENT_SECRET: {
    field: 'clientSecrets',
    read: readClientSecrets,
    secret: true,
  },
  /**
   * the day on which the secret [ends](sign-in-reference.md#the-end-of-a-credential), such as `2027-05-31`. For several
   * secrets, one day for each, in the same order
   */
  // Unix times in milliseconds, in the order of the secrets. There can be more or fewer.
  CLIENT_SECRET_EXPIRES_ON: { field: 'clientSecretEnds', read: readSecretEnds },
  /** the sign-in address of your cloud */
  // Neither this URL nor Graph's ends with a slash.
  INSTANCE: {
    read: readServiceUrl,
    default: 'https://login.microsoftonline.com',
    key: true,
  },
  /**
   * the Graph address of the same cloud
   * @default follows from `INSTANCE`
   */
  GRAPH_URL: {
    read: (text, { instance }) => readGraphUrl(text, instance ?? null),
    key: true,
  },
  /** anything else is refused */
  SCOPES: { read: readScopes, default: scope },
  /**
   * such as `/_homeport`: everything that the handler serves is below it, so that an application can have [the rest of the
   * host](proxies.md#a-whole-host)
   * @default none: the handler has `/`, `/dashboard`, `/healthz` and `/api/`
   */
  // Blank, or `/_homeport`, without a final slash.
  BASE_PATH: { read: readBasePath, key: true },
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
    read: boolean,
    default: 'false',
    key: true,
    keyDefault: 'true',
  },
  /**
   * `name:key`, separated by commas or line ends; the first encrypts, any of them decrypts. `keys` [rotates
   * them](operate.md#rotate-the-session-key)
   */
  // The first encrypts; any of them decrypts.
  SESSION_KEYS: {
    read: text => readSessionKeys(text, ' Create a key with `npm run keys -- new`.'),
    fix: 'Create a key with `npm run keys -- new`.',
    secret: true,
    key: true,
  },
  /** email domains of your employees, the primary one first; `*` for any */
  // Lower case, the primary one first; null for any domain (`*`).
  ALLOWED_DOMAINS: {
    read: readDomains,
    fix: 'List your employees’ domains, the primary one first, or * for any.',
    key: true,
    list: true,
  },
  /** whether invited accounts (`#EXT#`) can sign in at all */
  ALLOW_GUESTS: { read: boolean, default: 'false', key: true },
  /**
   * who is bound to their account by their first sign-in: `everybody`, `employees` (all but administrators) or `nobody`.
   * [Bind the first administrator](sign-in.md#5-create-the-tables)
   */
  // The program is stricter, so that nobody becomes an administrator by an address alone.
  BIND_ON_FIRST_USE: {
    read: readBindOnFirstUse,
    default: 'everybody',
    key: true,
    keyDefault: 'employees',
  },
  /** absolute, `1m` to `7d`. A shorter one also ends [sessions that have started](manage-employees.md#sessions) */
  SESSION_LIFETIME: {
    field: 'sessionLifetimeMs',
    read: readSessionLifetime,
    default: '8h',
    key: true,
  },
  /** ends a session that was not used for this long; `off` for never */
  // Null if idle sessions do not end.
  SESSION_IDLE: {
    field: 'sessionIdleMs',
    read: (text, { sessionLifetimeMs = maxSessionMs }) => readSessionIdle(text, sessionLifetimeMs),
    default: 'off',
    key: true,
  },
  /** shows a link to the old login: an https URL or a path */
  LEGACY_LOGIN_URL: { read: optional(readLegacyLoginUrl), key: true },
  /**
   * path to open after sign-in if no other page asked for it, such as `/timesheets/`
   * @default the dashboard; `/` with a `BASE_PATH`
   */
  // A path of this origin; null for the dashboard, which is the default without a base path.
  AFTER_SIGN_IN_URL: {
    read: (text, { redirectUris = [standardRedirectUri], basePath = '' }) =>
      readAfterSignInUrl(text, redirectUris, basePath),
    key: true,
  },
  /**
   * what the pages call the application, at most 60 characters
   * @default `Employee system`
   */
  // Null for "Employee system".
  APP_NAME: { read: optional(readAppName), key: true },
  /**
   * `true` signs people out of Entra too. Without it, the next click on *Sign in* signs the last person in again: set it
   * if people share machines
   */
  LOGOUT_AT_PROVIDER: {
    read: boolean,
    default: 'false',
    key: true,
  },
  /**
   * whether a visitor whom a proxy sends to the sign-in page is [signed in without a click](proxies.md#a-whole-host), once
   * a tab until one succeeds there, at most twice in a minute, and never after signing out or a failure
   */
  // The button of the contract waits for people, and protects them from a sign-in that they did not ask for.
  AUTO_SIGN_IN: { read: boolean, default: 'false', key: true },
  /**
   * how often a page that opens has Entra confirm [that the account still works](manage-employees.md#leavers), without a click, such as
   * `1h`. Without a confirmation, a session ends after twice this time. Needs `AUTO_SIGN_IN`
   */
  // Null if only the sign-in asks Entra.
  SESSION_RECHECK: {
    field: 'sessionRecheckMs',
    read: (text, { sessionLifetimeMs = maxSessionMs, autoSignIn = false }) =>
      readSessionRecheck(text, sessionLifetimeMs, autoSignIn),
    default: 'off',
    key: true,
  },
  /**
   * whether the check for a proxy also answers `X-Homeport-Email`, the address at the last sign-in. Applications may show
   * it or write to it, and must not identify people by it
   */
  // An address can be given to somebody else, so it identifies nobody.
  EMAIL_HEADER: { read: boolean, default: 'false', key: true },
  /**
   * the D1 binding
   * @default required
   */
  EMPLOYEES: { only: 'worker' },
  /** a rate limit of 30 in 60 seconds, shared by all instances */
  FAILED_CALLBACKS: { only: 'worker' },
} as const satisfies Readonly<Record<string, SettingRow>>

type Table = typeof table
export type SettingName = keyof Table

/** Every row with its name, without the exact types. */
export const rows: readonly (readonly [SettingName, SettingRow])[] = rowsOf(table)

/** The handler's validated settings, by field. Times are milliseconds. */
export type Settings = ValuesOf<Table>
