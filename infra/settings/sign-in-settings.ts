import { readBasePath } from '../../src/settings/base-path.ts'
import { defaultRedirectPath, readRedirectUri, redirectUriOf } from '../../src/settings/redirect-uri.ts'
import type { SettingName } from '../../src/settings/table.ts'
import { readBoolean } from '../../src/settings/values.ts'
import type { KeyReader } from './key-reader.ts'
import { handlerRows, type Key } from './keys.ts'
import {
  daysAfter,
  formatTime,
  isObjectId,
  readChoice,
  readDatabaseId,
  readDay,
  readDisplayName,
  readInteger,
  readList,
  readPublicOrigin,
} from './readers.ts'

/** One of the two client secrets. */
export interface ClientSecretPlan {
  readonly slot: 'a' | 'b'
  /** The day it was made, `2026-03-31`. */
  readonly rotatedOn: string
  /** When it expires, `2026-09-27T00:00:00Z`. It follows from the day alone, so it is the same in every run. */
  readonly endsOn: string
}

/** Where the database of a Worker keeps its data. */
const jurisdictions = ['eu', 'us', 'fedramp'] as const

/** What only a handler at Cloudflare has. */
export interface WorkerSettings {
  readonly accountId: string
  readonly zoneId: string
  /** The only host of `publicOrigins`. */
  readonly host: string
  /** The database to adopt; null to create one. */
  readonly importDatabaseId: string | null
  /** Null to leave the place to the service. */
  readonly jurisdiction: (typeof jurisdictions)[number] | null
}

/** The part `signIn`. */
export interface SignInSettings {
  readonly publicOrigins: readonly [string, ...string[]]
  /** One for each origin. Built here and nowhere else; the registration, the handler and the output share them. */
  readonly redirectUris: readonly [string, ...string[]]
  readonly displayName: string
  readonly ownerObjectIds: readonly string[]
  /** Newest first. */
  readonly clientSecrets: readonly [ClientSecretPlan, ClientSecretPlan]
  readonly requireAssignment: boolean
  /** The handler's settings that have a key and are not secret, as texts by name. Blank ones are left out. */
  readonly handler: Readonly<Partial<Record<SettingName, string>>>
  /** Null if the handler runs on a host. */
  readonly worker: WorkerSettings | null
}

/** The longest lifetime of a client secret that Entra allows. */
const maxSecretDays = 730
/** As many as the handler takes. */
const maxOrigins = 20
const exampleOrigin = 'https://people.example.com'

/**
 * Reads the keys of the part `signIn`.
 * @param place where the handler runs
 * @param ids of the zone and account, which a Worker needs; empty if they were refused
 * @param hostnames of the stack's records
 */
export function readSignInSettings(
  reader: KeyReader,
  place: 'worker' | 'host',
  ids: { readonly zoneId: string; readonly accountId: string },
  hostnames: readonly string[],
): SignInSettings {
  const origins = readOrigins(reader, place, hostnames)
  const redirectUris = readRedirects(reader, origins)
  const clientSecrets = readClientSecrets(reader)
  return {
    publicOrigins: [origins[0].origin, ...origins.slice(1).map(({ origin }) => origin)],
    redirectUris,
    displayName: reader.read('displayName', readDisplayName) ?? '',
    ownerObjectIds: reader.readParts(
      'ownerObjectIds',
      'an Object ID of the tenant in lower case',
      isObjectId,
    ),
    clientSecrets,
    requireAssignment: reader.readShared('requireAssignment', readBoolean) ?? false,
    handler: readHandler(reader, redirectUris),
    worker:
      place === 'host'
        ? null
        : {
            ...ids,
            host: origins[0].hostname,
            importDatabaseId: reader.read('importDatabaseId', readDatabaseId),
            jurisdiction: reader.read('databaseJurisdiction', text => readChoice(text, jurisdictions)),
          },
  }
}

type Origins = readonly [URL, ...URL[]]

function readOrigins(reader: KeyReader, place: 'worker' | 'host', hostnames: readonly string[]): Origins {
  const standard: Origins = [new URL(exampleOrigin)]
  const texts = reader.read('publicOrigin', readList)
  if (texts === null) return standard
  if (place === 'worker' && texts.length > 1) {
    reader.refuse('publicOrigin', `has ${texts.length} origins, and a Worker has one. Keep one of them.`)
    return standard
  }
  if (texts.length === 0 || texts.length > maxOrigins) {
    reader.refuse('publicOrigin', `has ${texts.length} origins. Set one to ${maxOrigins}.`)
    return standard
  }
  const origins: URL[] = []
  for (const text of texts) {
    const reading = readPublicOrigin(text, place)
    const which = texts.length === 1 ? '' : `has ${JSON.stringify(text.slice(0, 300))}, which `
    if ('problems' in reading) {
      for (const problem of reading.problems) reader.refuse('publicOrigin', which + problem)
    } else if (origins.some(({ hostname }) => hostname === reading.value.hostname)) {
      reader.refuse(
        'publicOrigin',
        `has the host ${reading.value.hostname} twice. Keep one origin for each host.`,
      )
    } else if (place === 'worker' && hostnames.includes(reading.value.hostname)) {
      reader.refuse(
        'publicOrigin',
        `has the host ${reading.value.hostname}, which is the dynamic hostname. A custom domain refuses a name that has a record. Use another host.`,
      )
    } else origins.push(reading.value)
  }
  const [first, ...others] = origins
  return first === undefined ? standard : [first, ...others]
}

function readRedirects(reader: KeyReader, origins: Origins): SignInSettings['redirectUris'] {
  const base = readBasePath(reader.textOf('basePath'))
  // A wrong one is reported with the handler's other settings.
  const basePath = 'value' in base ? base.value : ''
  const path = reader.isGiven('redirectPath') ? reader.textOf('redirectPath') : basePath + defaultRedirectPath
  const uriOf = ({ origin }: URL) => redirectUriOf(origin, path)
  if (!path.startsWith('/')) reader.refuse('redirectPath', 'has no slash at its start. Add it.')
  else {
    // The longest one, since only the origins differ.
    const longest = origins.map(uriOf).toSorted((one, other) => other.length - one.length)[0]
    reader.readShared('redirectPath', text => readRedirectUri(text, basePath), longest)
  }
  return [uriOf(origins[0]), ...origins.slice(1).map(uriOf)]
}

function readClientSecrets(reader: KeyReader): SignInSettings['clientSecrets'] {
  const { now } = reader
  const lifetime = reader.read('secretLifetimeDays', text => readInteger(text, 1, maxSecretDays))
  function plan(slot: ClientSecretPlan['slot'], key: Key): ClientSecretPlan {
    const begins = reader.read(key, readDay)
    const ends = begins === null ? null : daysAfter(begins, lifetime ?? maxSecretDays)
    const setToday = `pulumi config set --plaintext ${key} ${formatTime(now).slice(0, 10)}`
    if (ends !== null && ends <= now) {
      reader.refuse(
        key,
        `gives a client secret that expired on ${formatTime(ends).slice(0, 10)}. Rotate it: ${setToday}`,
      )
    }
    if (begins !== null && begins > daysAfter(now, 1)) {
      reader.refuse(key, `is in the future. Set it to today: ${setToday}`)
    }
    return { slot, rotatedOn: reader.textOf(key), endsOn: formatTime(ends ?? 0) }
  }
  const [a, b] = [plan('a', 'secretRotationA'), plan('b', 'secretRotationB')]
  return b.rotatedOn > a.rotatedOn ? [b, a] : [a, b]
}

/** Reads the keys that become settings of the handler, in the order of its table. */
function readHandler(
  reader: KeyReader,
  redirectUris: SignInSettings['redirectUris'],
): SignInSettings['handler'] {
  const values: Record<string, unknown> = { redirectUris }
  const texts: Partial<Record<SettingName, string>> = {}
  for (const { name, row, key } of handlerRows) {
    if (!row.read || reader.isWithheld(key)) continue
    const { read, field = '', list } = row
    const given = list ? reader.read(key, readList)?.join(',') : reader.textOf(key)
    if (given === undefined) continue
    const value = reader.readShared(key, text => read(text, values), given)
    if (value !== null) values[field] = value
    // A normal form, where there is one, so that a spelling is no change.
    const text = ['string', 'boolean'].includes(typeof value) ? String(value) : given
    if (given !== '' && !row.secret) texts[name] = text
  }
  return texts
}
