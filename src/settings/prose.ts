import type { SettingName } from './table.ts'

/** What the pages say about a setting, in Markdown. */
export interface Prose {
  readonly meaning: string
  /** What a missing setting means, where the table has no text for it. */
  readonly standard?: string
  /** What its key in the Pulumi program means, if not the same. */
  readonly key?: string
}

/** No entry imports this, so that the Worker does not carry it. Links are relative to docs/. */
export const prose: Readonly<Record<SettingName, Prose>> = {
  TENANT_ID: {
    meaning:
      'Directory (tenant) ID, or a domain of the tenant. Never `common`, `organizations` or `consumers`',
  },
  CLIENT_ID: { meaning: 'Application (client) ID' },
  CLIENT_SECRET: {
    meaning: 'its value, not its ID. While you rotate: several, newest first, separated by commas',
    standard: 'required, secret',
  },
  CLIENT_SECRET_EXPIRES_ON: {
    meaning:
      'the day on which the secret [ends](sign-in-reference.md#the-end-of-a-credential), such as `2027-05-31`. For several secrets, one day for each, in the same order',
  },
  CLIENT_CERTIFICATE_FILE: {
    meaning:
      'in place of the secret: a PEM file with [a certificate and its private key](sign-in-reference.md#without-a-client-secret)',
  },
  FEDERATED_TOKEN_FILE: {
    meaning:
      'in place of the secret: the file where the platform keeps [a token for Entra](sign-in-reference.md#without-a-client-secret)',
  },
  INSTANCE: {
    meaning: 'the sign-in address of your cloud',
    key: 'the sign-in address. Set it for a national cloud',
  },
  GRAPH_URL: { meaning: 'the Graph address of the same cloud', standard: 'follows from `INSTANCE`' },
  SCOPES: { meaning: 'anything else is refused' },
  BASE_PATH: {
    meaning:
      'such as `/_homeport`: everything that the handler serves is below it, so that an application can have [the rest of the host](proxies.md#a-whole-host)',
    standard: 'none: the handler has `/`, `/dashboard`, `/healthz` and `/api/`',
  },
  REDIRECT_URI: {
    meaning:
      'as registered, character for character: https (http on loopback), with a path, at most 256 characters. For [several hosts](proxies.md#several-hosts), one each, separated by commas',
  },
  REQUIRE_STATE: {
    meaning: '`true` refuses a callback without `state`. Set it unless one of your clients sends only `code`',
    key: 'whether a callback without `state` is refused. `false` only for a client that sends nothing but `code`; every `pulumi up` then warns',
  },
  SESSION_KEYS: {
    meaning:
      '`name:key`, separated by commas or line ends; the first encrypts, any of them decrypts. `keys` [rotates them](operate.md#rotate-the-session-key)',
    key: 'create a key with `npm run -s keys -- new`',
  },
  ALLOWED_DOMAINS: { meaning: 'email domains of your employees, the primary one first; `*` for any' },
  ALLOW_GUESTS: { meaning: 'whether invited accounts (`#EXT#`) can sign in at all' },
  BIND_ON_FIRST_USE: {
    meaning:
      'who is bound to their account by their first sign-in: `everybody`, `employees` (all but administrators) or `nobody`',
    key: 'who is bound by their first sign-in: `everybody`, `employees` (all but administrators) or `nobody`. [Bind the first administrator](employees.md#employees)',
  },
  SESSION_LIFETIME: {
    meaning:
      'absolute, `1m` to `7d`. A shorter one also ends [sessions that have started](employees.md#sessions)',
  },
  SESSION_IDLE: { meaning: 'ends a session that was not used for this long; `off` for never' },
  LEGACY_LOGIN_URL: { meaning: 'shows a link to the old login: an https URL or a path' },
  AFTER_SIGN_IN_URL: {
    meaning: 'path to open after sign-in if no other page asked for it, such as `/timesheets/`',
    standard: 'the dashboard; `/` with a `BASE_PATH`',
  },
  APP_NAME: {
    meaning: 'what the pages call the application, at most 60 characters',
    standard: '`Employee system`',
  },
  LOGOUT_AT_PROVIDER: {
    meaning:
      '`true` signs people out of Entra too. Without it, the next click on *Sign in* signs the last person in again: set it if people share machines',
  },
  AUTO_SIGN_IN: {
    meaning:
      'whether a visitor whom a proxy sends to the sign-in page is [signed in without a click](proxies.md#a-whole-host), once a tab, and never after signing out or a failure',
  },
  EMAIL_HEADER: {
    meaning:
      'whether the check for a proxy also answers `X-Homeport-Email`, the address at the last sign-in. Applications may show it or write to it, and must not identify people by it',
  },
  DATABASE_URL: {
    meaning:
      '`postgresql://…`. For another machine, add `?sslmode=verify-full`, or `?sslmode=disable` if the network is your own',
    standard: 'required, secret',
  },
  HTTPS_PROXY: {
    meaning: 'the proxy between this host and the provider, such as `http://proxy.example.com:3128`',
  },
  NO_PROXY: { meaning: 'hosts to reach without that proxy' },
  EMPLOYEES: { meaning: 'the D1 binding', standard: 'required' },
  FAILED_CALLBACKS: { meaning: 'a rate limit of 30 in 60 seconds, shared by all instances' },
  TRUSTED_PROXIES: {
    meaning:
      'addresses or ranges of the proxies in front, whose `X-Forwarded-For` is believed. See [abuse](sign-in-reference.md#abuse)',
  },
  HOST: { meaning: 'the address to listen on. Let the proxy in front handle TLS' },
  PORT: { meaning: 'the port to listen on' },
}
