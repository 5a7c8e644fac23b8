import { formatSecond } from '../../http/clock.ts'
import { isInstant, isObject, type JsonObject, ValidationError } from '../../http/validation.ts'

const maxUriLength = 256
const maxUris = 256
/** Characters that a redirect URI cannot have, including those of wildcards and fragments (redirect URI restrictions). */
const forbidden = /[!$'(),;*#\s]/
const localHosts = ['localhost', '127.0.0.1']

function checkUri(uri: string): void {
  const url = URL.parse(uri)
  if (url === null) throw new ValidationError(`'${uri}' is not a redirect URI.`)
  if (uri.length > maxUriLength) {
    throw new ValidationError(
      `A redirect URI can have at most ${maxUriLength} characters, not ${uri.length}.`,
    )
  }
  if (forbidden.test(uri))
    throw new ValidationError(`The redirect URI '${uri}' cannot have a space or any of ! $ ' ( ) , ; * #.`)
  const local = url.protocol === 'http:' && localHosts.includes(url.hostname)
  if (url.protocol !== 'https:' && !local) {
    throw new ValidationError(`The redirect URI '${uri}' must start with https or be on localhost.`)
  }
}

/** Checks the redirect URIs of a registration. @throws ValidationError */
function checkUris(uris: unknown): void {
  if (!Array.isArray(uris)) throw new ValidationError('web.redirectUris must be a list.')
  if (new Set(uris).size < uris.length) throw new ValidationError('The URIs of web.redirectUris must differ.')
  if (uris.length > maxUris)
    throw new ValidationError(`web.redirectUris can have at most ${maxUris} URIs, not ${uris.length}.`)
  for (const uri of uris) checkUri(String(uri))
}

/** A field that can be unset. */
const unset = <Value>(): Value | null => null
const none = <Value = unknown>(): readonly Value[] => []

/** The fields of an application that its owners can change, by their names in the API, as a new one has them. */
const blankRegistration = {
  displayName: '',
  description: unset<string>(),
  notes: unset<string>(),
  signInAudience: 'AzureADandPersonalMicrosoftAccount',
  api: {
    acceptMappedClaims: unset<boolean>(),
    knownClientApplications: none<string>(),
    oauth2PermissionScopes: none(),
    preAuthorizedApplications: none(),
    requestedAccessTokenVersion: unset<number>(),
  },
  appRoles: none(),
  groupMembershipClaims: unset<string>(),
  identifierUris: none<string>(),
  info: {
    logoUrl: unset<string>(),
    marketingUrl: unset<string>(),
    privacyStatementUrl: unset<string>(),
    supportUrl: unset<string>(),
    termsOfServiceUrl: unset<string>(),
  },
  isDeviceOnlyAuthSupported: unset<boolean>(),
  isFallbackPublicClient: unset<boolean>(),
  oauth2RequirePostResponse: false,
  optionalClaims: unset<JsonObject>(),
  publicClient: { redirectUris: none<string>() },
  requiredResourceAccess: none(),
  serviceManagementReference: unset<string>(),
  spa: { redirectUris: none<string>() },
  tags: none<string>(),
  web: {
    redirectUris: none<string>(),
    homePageUrl: unset<string>(),
    logoutUrl: unset<string>(),
    implicitGrantSettings: { enableAccessTokenIssuance: false, enableIdTokenIssuance: false },
  },
}

/** The fields of a service principal that its owners can change, as a new one has them. */
const blankPrincipal = {
  accountEnabled: true,
  alternativeNames: none<string>(),
  appRoleAssignmentRequired: false,
  description: unset<string>(),
  loginUrl: unset<string>(),
  notes: unset<string>(),
  notificationEmailAddresses: none<string>(),
  preferredSingleSignOnMode: unset<string>(),
  samlSingleSignOnSettings: unset<JsonObject>(),
  tags: none<string>(),
}

export type Registration = Readonly<typeof blankRegistration>
export type PrincipalSettings = Readonly<typeof blankPrincipal>

/**
 * Returns the known fields of an object as a body changes them, in nested objects too. Omitted fields stay as they are, null
 * unsets a field, and other fields, such as annotations, are ignored.
 */
const changed = (blank: JsonObject, current: JsonObject, sent: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(blank).map(([name, unsetValue]) => {
      const given = sent[name]
      const kept = Object.hasOwn(current, name) ? current[name] : unsetValue
      if (given === null) return [name, unsetValue]
      if (isObject(unsetValue) && isObject(kept) && (given === undefined || isObject(given)))
        return [name, changed(unsetValue, kept, given ?? {})]
      return [name, given ?? kept]
    }),
  )

/** Applies a body to an application. `current` is empty for a new one. @throws ValidationError */
export function readRegistration(sent: JsonObject, current: object = {}): Registration {
  const next = changed(blankRegistration, { ...current }, sent) as Registration
  if (next.displayName === '') throw new ValidationError('displayName is missing.')
  checkUris(next.web.redirectUris)
  return next
}

/** Applies a body to a service principal. `current` is empty for a new one. */
export const readPrincipalSettings = (sent: JsonObject, current: object = {}): PrincipalSettings =>
  changed(blankPrincipal, { ...current }, sent) as PrincipalSettings

/** Reads a password to add, with its times to the second. @throws ValidationError if a time is none */
export function readPassword(sent: unknown) {
  const { displayName = null, startDateTime, endDateTime } = Object(sent) as Record<string, string | null>
  const second = (time: string | null = null) => {
    if (time !== null && !isInstant(Date.parse(time))) throw new ValidationError(`${time} is not a time.`)
    return time === null ? null : formatSecond(Date.parse(time))
  }
  return { displayName, startDateTime: second(startDateTime), endDateTime: second(endDateTime) }
}
