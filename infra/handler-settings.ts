import type { Settings } from './settings.ts'

/**
 * The handler's settings that follow from the configuration alone, by the names it reads them by; null where it is left
 * to its default. None is secret.
 */
export function handlerSettings({ redirectUri, handler }: Settings): Readonly<Record<string, string | null>> {
  return {
    INSTANCE: handler.instance,
    GRAPH_URL: handler.graphUrl,
    REDIRECT_URI: redirectUri,
    // Our own page hands both parameters over; the default serves clients that hand over only the code.
    REQUIRE_STATE: 'true',
    ALLOWED_DOMAINS: handler.allowedDomains,
    ALLOW_GUESTS: String(handler.allowGuests),
    SESSION_LIFETIME: handler.sessionLifetime,
    LEGACY_LOGIN_URL: handler.legacyLoginUrl,
  }
}
