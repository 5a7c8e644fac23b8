import { readSecond } from '../../http/clock.ts'
import {
  type FieldsOf,
  integer,
  isObject,
  type JsonObject,
  listOf,
  nullable,
  oneOf,
  type Reader,
  readArray,
  readBoolean,
  readFields,
  readObject,
  readString,
  readStrings,
  requireDistinct,
  ValidationError,
  wholeBody,
} from '../../http/validation.ts'

const audiences = [
  'AzureADandPersonalMicrosoftAccount',
  'AzureADMyOrg',
  'AzureADMultipleOrgs',
  'PersonalMicrosoftAccount',
] as const
const maxUriLength = 256
const maxUris = 256
/** Characters that a redirect URI cannot have, including those of wildcards and fragments (redirect URI restrictions). */
const forbidden = /[!$'(),;*#\s]/
const localHosts = ['localhost', '127.0.0.1']

function readUri(value: unknown, where: string): string {
  const uri = readString(value, where)
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
  return uri
}

function readUris(value: unknown, where: string): readonly string[] {
  const uris = listOf(readUri)(value, where)
  requireDistinct(uris, `The URIs of ${where}`)
  if (uris.length > maxUris)
    throw new ValidationError(`${where} can have at most ${maxUris} URIs, not ${uris.length}.`)
  return uris
}

/** Reads a value with a default, which null also means. */
const unset =
  <Value>(blank: NoInfer<Value>, read: Reader<Value>): Reader<Value> =>
  (value, where) =>
    value === undefined || value === null ? blank : read(value, where)

const text = nullable(readString)
const flag = unset(false, readBoolean)
const list = unset([], readArray)
const texts = unset([], readStrings)

/** Reads the known fields of an object. Ignores other fields, such as annotations. */
const object =
  <const Table extends Readonly<Record<string, Reader<unknown>>>>(table: Table): Reader<FieldsOf<Table>> =>
  (value, where) => {
    const given = unset({}, readObject)(value, where)
    const known = Object.entries(given).filter(([name]) => Object.hasOwn(table, name))
    return readFields(Object.fromEntries(known), where, table)
  }

function readName(value: unknown, where: string): string {
  const name = unset('', readString)(value, where)
  if (name === '') throw new ValidationError(`${where} is missing.`)
  return name
}

/** The fields of an application that its owners can change, by their names in the API. */
export const registrationFields = {
  displayName: readName,
  description: text,
  notes: text,
  signInAudience: unset('AzureADandPersonalMicrosoftAccount', oneOf(audiences)),
  api: object({
    acceptMappedClaims: nullable(readBoolean),
    knownClientApplications: texts,
    oauth2PermissionScopes: list,
    preAuthorizedApplications: list,
    requestedAccessTokenVersion: nullable(integer(1, 2)),
  }),
  appRoles: list,
  groupMembershipClaims: text,
  identifierUris: texts,
  info: object({
    logoUrl: text,
    marketingUrl: text,
    privacyStatementUrl: text,
    supportUrl: text,
    termsOfServiceUrl: text,
  }),
  isDeviceOnlyAuthSupported: nullable(readBoolean),
  isFallbackPublicClient: nullable(readBoolean),
  oauth2RequirePostResponse: flag,
  optionalClaims: nullable(readObject),
  publicClient: object({ redirectUris: texts }),
  requiredResourceAccess: list,
  serviceManagementReference: text,
  spa: object({ redirectUris: texts }),
  tags: texts,
  web: object({
    redirectUris: unset([], readUris),
    homePageUrl: text,
    logoutUrl: text,
    implicitGrantSettings: object({ enableAccessTokenIssuance: flag, enableIdTokenIssuance: flag }),
  }),
}

/** The fields of a service principal that its owners can change. */
export const principalFields = {
  accountEnabled: unset(true, readBoolean),
  alternativeNames: texts,
  appRoleAssignmentRequired: flag,
  description: text,
  loginUrl: text,
  notes: text,
  notificationEmailAddresses: texts,
  preferredSingleSignOnMode: text,
  samlSingleSignOnSettings: nullable(readObject),
  tags: texts,
}

/** Reads a password to add. */
export const readPassword = object({
  displayName: text,
  startDateTime: nullable(readSecond),
  endDateTime: nullable(readSecond),
})

/** Reads an app role assignment to add. */
export const readAppRoleAssignment = object({
  appRoleId: readName,
  principalId: readName,
  resourceId: readName,
})

export type Registration = FieldsOf<typeof registrationFields>
export type PrincipalSettings = FieldsOf<typeof principalFields>

/** Overwrites fields with those that were sent, in nested objects too. */
const merged = (current: JsonObject, sent: JsonObject): JsonObject => ({
  ...current,
  ...Object.fromEntries(
    Object.entries(sent).map(([name, value]) => {
      const inner = current[name]
      return [name, isObject(inner) && isObject(value) ? merged(inner, value) : value]
    }),
  ),
})

/**
 * Returns a function that applies a body to an application or a service principal. Omitted fields stay as they are, and
 * null unsets a field. `current` is empty for a new object.
 */
const changed =
  <Fields>(read: Reader<Fields>) =>
  (sent: JsonObject, current: object = {}): Fields =>
    read(merged({ ...current }, sent), wholeBody)

/** @throws ValidationError, for example if a new application has no name */
export const readRegistration = changed(object(registrationFields))

/** @throws ValidationError */
export const readPrincipalSettings = changed(object(principalFields))
