import { readBasePath } from '../../src/settings/base-path.ts'
import { describeProblem, type Reading, type SettingReading } from '../../src/settings/problems.ts'
import { defaultRedirectPath, readRedirectUri, redirectUriOf } from '../../src/settings/redirect-uri.ts'
import { isRequired, rows, type SettingName, type table } from '../../src/settings/table.ts'
import { readBoolean } from '../../src/settings/values.ts'
import { type OwnKey, ownKeys } from './own-keys.ts'
import {
  daysAfter,
  formatTime,
  isCidr,
  isObjectId,
  type KeyReading,
  readChoice,
  readDatabaseId,
  readDay,
  readDisplayName,
  readEnvironment,
  readExpiry,
  readHostname,
  readId,
  readInteger,
  readIpv4,
  readList,
  readMintingToken,
  readPublicOrigin,
  readRepository,
} from './readers.ts'

/** One of the two client secrets. */
export interface ClientSecretPlan {
  readonly slot: 'a' | 'b'
  /** The day it was made, `2026-03-31`. */
  readonly rotatedOn: string
  /** When it expires, `2026-09-27T00:00:00Z`. It follows from the day alone, so it is the same in every run. */
  readonly endsOn: string
}

/** The validated configuration, without the two secrets. */
export interface StackSettings {
  readonly zoneId: string
  readonly accountId: string
  readonly hostname: string
  readonly bootstrapAddress: string
  /** The record to adopt; null to create one. */
  readonly importRecordId: string | null
  /** The database to adopt; null to create one. */
  readonly importDatabaseId: string | null
  readonly token: {
    readonly owner: 'user' | 'account'
    readonly rotation: string
    readonly expiresOn: string | null
    readonly allowedCidrs: readonly string[]
  }
  /** The day on which each token ends that somebody created by hand, `2027-05-31`; null if it is not known. */
  readonly tokenEnds: Readonly<Record<TokenEnd, string | null>>
  readonly publicOrigin: string
  /** Host of `publicOrigin`. */
  readonly signInHost: string
  /** Built here and nowhere else; the registration, the Worker and the output share it. */
  readonly redirectUri: string
  readonly displayName: string
  readonly ownerObjectIds: readonly string[]
  /** Newest first. */
  readonly clientSecrets: readonly [ClientSecretPlan, ClientSecretPlan]
  readonly requireAssignment: boolean
  /** The handler's settings that have a key and are not secret, as texts by name. Blank ones are left out. */
  readonly handler: Readonly<Partial<Record<SettingName, string>>>
  /** Where the token is stored; null if you do that by hand. */
  readonly handOver: {
    readonly owner: string
    readonly repository: string
    readonly environment: string
  } | null
}

/** Keys for the ends of the tokens that somebody creates by hand. No read tells all of them. */
export const tokenEndKeys = [
  'mintingTokenExpiresOn',
  'deployTokenExpiresOn',
  'readingTokenExpiresOn',
  'githubTokenExpiresOn',
] as const
export type TokenEnd = (typeof tokenEndKeys)[number]

type Table = typeof table
/** A key that becomes a setting of the handler. */
type HandlerKey = {
  [Name in SettingName]: Table[Name] extends { readonly key: infer Key } ? Key : never
}[SettingName]
type Key = OwnKey | HandlerKey

const handlerRows = rows.flatMap(([name, row]) =>
  row.key ? [{ name, row, key: row.key as HandlerKey }] : [],
)

/** Every key with its default; null if the key is required, an empty string if it is optional. */
export const keys = {
  ...Object.fromEntries(Object.entries(ownKeys).map(([key, row]) => [key, row.default])),
  ...Object.fromEntries(
    handlerRows.map(({ row, key }) => [key, isRequired(row) ? null : (row.keyDefault ?? row.default ?? '')]),
  ),
} as Readonly<Record<Key, string | null>>

/** Keys whose values must be encrypted in the stack file. */
export const secretKeys: readonly Key[] = [
  ...handlerRows.flatMap(({ row, key }) => (row.secret ? [key] : [])),
  ...(Object.keys(ownKeys) as OwnKey[]).filter(key => 'secret' in ownKeys[key]),
]

/** The longest lifetime of a client secret that Entra allows. */
const maxSecretDays = 730

/**
 * Reads every key. Returns all settings, or the problems of every wrong key, so that fixing one does not reveal the
 * next. No problem repeats a secret.
 * @param given the stack's configuration by key, without the project's name
 * @param now milliseconds since 1970
 * @param withheld keys whose values the caller may not see, and which are therefore not checked
 */
export function readStackSettings(
  given: ReadonlyMap<string, string>,
  now: number,
  withheld: readonly Key[] = [],
): Reading<StackSettings, string> {
  const problems: string[] = []
  function addProblem(key: Key, text: string): void {
    problems.push(`${key} ${text}`)
  }
  function textOf(key: Key): string {
    return given.get(key)?.trim() || (keys[key] ?? '')
  }
  /** Reads a key by a rule of this program. Returns null if it is wrong or not set. */
  function read<T>(key: Key, reader: (text: string) => KeyReading<T>): T | null {
    const text = textOf(key)
    if (text === '') {
      if (keys[key] === null) addProblem(key, `is missing. ${fixOf(key)}`)
      return null
    }
    const reading = reader(text)
    if ('value' in reading) return reading.value
    for (const problem of reading.problems) addProblem(key, problem)
    return null
  }
  /** Reads a text by a rule of the handler. Returns null if it is wrong. */
  function readShared<T>(
    key: Key,
    reader: (text: string) => SettingReading<T>,
    text = textOf(key),
  ): T | null {
    const reading = reader(text)
    if ('value' in reading) return reading.value
    for (const problem of reading.problems) addProblem(key, `${describeProblem(problem)} ${fixOf(key)}`)
    return null
  }
  function readParts(key: Key, wanted: string, fits: (part: string) => boolean): readonly string[] {
    const parts = read(key, readList)
    if (parts?.length === 0) {
      addProblem(key, `is set but empty. List ${wanted}, or remove it: pulumi config rm ${key}`)
    }
    for (const part of parts?.filter(one => !fits(one)) ?? []) {
      addProblem(key, `has ${JSON.stringify(part)}, which is not ${wanted}. Fix or remove it.`)
    }
    return [...new Set(parts)]
  }

  for (const name of given.keys()) {
    if (!Object.hasOwn(keys, name)) problems.push(`${name} is not a key of this program. ${suggest(name)}`)
  }
  const zoneId = read('zoneId', text => readId(text, "the zone's overview page"))
  const accountId = read('accountId', text => readId(text, "the zone's overview page"))
  const hostname = read('hostname', readHostname)
  const origin = read('publicOrigin', readPublicOrigin)
  if (origin !== null && origin.hostname === hostname) {
    addProblem(
      'publicOrigin',
      `has the host ${hostname}, which is the dynamic hostname. A custom domain refuses a name that has a record. Use another host.`,
    )
  }
  const base = readBasePath(textOf('basePath'))
  // A wrong one is reported with the handler's other settings.
  const basePath = 'value' in base ? base.value : ''
  const redirectPath = given.get('redirectPath')?.trim() || basePath + defaultRedirectPath
  const redirectUri = redirectUriOf(origin?.origin ?? 'https://people.example.com', redirectPath)
  if (!redirectPath.startsWith('/')) addProblem('redirectPath', 'has no slash at its start. Add it.')
  else readShared('redirectPath', text => readRedirectUri(text, basePath), redirectUri)
  if (!withheld.includes('mintingApiToken')) read('mintingApiToken', readMintingToken)

  const lifetime = read('secretLifetimeDays', text => readInteger(text, 1, maxSecretDays))
  function plan(slot: ClientSecretPlan['slot'], key: Key): ClientSecretPlan {
    const begins = read(key, readDay)
    const ends = begins === null ? null : daysAfter(begins, lifetime ?? maxSecretDays)
    const setToday = `pulumi config set --plaintext ${key} ${formatTime(now).slice(0, 10)}`
    if (ends !== null && ends <= now) {
      addProblem(
        key,
        `gives a client secret that expired on ${formatTime(ends).slice(0, 10)}. Rotate it: ${setToday}`,
      )
    }
    if (begins !== null && begins > daysAfter(now, 1)) {
      addProblem(key, `is in the future. Set it to today: ${setToday}`)
    }
    return { slot, rotatedOn: textOf(key), endsOn: formatTime(ends ?? 0) }
  }
  const [a, b] = [plan('a', 'secretRotationA'), plan('b', 'secretRotationB')]
  /** Reads the keys that become settings of the handler, in the order of its table. */
  function readHandler(): StackSettings['handler'] {
    const values: Record<string, unknown> = { redirectUris: [redirectUri] }
    const texts: Partial<Record<SettingName, string>> = {}
    for (const { name, row, key } of handlerRows) {
      if (!row.read || withheld.includes(key)) continue
      const { read: reader, field = '', list } = row
      const given = list ? read(key, readList)?.join(',') : textOf(key)
      if (given === undefined) continue
      const value = readShared(key, text => reader(text, values), given)
      if (value !== null) values[field] = value
      // A normal form, where there is one, so that a spelling is no change.
      const text = ['string', 'boolean'].includes(typeof value) ? String(value) : given
      if (given !== '' && !row.secret) texts[name] = text
    }
    return texts
  }
  const repository = read('repository', readRepository)

  const settings: StackSettings = {
    zoneId: zoneId ?? '',
    accountId: accountId ?? '',
    hostname: hostname ?? '',
    bootstrapAddress: read('bootstrapAddress', readIpv4) ?? '',
    importRecordId: read('importRecordId', text => readId(text, 'the list of records')),
    importDatabaseId: read('importDatabaseId', readDatabaseId),
    token: {
      owner: read('tokenOwner', text => readChoice(text, ['user', 'account'])) ?? 'user',
      rotation: textOf('tokenRotation'),
      expiresOn: read('tokenExpiresOn', text => readExpiry(text, now)),
      allowedCidrs: readParts(
        'tokenAllowedCidrs',
        'a range such as 203.0.113.0/24, no wider than /8 (IPv6: /16)',
        isCidr,
      ),
    },
    // A day that has passed is no reason to refuse a deployment: `npm run drift` reports it.
    tokenEnds: Object.fromEntries(
      tokenEndKeys.map(key => [key, read(key, readDay) === null ? null : textOf(key)]),
    ) as StackSettings['tokenEnds'],
    publicOrigin: origin?.origin ?? '',
    signInHost: origin?.hostname ?? '',
    redirectUri,
    displayName: read('displayName', readDisplayName) ?? '',
    ownerObjectIds: readParts('ownerObjectIds', 'an Object ID of the directory in lower case', isObjectId),
    clientSecrets: b.rotatedOn > a.rotatedOn ? [b, a] : [a, b],
    requireAssignment: readShared('requireAssignment', readBoolean) ?? false,
    handler: readHandler(),
    handOver: repository && { ...repository, environment: read('environment', readEnvironment) ?? '' },
  }
  return problems.length > 0 ? { problems } : { value: settings }
}

/** Returns how to set a key. */
function fixOf(key: Key): string {
  if (key === 'sessionKeys') return `Create one: npm run -s keys -- new | pulumi config set --secret ${key}`
  if (key === 'mintingApiToken') return `Set it: pulumi config set --secret ${key}`
  return `Set it: pulumi config set --plaintext ${key} …`
}

function suggest(name: string): string {
  const folded = name.toLowerCase()
  const meant = Object.keys(keys).find(key => key.toLowerCase() === folded)
  return `${meant ? `Did you mean ${meant}? ` : ''}Remove it: pulumi config rm ${name}`
}
