import {
  anyText,
  boolean,
  choice,
  hexId,
  optional,
  parseGuid,
  readRecordTypes,
  textLike,
} from '../../lib/settings/readers.ts'
import { type CamelName, camelName, type Row, type ValueOf } from '../../lib/settings/table.ts'
import { rows, type SettingName, type table } from '../../src/settings/table.ts'
import { firstTokenRotation } from '../resource-names.ts'
import {
  parseRange,
  readCredential,
  readCredentialEnds,
  readExpiry,
  readMintingToken,
  rotation,
} from './readers/credentials.ts'
import type { Earlier } from './readers/earlier.ts'
import { someOf } from './readers/lists.ts'
import { readPublicOrigins, readPushOrigin, readRedirectPath } from './readers/origins.ts'
import { readClock, readClockToken, readPushHosts } from './readers/push.ts'
import { readHostnames, readImports } from './readers/records.ts'
import { readRepository } from './readers/repository.ts'

/** A part of the stack that an operator can choose. `signIn` is a sign-in anywhere, `worker` one at Cloudflare. */
export type Part = 'record' | 'signIn' | 'worker' | 'push'

/** A key. Its comment is the text of docs/stack.md, in Markdown. */
interface KeyRow extends Row<Earlier> {
  /** The parts that use the key: without any of them, it does nothing. Every stack uses a key without parts. */
  readonly parts?: readonly Part[]
  readonly isRequired?: true
}

const overview = "the zone's overview page"

/** The keys of the program alone, in the order in which they are read. The others become settings of the handler. */
export const ownKeys = {
  /** whether the stack has records and their token */
  record: { read: boolean, default: 'true' },
  /**
   * where the sign-in handler runs: `worker` for one of Cloudflare on a host of its own, `host` for a server of
   * yours, behind the proxy of an application, or `none`
   */
  signIn: { read: choice('worker', 'host', 'none'), default: 'worker' },
  /**
   * where the [push endpoint](router.md#with-pulumi) for routers runs: `worker` for a Worker on a host of its
   * own, or `none`. It keeps the records of its stack
   */
  push: { read: choice('none', 'worker'), default: 'none' },
  /** 32 hex digits, from the zone's overview page */
  zoneId: { parts: ['record', 'worker'], read: hexId(overview), isRequired: true },
  /**
   * of the account that has the zone: 32 hex digits, from the same page. Required with `signIn: worker`, `push:
   * worker`, `clock` and `tokenOwner: account`
   */
  accountId: { parts: ['record', 'worker', 'push'], read: optional(hexId(overview)) },
  /** the hostname whose address changes; several, separated by commas or lines */
  hostname: { parts: ['record'], read: readHostnames, isRequired: true },
  /**
   * what each hostname has: `A`, `AAAA`, or both, `A,AAAA`. If the stack has AAAA records already, add the
   * others with `AAAA,A`
   */
  recordType: { parts: ['record'], read: readRecordTypes, default: 'A' },
  /**
   * adopt this record instead of creating one; with several records a line `NAME TYPE ID` for each. Remove it
   * after the next `pulumi up`
   */
  importRecordId: { parts: ['record'], read: optional(readImports) },
  /**
   * where the database keeps its data: `eu`, `us` or `fedramp`. Only a new database can have one, so set it
   * before the first `pulumi up`
   */
  databaseJurisdiction: { parts: ['worker'], read: optional(choice('eu', 'us', 'fedramp')) },
  /** who owns the DNS tokens: `user`, or `account`, which outlives a person */
  tokenOwner: { parts: ['record'], read: choice('user', 'account'), default: 'user' },
  /** any text; change it to create a new token, for the endpoint, too */
  tokenRotation: { parts: ['record'], read: anyText, default: firstTokenRotation },
  /**
   * a time in the future, `2030-01-01T00:00:00Z`; a change keeps the token's value. The endpoint's token has the
   * same
   */
  tokenExpiresOn: { parts: ['record'], read: optional(readExpiry) },
  /**
   * ranges that may use the token, no wider than /8 (IPv6: /16); use it only if the client's address is static.
   * Not for the endpoint's token
   */
  tokenAllowedCidrs: { parts: ['record'], read: optional(someOf(parseRange, { keyOf: String })) },
  /** `owner/name` of the repository that receives the token */
  repository: { parts: ['record'], read: optional(readRepository) },
  /** its environment that receives the token */
  environment: {
    parts: ['record'],
    read: textLike(/^[A-Za-z0-9._-]{1,255}$/, 'Use a name of letters, digits, dots, - and _, such as dns'),
    default: 'dns',
  },
  /** creates the DNS token, and is used for nothing else */
  mintingApiToken: { parts: ['record'], read: readMintingToken, isRequired: true, secret: true },
  /**
   * `https://people.example.com`. With `signIn: worker` a host in the same zone, different from `hostname`; with
   * `signIn: host` one or several, including `hostname` itself
   */
  publicOrigin: { parts: ['signIn'], read: readPublicOrigins, isRequired: true },
  /**
   * path of the redirect URI; with a `basePath`, by default below it
   * @default `/auth/callback`
   */
  redirectPath: { parts: ['signIn'], read: readRedirectPath },
  /** name that people see when they consent */
  displayName: {
    parts: ['signIn'],
    read: textLike(/^.{1,120}$/s, 'Entra allows 120 characters. Use a shorter name'),
    default: 'Homeport',
  },
  /**
   * Object IDs of everybody who deploys. They own the registration, and a run of anybody else is refused.
   * Without it, the deployer owns it alone
   */
  ownerObjectIds: { parts: ['signIn'], read: optional(someOf(parseGuid, { keyOf: String })) },
  /**
   * what the handler signs in at Entra with: two client `secret`s, your `certificate` in
   * [`clientCertificate`](operate.md#a-certificate-in-place-of-secrets), or on a host a `federated` token of its
   * platform
   */
  credential: { parts: ['signIn'], read: readCredential, default: 'secret' },
  /**
   * the date on which the first of the two client secrets was created. Each ends 180 days after its date. Only
   * with `credential: secret`
   */
  secretRotationA: { parts: ['signIn'], read: rotation('secretRotationA'), isRequired: true },
  /** the same for the second. To rotate, give the older one today’s date */
  secretRotationB: { parts: ['signIn'], read: rotation('secretRotationB'), isRequired: true },
  /**
   * whether `instance` and `graphUrl` may be addresses that Microsoft does not list. The host there gets every
   * code and the client secret
   */
  allowUnlistedCloud: { parts: ['signIn'], read: boolean, default: 'false' },
  /** whether only assigned people may sign in */
  requireAssignment: { parts: ['signIn'], read: boolean, default: 'false' },
  /**
   * IDs of certificates, federated credentials and client secrets of the registration that people added and
   * keep, so that [drift](#drift) does not advise to delete them
   */
  keptCredentials: { parts: ['signIn'], read: optional(someOf(parseGuid, { keyOf: String })) },
  /**
   * `https://push.example.com`: where routers send their address. A host in the same zone, different from every
   * `hostname` and `publicOrigin`
   */
  pushOrigin: { parts: ['push'], read: readPushOrigin, isRequired: true },
  /**
   * a line for each name that a router keeps, as `npm run push -- add` writes it: `NAME TYPES HASH[,HASH]`. Each
   * name and type is a record of the stack
   */
  pushHosts: { parts: ['push'], read: readPushHosts, isRequired: true, secret: true },
  /**
   * a workflow that a Worker starts every five minutes, as [a
   * clock](github-actions.md#a-clock): `owner/repository/file.yml`, with `@branch` for another
   * branch than the default one
   */
  clock: { parts: ['record', 'worker', 'push'], read: optional(readClock) },
  /**
   * required with `clock`: a fine-grained token of GitHub for that repository only, with *Actions: Read and
   * write*. Add its expiry date to `credentialsExpireOn`, as `clock token 2027-05-31`
   */
  clockToken: { parts: ['record', 'worker', 'push'], read: readClockToken, secret: true },
  /**
   * a line `NAME DATE` for each credential that somebody created by hand, such as `deploy token 2027-05-31`, so
   * that [drift](#drift) warns before it expires.
   */
  credentialsExpireOn: { read: optional(readCredentialEnds) },
} as const satisfies Readonly<Record<string, KeyRow>>

export type OwnKey = keyof typeof ownKeys

type Rows = typeof ownKeys
/** The values of the keys of some parts. Secrets are left out: they stay wrapped. */
export type ValuesOfParts<P extends Part> = {
  readonly [K in OwnKey as Rows[K] extends { readonly parts: readonly (infer Q)[] }
    ? P extends Q
      ? Rows[K] extends { readonly secret: true }
        ? never
        : K
      : never
    : never]: ValueOf<Rows[K]>
}

type Table = typeof table
/** A key that becomes a setting of the handler. */
export type HandlerKey = {
  [Name in SettingName]: Table[Name] extends { readonly key: true } ? CamelName<Name> : never
}[SettingName]
export type Key = OwnKey | HandlerKey

// Object.keys and camelName return plain strings.
export const ownNames = Object.keys(ownKeys) as OwnKey[]
export const handlerRows = rows.flatMap(([name, row]) =>
  row.key ? [{ name, row, key: camelName(name) as HandlerKey }] : [],
)

/** Every key. Settings of the handler belong to the sign-in. Both kinds of names are `Key`. */
export const keys = Object.fromEntries([
  ...Object.entries<KeyRow>(ownKeys),
  ...handlerRows.map(({ row, key }): readonly [string, KeyRow] => {
    const { fix, field = key, keyDefault, default: standard = '', ...rest } = row
    const own = { ...rest, field, default: keyDefault ?? standard, parts: ['signIn'] } as const
    return [key, fix === undefined ? own : { ...own, isRequired: true }]
  }),
]) as Readonly<Record<Key, KeyRow>>

export function isKey(name: string): name is Key {
  return Object.hasOwn(keys, name)
}

/** Which parts a stack has. */
export interface Parts {
  readonly record: boolean
  readonly signIn: ValueOf<Rows['signIn']>
  readonly push: ValueOf<Rows['push']>
}

/** Whether a stack with these parts uses a key. */
export function isUsed(key: Key, { record, signIn, push }: Parts): boolean {
  const has: Readonly<Record<Part, boolean>> = {
    record,
    signIn: signIn !== 'none',
    worker: signIn === 'worker',
    push: push === 'worker',
  }
  return keys[key].parts?.some(part => has[part]) ?? true
}

/** Keys whose values must be encrypted in the stack file. */
export const secretKeys: readonly Key[] = Object.keys(keys)
  .filter(isKey)
  .filter(key => keys[key].secret)

/** Writes a key and its certificate to the pipe, and to no file. */
const newCertificate =
  'openssl req -x509 -newkey rsa:3072 -nodes -days 365 -subj /CN=homeport -keyout /dev/stdout'

/** Returns how to set a key. */
export function fixOf(key: Key): string {
  if (key === 'sessionKeys') return `Create one: npm run -s keys -- new | pulumi config set --secret ${key}`
  if (key === 'pushHosts')
    return 'Create it: npm run push -- add HOSTNAME --hosts FILE, then pulumi config set --secret pushHosts < FILE'
  if (key === 'clientCertificate' || key === 'clientCertificateNext')
    return `Create one: ${newCertificate} | pulumi config set --secret ${key}`
  return `Set it: pulumi config set ${keys[key].secret ? `--secret ${key}` : `--plaintext ${key} …`}`
}

/** Returns a problem for each name that is not a key. */
export function unknownNames(names: readonly string[]): readonly string[] {
  return names
    .filter(name => !isKey(name))
    .map(name => {
      const meant = Object.keys(keys).find(key => key.toLowerCase() === name.toLowerCase())
      const hint = meant ? `Did you mean ${meant}? ` : ''
      return `${name} is not a key of this program. ${hint}Remove it: pulumi config rm ${name}`
    })
}
