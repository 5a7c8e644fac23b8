import { rows, type SettingName } from '../../src/settings/table.ts'
import type { SignInSettings } from '../settings/stack-settings.ts'

/** Values that only Entra knows, or that are secret. */
export interface HandlerValues<Value> {
  readonly tenantId: Value
  readonly clientId: Value
  /** Newest first, separated by commas. */
  readonly clientSecrets: Value
  /** Undefined without one. */
  readonly clientCertificate: Value | undefined
  readonly clientCertificateNext: Value | undefined
  readonly sessionKeys: Value
}

/** Returns the handler's settings as texts by name, in the order of its table, without those that it has by default. */
export function handlerSettingsOf<Value>(
  settings: SignInSettings,
  { tenantId, clientId, clientSecrets, sessionKeys, ...certificates }: HandlerValues<Value>,
): Readonly<Partial<Record<SettingName, Value | string>>> {
  const hasSecrets = settings.clientSecrets.length > 0
  const texts: Readonly<Partial<Record<SettingName, Value | string | undefined>>> = {
    ...settings.handler,
    TENANT_ID: tenantId,
    CLIENT_ID: clientId,
    CLIENT_CERTIFICATE: certificates.clientCertificate,
    CLIENT_CERTIFICATE_NEXT: certificates.clientCertificateNext,
    CLIENT_SECRET: hasSecrets ? clientSecrets : undefined,
    // In the order of CLIENT_SECRET.
    CLIENT_SECRET_EXPIRES_ON: hasSecrets
      ? settings.clientSecrets.map(({ endsOn }) => endsOn.slice(0, 10)).join(',')
      : undefined,
    REDIRECT_URI: settings.redirectUris.join(','),
    SESSION_KEYS: sessionKeys,
  }
  return Object.fromEntries(
    rows.flatMap(([name, { default: standard, keyDefault }]) => {
      const text = texts[name]
      // Where the program's default is another one, the stack says which it uses.
      return text === undefined || (text === standard && keyDefault === undefined)
        ? []
        : [[name, text] as const]
    }),
  )
}
