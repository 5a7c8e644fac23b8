import type { Registration } from './applications.ts'

type Sent = Readonly<Record<string, unknown>>

/** An invalid registration. The message names the property and the reason. */
export class InvalidRegistration extends Error {
  override readonly name = 'InvalidRegistration'
}

const audiences = [
  'AzureADMyOrg',
  'AzureADMultipleOrgs',
  'AzureADandPersonalMicrosoftAccount',
  'PersonalMicrosoftAccount',
]
const maxUriLength = 256
const maxUris = 256
/** Characters that a redirect URI cannot have, wildcards and fragments included (documented). */
const forbidden = /[!$'(),;*#\s]/
const localHosts = ['localhost', '127.0.0.1']

const isObject = (value: unknown): value is Sent =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function checkUri(uri: unknown): string {
  const url = typeof uri === 'string' ? URL.parse(uri) : null
  if (typeof uri !== 'string' || url === null)
    throw new InvalidRegistration(`'${String(uri)}' is not a redirect URI.`)
  if (uri.length > maxUriLength)
    throw new InvalidRegistration(`A redirect URI can have up to ${maxUriLength} characters.`)
  if (forbidden.test(uri))
    throw new InvalidRegistration(`The redirect URI '${uri}' has an invalid character.`)
  const local = url.protocol === 'http:' && localHosts.includes(url.hostname)
  if (url.protocol !== 'https:' && !local) {
    throw new InvalidRegistration(`The redirect URI '${uri}' must start with https, or be on localhost.`)
  }
  return uri
}

function readUris(value: unknown): readonly string[] {
  if (!Array.isArray(value)) throw new InvalidRegistration('web.redirectUris must be a list.')
  const uris = value.map(checkUri)
  if (new Set(uris).size !== uris.length) throw new InvalidRegistration('web.redirectUris has duplicates.')
  if (uris.length > maxUris) throw new InvalidRegistration(`web.redirectUris has more than ${maxUris}.`)
  return uris
}

function readWeb(value: unknown, before: Registration['web']): Registration['web'] {
  if (value === undefined) return before
  if (!isObject(value)) throw new InvalidRegistration('web must be an object.')
  const grant = isObject(value['implicitGrantSettings']) ? value['implicitGrantSettings'] : {}
  const { enableAccessTokenIssuance, enableIdTokenIssuance } = before.implicitGrantSettings
  return {
    ...before,
    ...(value['redirectUris'] === undefined ? {} : { redirectUris: readUris(value['redirectUris']) }),
    implicitGrantSettings: {
      enableAccessTokenIssuance: (grant['enableAccessTokenIssuance'] ?? enableAccessTokenIssuance) === true,
      enableIdTokenIssuance: (grant['enableIdTokenIssuance'] ?? enableIdTokenIssuance) === true,
    },
  }
}

function readText(sent: Sent, name: string, before: string): string {
  const value = sent[name]
  if (value === undefined) return before
  if (typeof value !== 'string' || value === '') throw new InvalidRegistration(`${name} must be text.`)
  return value
}

const blank: Registration = {
  displayName: '',
  signInAudience: 'AzureADandPersonalMicrosoftAccount',
  requiredResourceAccess: [],
  web: {
    redirectUris: [],
    homePageUrl: null,
    logoutUrl: null,
    implicitGrantSettings: { enableAccessTokenIssuance: false, enableIdTokenIssuance: false },
  },
}

/**
 * Applies the fields of a body to a registration. Omitted fields stay as they are.
 * @param before undefined for a new registration, which needs a name
 * @throws InvalidRegistration
 */
export function readRegistration(sent: Sent, before: Registration = blank): Registration {
  const displayName = readText(sent, 'displayName', before.displayName)
  if (displayName === '') throw new InvalidRegistration('displayName is missing.')
  const signInAudience = readText(sent, 'signInAudience', before.signInAudience)
  if (!audiences.includes(signInAudience)) {
    throw new InvalidRegistration(`signInAudience must be one of ${audiences.join(', ')}.`)
  }
  const access = sent['requiredResourceAccess'] ?? before.requiredResourceAccess
  if (!Array.isArray(access)) throw new InvalidRegistration('requiredResourceAccess must be a list.')
  return {
    displayName,
    signInAudience,
    requiredResourceAccess: access,
    web: readWeb(sent['web'], before.web),
  }
}
