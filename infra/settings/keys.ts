import type { FullReading } from '../../lib/reading.ts'
import { boolean } from '../../lib/settings/readers.ts'
import { defaultRedirectPath } from '../../src/settings/redirect-uri.ts'
import { rows, type SettingName, type table } from '../../src/settings/table.ts'
import { firstTokenRotation } from '../resource-names.ts'
import {
  type Earlier,
  isCidr,
  isObjectId,
  type Parts,
  pushPlaces,
  readChoice,
  readClock,
  readClockToken,
  readCredentialEnds,
  readDisplayName,
  readEnvironment,
  readExpiry,
  readHostnames,
  readId,
  readImports,
  readMintingToken,
  readParts,
  readPublicOrigins,
  readPushHosts,
  readPushOrigin,
  readRecordTypes,
  readRedirectPath,
  readRepository,
  readRotation,
  recordTitles,
  signInPlaces,
} from './readers.ts'

/** A part of the stack that an operator can choose. `worker` and `host` are both a `signIn`. */
export type Part = 'record' | 'signIn' | 'worker' | 'push'

interface Row {
  /** The parts that use the key: without any of them, it does nothing. Every stack uses a key without parts. */
  readonly parts?: readonly Part[]
  /** What the key is if it is not set: null if that is refused, an empty string if the program does without it. */
  readonly default: string | null
  readonly secret?: true
  /** How to set it, if not by the usual command. */
  readonly fix?: string
  /** For docs/stack.md, in Markdown. */
  readonly meaning: string
  /** Reads a text without blanks around it, which is not empty. */
  readonly read: (text: string, earlier: Earlier, isGiven: boolean) => FullReading<unknown>
}

const overview = "the zone's overview page"

/** The keys of the program alone, in the order in which they are read. The others become settings of the handler. */
export const ownKeys = {
  record: { default: 'true', meaning: 'whether the stack has records and their token', read: boolean },
  signIn: {
    default: 'worker',
    meaning:
      'where the sign-in handler runs: `worker` for one of Cloudflare on a host of its own, `host` for a server of yours, behind the proxy of an application, or `none`',
    read: text => readChoice(text, signInPlaces),
  },
  push: {
    default: 'none',
    meaning:
      'where the [push endpoint](router.md#with-pulumi) for routers runs: `worker` for a Worker on a host of its own, or `none`. It keeps the records of its stack',
    read: text => readChoice(text, pushPlaces),
  },
  zoneId: {
    parts: ['record', 'worker'],
    default: null,
    meaning: "32 hex digits, from the zone's overview page",
    read: text => readId(text, overview),
  },
  accountId: {
    parts: ['record', 'worker', 'push'],
    default: '',
    meaning:
      'of the account that has the zone: 32 hex digits, from the same page. Required with `signIn: worker`, `push: worker`, `clock` and `tokenOwner: account`',
    read: text => readId(text, overview),
  },
  hostname: {
    parts: ['record'],
    default: null,
    meaning: 'the hostname whose address changes; several, separated by commas or lines',
    read: readHostnames,
  },
  recordType: {
    parts: ['record'],
    default: 'A',
    meaning:
      'what each hostname has: `A`, `AAAA`, or both, `A,AAAA`. If the stack has AAAA records already, add the others with `AAAA,A`',
    read: readRecordTypes,
  },
  importRecordId: {
    parts: ['record'],
    default: '',
    meaning:
      'adopt this record instead of creating one; with several records a line `NAME TYPE ID` for each. Remove it after the next `pulumi up`',
    read: (text, earlier) => readImports(text, recordTitles(earlier)),
  },
  databaseJurisdiction: {
    parts: ['worker'],
    default: '',
    meaning:
      'where the database keeps its data: `eu`, `us` or `fedramp`. Only a new database can have one, so set it before the first `pulumi up`',
    read: text => readChoice(text, ['eu', 'us', 'fedramp']),
  },
  tokenOwner: {
    parts: ['record'],
    default: 'user',
    meaning: 'who owns the DNS tokens: `user`, or `account`, which outlives a person',
    read: text => readChoice(text, ['user', 'account']),
  },
  tokenRotation: {
    parts: ['record'],
    default: firstTokenRotation,
    meaning: 'any text; change it to create a new token, for the endpoint, too',
    read: text => ({ value: text }),
  },
  tokenExpiresOn: {
    parts: ['record'],
    default: '',
    meaning:
      "a time in the future, `2030-01-01T00:00:00Z`; a change keeps the token's value. The endpoint's token has the same",
    read: (text, { now }) => readExpiry(text, now),
  },
  tokenAllowedCidrs: {
    parts: ['record'],
    default: '',
    meaning:
      "ranges that may use the token, no wider than /8 (IPv6: /16); use it only if the client's address is static. Not for the endpoint's token",
    read: text =>
      readParts(
        text,
        'tokenAllowedCidrs',
        'a range such as 203.0.113.0/24, no wider than /8 (IPv6: /16)',
        isCidr,
      ),
  },
  repository: {
    parts: ['record'],
    default: '',
    meaning: '`owner/name` of the repository that receives the token',
    read: readRepository,
  },
  environment: {
    parts: ['record'],
    default: 'dns',
    meaning: 'its environment that receives the token',
    read: readEnvironment,
  },
  mintingApiToken: {
    parts: ['record'],
    default: null,
    secret: true,
    meaning: 'creates the DNS token, and is used for nothing else',
    read: readMintingToken,
  },
  publicOrigin: {
    parts: ['signIn'],
    default: null,
    meaning:
      '`https://people.example.com`. With `signIn: worker` a host in the same zone, different from `hostname`; with `signIn: host` one or several, including `hostname` itself',
    read: readPublicOrigins,
  },
  redirectPath: {
    parts: ['signIn'],
    default: defaultRedirectPath,
    meaning: 'path of the redirect URI; with a `basePath`, by default below it',
    read: readRedirectPath,
  },
  displayName: {
    parts: ['signIn'],
    default: 'Homeport',
    meaning: 'name that people see when they consent',
    read: readDisplayName,
  },
  ownerObjectIds: {
    parts: ['signIn'],
    default: '',
    meaning:
      'Object IDs of everybody who deploys. They own the registration, and a run of anybody else is refused. Without it, the deployer owns it alone',
    read: text => readParts(text, 'ownerObjectIds', 'an Object ID of the tenant in lower case', isObjectId),
  },
  secretRotationA: {
    parts: ['signIn'],
    default: null,
    meaning:
      'the date on which the first of the two client secrets was created. Each ends 180 days after its date',
    read: (text, { now }) => readRotation(text, now, 'secretRotationA'),
  },
  secretRotationB: {
    parts: ['signIn'],
    default: null,
    meaning: 'the same for the second. To rotate, give the older one today’s date',
    read: (text, { now }) => readRotation(text, now, 'secretRotationB'),
  },
  allowUnlistedCloud: {
    parts: ['signIn'],
    default: 'false',
    meaning:
      'whether `instance` and `graphUrl` may be addresses that Microsoft does not list. Whoever has them gets every code and the client secret',
    read: boolean,
  },
  requireAssignment: {
    parts: ['signIn'],
    default: 'false',
    meaning: 'whether only assigned people may sign in',
    read: boolean,
  },
  keptCredentials: {
    parts: ['signIn'],
    default: '',
    meaning:
      'IDs of certificates, federated credentials and client secrets of the registration that people added and keep, so that [drift](#drift) does not advise to delete them',
    read: text => readParts(text, 'keptCredentials', 'the ID of a credential in lower case', isObjectId),
  },
  pushOrigin: {
    parts: ['push'],
    default: null,
    meaning:
      '`https://push.example.com`: where routers send their address. A host in the same zone, different from every `hostname` and `publicOrigin`',
    read: readPushOrigin,
  },
  pushHosts: {
    parts: ['push'],
    default: null,
    secret: true,
    fix: 'Create it: npm run push -- add HOSTNAME --hosts FILE, then pulumi config set --secret pushHosts < FILE',
    meaning:
      'a line for each name that a router keeps, as `npm run push -- add` writes it: `NAME TYPES HASH[,HASH]`. Each name and type is a record of the stack',
    read: readPushHosts,
  },
  clock: {
    parts: ['record', 'worker', 'push'],
    default: '',
    meaning:
      'a workflow that a Worker starts every five minutes, as [a clock](github-actions.md#a-clock): `owner/repository/file.yml`, with `@branch` for another branch than the default one',
    read: readClock,
  },
  clockToken: {
    parts: ['record', 'worker', 'push'],
    default: '',
    secret: true,
    meaning:
      'required with `clock`: a fine-grained token of GitHub for that repository only, with *Actions: Read and write*. Write its end into `credentialsExpireOn`, as `clock token 2027-05-31`',
    read: readClockToken,
  },
  credentialsExpireOn: {
    default: '',
    meaning:
      'a line `NAME DATE` for each credential that somebody created by hand, such as `deploy token 2027-05-31`, so that [drift](#drift) warns of its end.',
    read: readCredentialEnds,
  },
} as const satisfies Readonly<Record<string, Row>>

export type OwnKey = keyof typeof ownKeys

type Rows = typeof ownKeys
/** What a key is as a value. Not for secrets: they stay wrapped. */
export type ValueOf<K extends OwnKey> = Extract<
  ReturnType<Rows[K]['read']>,
  { readonly value: unknown }
>['value']
/** The values of the keys that a part uses. Null if one is not set. */
export type ValuesOf<P extends Part> = {
  readonly [K in OwnKey as Rows[K] extends { readonly parts: readonly (infer Q)[] }
    ? P extends Q
      ? Rows[K] extends { readonly secret: true }
        ? never
        : K
      : never
    : never]: ValueOf<K> | (Rows[K]['default'] extends '' ? null : never)
}

type Table = typeof table
/** A key that becomes a setting of the handler. */
export type HandlerKey = {
  [Name in SettingName]: Table[Name] extends { readonly key: infer Key } ? Key : never
}[SettingName]
export type Key = OwnKey | HandlerKey

export const handlerRows = rows.flatMap(([name, row]) =>
  row.key ? [{ name, row, key: row.key as HandlerKey }] : [],
)
const ownRows: Readonly<Record<string, Row>> = ownKeys

/** Every key with its default; null if the key is required, an empty string if it is optional. */
export const keys = {
  ...Object.fromEntries(Object.entries(ownRows).map(([key, row]) => [key, row.default])),
  ...Object.fromEntries(
    handlerRows.map(({ row, key }) => [
      key,
      row.fix !== undefined ? null : (row.keyDefault ?? row.default ?? ''),
    ]),
  ),
} as Readonly<Record<Key, string | null>>

/** Whether a stack with these parts uses a key. Settings of the handler belong to the sign-in. */
export function isUsed(key: Key, { record, signIn, push }: Parts): boolean {
  const has: Readonly<Record<Part, boolean>> = {
    record,
    signIn: signIn !== 'none',
    worker: signIn === 'worker',
    push: push === 'worker',
  }
  const row = ownRows[key]
  const parts: readonly Part[] | undefined = row === undefined ? ['signIn'] : row.parts
  return parts === undefined || parts.some(part => has[part])
}

/** Keys whose values must be encrypted in the stack file. */
export const secretKeys: readonly Key[] = [
  ...handlerRows.flatMap(({ row, key }) => (row.secret ? [key] : [])),
  ...(Object.keys(ownKeys) as OwnKey[]).filter(key => ownRows[key]?.secret),
]

/** Returns how to set a key. */
export function fixOf(key: Key): string {
  if (key === 'sessionKeys') return `Create one: npm run -s keys -- new | pulumi config set --secret ${key}`
  const usual = secretKeys.includes(key) ? `--secret ${key}` : `--plaintext ${key} …`
  return ownRows[key]?.fix ?? `Set it: pulumi config set ${usual}`
}

/** Sorts names into keys, and problems with those that are none. */
export function sortNames(names: Iterable<string>): {
  readonly known: readonly Key[]
  readonly problems: readonly string[]
} {
  const all = [...names]
  const isKey = (name: string): name is Key => Object.hasOwn(keys, name)
  return {
    known: all.filter(isKey),
    problems: all.flatMap(name =>
      isKey(name) ? [] : [`${name} is not a key of this program. ${suggest(name)}`],
    ),
  }
}

function suggest(name: string): string {
  const folded = name.toLowerCase()
  const meant = Object.keys(keys).find(key => key.toLowerCase() === folded)
  return `${meant ? `Did you mean ${meant}? ` : ''}Remove it: pulumi config rm ${name}`
}
