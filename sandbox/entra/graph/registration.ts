import type { Registration } from './applications.ts'

type Sent = Readonly<Record<string, unknown>>

/** A body that the directory refuses; the message says which property and why. */
export class InvalidRegistration extends Error {
  override readonly name = 'InvalidRegistration'
}

const audiences = [
  'AzureADMyOrg',
  'AzureADMultipleOrgs',
  'AzureADandPersonalMicrosoftAccount',
  'PersonalMicrosoftAccount',
]
const longestUri = 256
const mostUris = 256
/** Documented for redirect URIs: no wildcard, no fragment, none of these. */
const forbidden = /[!$'(),;*#\s]/
const localHosts = ['localhost', '127.0.0.1']

const isObject = (value: unknown): value is Sent =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const checkUri = (uri: unknown): string => {
  const url = typeof uri === 'string' ? URL.parse(uri) : null
  if (typeof uri !== 'string' || url === null)
    throw new InvalidRegistration(`'${String(uri)}' is no redirect URI.`)
  if (uri.length > longestUri)
    throw new InvalidRegistration(`A redirect URI has ${longestUri} characters at most.`)
  if (forbidden.test(uri))
    throw new InvalidRegistration(`The redirect URI '${uri}' has a character it may not have.`)
  const local = url.protocol === 'http:' && localHosts.includes(url.hostname)
  if (url.protocol !== 'https:' && !local) {
    throw new InvalidRegistration(`The redirect URI '${uri}' has to begin with https, or be of this machine.`)
  }
  return uri
}

const readUris = (value: unknown): readonly string[] => {
  if (!Array.isArray(value)) throw new InvalidRegistration('web.redirectUris has to be a list.')
  const uris = value.map(checkUri)
  if (new Set(uris).size !== uris.length) throw new InvalidRegistration('web.redirectUris has duplicates.')
  if (uris.length > mostUris) throw new InvalidRegistration(`web.redirectUris has more than ${mostUris}.`)
  return uris
}

const readWeb = (value: unknown, before: Registration['web']): Registration['web'] => {
  if (value === undefined) return before
  if (!isObject(value)) throw new InvalidRegistration('web has to be an object.')
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

const readText = (sent: Sent, name: string, before: string): string => {
  const value = sent[name]
  if (value === undefined) return before
  if (typeof value !== 'string' || value === '') throw new InvalidRegistration(`${name} has to be text.`)
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
 * Lays what was sent over a registration; what is left out stays.
 * @param before undefined for a new one, which needs a name
 * @throws InvalidRegistration
 */
export const readRegistration = (sent: Sent, before: Registration = blank): Registration => {
  const displayName = readText(sent, 'displayName', before.displayName)
  if (displayName === '') throw new InvalidRegistration('displayName is missing.')
  const signInAudience = readText(sent, 'signInAudience', before.signInAudience)
  if (!audiences.includes(signInAudience)) {
    throw new InvalidRegistration(`signInAudience is one of ${audiences.join(', ')}.`)
  }
  const access = sent['requiredResourceAccess'] ?? before.requiredResourceAccess
  if (!Array.isArray(access)) throw new InvalidRegistration('requiredResourceAccess has to be a list.')
  return {
    displayName,
    signInAudience,
    requiredResourceAccess: access,
    web: readWeb(sent['web'], before.web),
  }
}
