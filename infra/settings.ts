import { describeProblem } from '../src/settings/problems.ts'
import { defaultRedirectPath, readRedirectUri, redirectUriOf } from '../src/settings/redirect-uri.ts'
import {
  areOfOneCloud,
  daysAfter,
  formatInstant,
  isCidr,
  isDomain,
  isObjectId,
  type Read,
  readBoolean,
  readChoice,
  readDay,
  readFuture,
  readHostname,
  readId,
  readInteger,
  readIpv4,
  readLegacyUrl,
  readList,
  readPublicOrigin,
  readServiceUrl,
  readSessionLifetime,
} from './config-values.ts'
import { readSessionKeys } from './session-keys.ts'

/** When one of the two client secrets was made and when it ends. */
export interface ClientSecretPlan {
  readonly slot: 'a' | 'b'
  /** A day, `2026-03-31`. */
  readonly rotatedOn: string
  /** An instant, `2026-09-27T00:00:00Z`; it follows from the day, so that it stands still from run to run. */
  readonly endsOn: string
}

/** Everything the program was told, validated; the two secrets apart. */
export interface Settings {
  readonly zoneId: string
  readonly accountId: string
  readonly hostname: string
  readonly bootstrapAddress: string
  /** Null: the record is made, not adopted. */
  readonly importRecordId: string | null
  readonly token: {
    readonly owner: 'user' | 'account'
    readonly rotation: string
    readonly expiresOn: string | null
    readonly allowedCidrs: readonly string[]
  }
  readonly publicOrigin: string
  /** The host of `publicOrigin`. */
  readonly signInHost: string
  /** Made once, here; everything that needs it is given this text. */
  readonly redirectUri: string
  readonly displayName: string
  readonly ownerObjectIds: readonly string[]
  /** Newest first. */
  readonly clientSecrets: readonly [ClientSecretPlan, ClientSecretPlan]
  readonly requireAssignment: boolean
  readonly handler: {
    readonly allowedDomains: string
    readonly allowGuests: boolean
    readonly instance: string
    readonly graphUrl: string | null
    readonly sessionLifetime: string
    readonly legacyLoginUrl: string | null
  }
  /** Where the token is handed over to; null when that is done by hand. */
  readonly handOver: {
    readonly owner: string
    readonly repository: string
    readonly environment: string
  } | null
}

/** Texts of the stack's configuration by key, without the project's name. */
export type Given = ReadonlyMap<string, string>

export type Reading = { readonly settings: Settings } | { readonly problems: readonly string[] }

/** Every key, and what it stands at when it is not set; null where nothing can stand in its place. */
export const keys = {
  zoneId: null,
  accountId: null,
  hostname: null,
  bootstrapAddress: '192.0.2.1',
  importRecordId: '',
  tokenOwner: 'user',
  tokenRotation: 'first',
  tokenExpiresOn: '',
  tokenAllowedCidrs: '',
  publicOrigin: null,
  redirectPath: defaultRedirectPath,
  displayName: 'Homeport',
  ownerObjectIds: '',
  secretRotationA: null,
  secretRotationB: null,
  secretLifetimeDays: '180',
  requireAssignment: 'false',
  allowedDomains: null,
  allowGuests: 'false',
  instance: 'https://login.microsoftonline.com',
  graphUrl: '',
  sessionKeys: null,
  sessionLifetime: '8h',
  legacyLoginUrl: '',
  repository: '',
  environment: 'dns',
  mintingApiToken: null,
} as const satisfies Readonly<Record<string, string | null>>

type Key = keyof typeof keys

/** Keys whose values must be encrypted in the stack file. */
export const secretKeys = ['sessionKeys', 'mintingApiToken'] as const satisfies readonly Key[]

/** Longest life of a client secret that Entra gives, in days. */
const longestSecretDays = 730

/**
 * Reads every key once, and gives all settings or one sentence for each wrong key: an operator should not learn of the
 * second fault by repairing the first. No sentence holds a secret.
 * @param now milliseconds since 1970
 */
export function readSettings(given: Given, now: number): Reading {
  const problems: string[] = []
  const complain = (key: Key, text: string) => void problems.push(`${key} ${text}`)
  const textOf = (key: Key) => given.get(key)?.trim() || (keys[key] ?? '')

  /** The value of a key, or null when it is wrong or not set, the former noted. */
  function read<T>(key: Key, reader: (text: string) => Read<T>): T | null {
    const text = textOf(key)
    if (text === '') {
      if (keys[key] === null) complain(key, `is missing. Set it: pulumi config set --plaintext ${key} …`)
      return null
    }
    const result = reader(text)
    if ('value' in result) return result.value
    complain(key, result.problem)
    return null
  }
  function list(key: Key, wanted: string, fits: (part: string) => boolean): readonly string[] {
    const parts = read(key, readList)
    if (parts === null) return []
    if (parts.length === 0) {
      const otherwise = keys[key] === null ? '' : `, or take the key away: pulumi config rm ${key}`
      complain(key, `is set and holds nothing. List ${wanted}${otherwise}.`)
    }
    for (const part of parts.filter(one => !fits(one))) {
      complain(key, `holds ${JSON.stringify(part)}, which is not ${wanted}. Mend or remove it.`)
    }
    return [...new Set(parts)]
  }

  for (const name of given.keys()) {
    if (!Object.hasOwn(keys, name)) problems.push(`${name} is no key of this program. ${nearest(name)}`)
  }
  const zoneId = read('zoneId', text => readId(text, "the zone's overview page"))
  const accountId = read('accountId', text => readId(text, "the zone's overview page"))
  const hostname = read('hostname', readHostname)
  const origin = read('publicOrigin', readPublicOrigin)
  if (origin !== null && origin.hostname === hostname) {
    complain(
      'publicOrigin',
      `has the host ${hostname}, whose A record is the dynamic one; a custom domain refuses a name that has a record. Give sign-in a host of its own.`,
    )
  }
  const redirectUri = redirectUriOf(origin?.origin ?? 'https://people.example.com', textOf('redirectPath'))
  const redirect = readRedirectUri(redirectUri)
  if (!textOf('redirectPath').startsWith('/'))
    complain('redirectPath', 'does not start with a slash. Add it.')
  else if ('problems' in redirect)
    for (const problem of redirect.problems)
      complain('redirectPath', `(${redirectUri}) ${describeProblem(problem)}`)
  checkSecret('sessionKeys', readSessionKeys(textOf('sessionKeys')))
  checkSecret('mintingApiToken', readApiToken(textOf('mintingApiToken')))
  function checkSecret(key: Key, result: Read<unknown>): void {
    if ('problem' in result) complain(key, result.problem)
  }

  const lifetime = read('secretLifetimeDays', text => readInteger(text, 1, longestSecretDays))
  const plan = (slot: ClientSecretPlan['slot'], key: Key): ClientSecretPlan => {
    const begins = read(key, readDay)
    const ends = begins === null ? null : daysAfter(begins, lifetime ?? longestSecretDays)
    const today = formatInstant(now).slice(0, 10)
    if (ends !== null && ends <= now) {
      const cure = `Rotate it: pulumi config set --plaintext ${key} ${today}`
      complain(key, `gives a client secret that ended on ${formatInstant(ends).slice(0, 10)}. ${cure}`)
    }
    if (begins !== null && begins > daysAfter(now, 1)) {
      complain(key, `is a day to come. Set it to today's: pulumi config set --plaintext ${key} ${today}`)
    }
    return { slot, rotatedOn: textOf(key), endsOn: formatInstant(ends ?? 0) }
  }
  const [a, b] = [plan('a', 'secretRotationA'), plan('b', 'secretRotationB')]
  if (textOf('instance') !== keys.instance && textOf('graphUrl') === '') {
    complain(
      'graphUrl',
      'is missing, and instance is not the global cloud. Give the directory interface that belongs to it, such as https://graph.microsoft.us.',
    )
  }
  const instance = read('instance', readServiceUrl)
  const graphUrl = read('graphUrl', readServiceUrl)
  if (instance !== null && graphUrl !== null && !areOfOneCloud(instance, graphUrl)) {
    complain(
      'graphUrl',
      'is of another cloud than instance, whose tokens it refuses. Give both of one cloud.',
    )
  }
  const repository = read('repository', readRepository)
  const domains = list('allowedDomains', 'a domain such as example.com', isDomain)
  if (domains.includes('*') && domains.length > 1) {
    complain('allowedDomains', 'holds * beside domains. Use * alone, or list the domains.')
  }

  const settings: Settings = {
    zoneId: zoneId ?? '',
    accountId: accountId ?? '',
    hostname: hostname ?? '',
    bootstrapAddress: read('bootstrapAddress', readIpv4) ?? '',
    importRecordId: read('importRecordId', text => readId(text, 'the list of records')),
    token: {
      owner: read('tokenOwner', text => readChoice(text, ['user', 'account'])) ?? 'user',
      rotation: textOf('tokenRotation'),
      expiresOn: read('tokenExpiresOn', text => readFuture(text, now)),
      allowedCidrs: list(
        'tokenAllowedCidrs',
        'a range such as 203.0.113.0/24, no wider than /8 (IPv6: /16)',
        isCidr,
      ),
    },
    publicOrigin: origin?.origin ?? '',
    signInHost: origin?.hostname ?? '',
    redirectUri,
    displayName: read('displayName', readDisplayName) ?? '',
    ownerObjectIds: list('ownerObjectIds', 'an object id of the directory in lower case', isObjectId),
    clientSecrets: b.rotatedOn > a.rotatedOn ? [b, a] : [a, b],
    requireAssignment: read('requireAssignment', readBoolean) ?? false,
    handler: {
      allowedDomains: domains.join(','),
      allowGuests: read('allowGuests', readBoolean) ?? false,
      instance: instance ?? '',
      graphUrl,
      sessionLifetime: read('sessionLifetime', readSessionLifetime) ?? '',
      legacyLoginUrl: read('legacyLoginUrl', readLegacyUrl),
    },
    handOver: repository && { ...repository, environment: read('environment', readEnvironment) ?? '' },
  }
  return problems.length > 0 ? { problems } : { settings }
}

function readApiToken(text: string): Read<null> {
  if (text === '') return { problem: 'is missing. Set it: pulumi config set --secret mintingApiToken' }
  if (/^cfk_/i.test(text)) {
    return {
      problem:
        'is a global API key, which may do everything and must not be used. Make a token that may mint, and set it: pulumi config set --secret mintingApiToken',
    }
  }
  // The provider refuses any other form before it sends anything. The global key of former days is shorter.
  return /^[0-9A-Za-z_-]{40,80}$/.test(text)
    ? { value: null }
    : {
        problem:
          'does not have the form of an API token. Set it again: pulumi config set --secret mintingApiToken',
      }
}

function readDisplayName(text: string): Read<string> {
  return text.length <= 120
    ? { value: text }
    : { problem: `has ${text.length} characters, and Entra takes 120. Shorten it.` }
}

function readRepository(text: string): Read<{ readonly owner: string; readonly repository: string }> {
  const [, owner, repository] = /^([A-Za-z0-9-]{1,39})\/([A-Za-z0-9._-]{1,100})$/.exec(text) ?? []
  return owner !== undefined && repository !== undefined
    ? { value: { owner, repository } }
    : { problem: 'is not of the form owner/name. Give it so.' }
}

function readEnvironment(text: string): Read<string> {
  return /^[A-Za-z0-9._-]{1,255}$/.test(text)
    ? { value: text }
    : { problem: 'is not a name of letters, digits, dots, - or _. Give one such as dns.' }
}

function nearest(name: string): string {
  const folded = name.toLowerCase()
  const meant = Object.keys(keys).find(key => key.toLowerCase() === folded)
  return `${meant ? `Did you mean ${meant}? ` : ''}Remove it: pulumi config rm ${name}`
}
