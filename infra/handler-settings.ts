import type { Settings } from './settings.ts'

/** Failed sign-ins of one address: 30 a minute at each location of the service. The namespace is any integer of the account. */
const failedCallbacks = {
  name: 'FAILED_CALLBACKS',
  type: 'ratelimit',
  namespaceId: '4370',
  simple: { limit: 30, period: 60 },
} as const

/** A binding of the Worker. */
export type Binding<Value> =
  | { readonly name: string; readonly type: 'plain_text' | 'secret_text'; readonly text: Value }
  | { readonly name: string; readonly type: 'd1'; readonly databaseId: Value }
  | typeof failedCallbacks

/** Formats a request limit, such as `30 in 60 s`. */
export function requestLimit({ limit, period }: { readonly limit: number; readonly period: number }): string {
  return `${limit} in ${period} s`
}

/** Values that only the services know, or that are secret. */
export interface BoundValues<Value> {
  readonly tenantId: Value
  readonly clientId: Value
  readonly databaseId: Value
  /** Newest first, separated by commas. */
  readonly clientSecrets: Value
  readonly sessionKeys: Value
}

/** Returns everything that is bound to the Worker, sorted by name so that the order never shows as a change. */
export function handlerBindings<Value>(
  settings: Settings,
  { tenantId, clientId, databaseId, clientSecrets, sessionKeys }: BoundValues<Value>,
): readonly Binding<Value | string>[] {
  const plain = { TENANT_ID: tenantId, CLIENT_ID: clientId }
  const secret = { CLIENT_SECRET: clientSecrets, SESSION_KEYS: sessionKeys }
  const bindings: readonly Binding<Value | string>[] = [
    ...Object.entries(handlerSettings(settings)).flatMap(([name, text]) =>
      text === null ? [] : [{ name, type: 'plain_text' as const, text }],
    ),
    ...Object.entries(plain).map(([name, text]) => ({ name, type: 'plain_text' as const, text })),
    ...Object.entries(secret).map(([name, text]) => ({ name, type: 'secret_text' as const, text })),
    { name: 'EMPLOYEES', type: 'd1', databaseId },
    failedCallbacks,
  ]
  return bindings.toSorted((one, other) => (one.name < other.name ? -1 : 1))
}

/** Returns the handler's settings that follow from the configuration, by name; null for its default. None is secret. */
function handlerSettings({
  redirectUri,
  handler,
  clientSecrets,
}: Settings): Readonly<Record<string, string | null>> {
  return {
    // In the order of CLIENT_SECRET.
    CLIENT_SECRET_EXPIRES_ON: clientSecrets.map(({ endsOn }) => endsOn.slice(0, 10)).join(','),
    INSTANCE: handler.instance,
    GRAPH_URL: handler.graphUrl,
    REDIRECT_URI: redirectUri,
    // Our own page returns both parameters. The default serves clients that return only the code.
    REQUIRE_STATE: 'true',
    ALLOWED_DOMAINS: handler.allowedDomains,
    ALLOW_GUESTS: String(handler.allowGuests),
    BIND_ON_FIRST_USE: handler.bindOnFirstUse,
    SESSION_LIFETIME: handler.sessionLifetime,
    LEGACY_LOGIN_URL: handler.legacyLoginUrl,
    AFTER_SIGN_IN_URL: handler.afterSignInUrl,
    APP_NAME: handler.appName,
    LOGOUT_AT_PROVIDER: String(handler.logoutAtProvider),
  }
}
