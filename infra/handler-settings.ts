import type { Settings } from './settings.ts'

/** Returns the handler's settings that follow from the configuration, by name; null for its default. None is secret. */
export function handlerSettings({ redirectUri, handler }: Settings): Readonly<Record<string, string | null>> {
  return {
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
