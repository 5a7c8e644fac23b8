import { defaultRedirectPath } from '../../src/settings/redirect-uri.ts'
import { firstTokenRotation } from '../stack-facts.ts'

/** A part of the stack that an operator can choose. `worker` and `host` are both a `signIn`. */
export type Part = 'record' | 'signIn' | 'worker' | 'push'

interface Row {
  /** The parts that use the key: without any of them, it does nothing. Every stack uses a key without parts. */
  readonly parts?: readonly Part[]
  /** What the key is if it is not set: null if that is refused, an empty string if the program does without it. */
  readonly default: string | null
  readonly secret?: true
  /** For docs/infrastructure.md, in Markdown. */
  readonly meaning: string
}

/** The keys of the program alone. The others become settings of the handler, in `src/settings/table.ts`. */
export const ownKeys = {
  record: { default: 'true', meaning: 'whether the stack has records and their token' },
  signIn: {
    default: 'worker',
    meaning:
      'where the sign-in handler runs: `worker` for one of Cloudflare on a host of its own, `host` for a server of yours, behind the proxy of an application, or `none`',
  },
  push: {
    default: 'none',
    meaning:
      'where the [push endpoint](router.md#with-pulumi) for routers runs: `worker` for a Worker on a host of its own, or `none`. It keeps the records of its stack',
  },
  zoneId: {
    parts: ['record', 'worker'],
    default: null,
    meaning: "32 hex digits, from the zone's overview page",
  },
  accountId: {
    parts: ['record', 'worker', 'push'],
    default: '',
    meaning:
      'of the account that has the zone: 32 hex digits, from the same page. Required with `signIn: worker`, `push: worker` and `tokenOwner: account`',
  },
  hostname: {
    parts: ['record'],
    default: null,
    meaning: 'the hostname whose address changes; several, separated by commas or lines',
  },
  recordType: {
    parts: ['record'],
    default: 'A',
    meaning:
      'what each hostname has: `A`, `AAAA`, or both, `A,AAAA`. If the stack has AAAA records already, add the others with `AAAA,A`',
  },
  bootstrapAddress: {
    parts: ['record'],
    default: '192.0.2.1',
    meaning: 'the address of each A record until the first update',
  },
  bootstrapAddressV6: {
    parts: ['record'],
    default: '100::',
    meaning: 'the same for AAAA records; the default is an address where nothing is',
  },
  importRecordId: {
    parts: ['record'],
    default: '',
    meaning:
      'adopt this record instead of creating one; with several records a line `NAME TYPE ID` for each. Remove it after the next `pulumi up`',
  },
  importDatabaseId: {
    parts: ['worker'],
    default: '',
    meaning: 'adopt this database instead of creating one. Remove it after the next `pulumi up`',
  },
  databaseJurisdiction: {
    parts: ['worker'],
    default: '',
    meaning:
      'where the database keeps its data: `eu`, `us` or `fedramp`. Only a new database can have one, so set it before the first `pulumi up`',
  },
  tokenOwner: {
    parts: ['record'],
    default: 'user',
    meaning: 'who owns the DNS tokens: `user`, or `account`, which outlives a person',
  },
  tokenRotation: {
    parts: ['record'],
    default: firstTokenRotation,
    meaning: 'any text; change it to create a new token',
  },
  tokenExpiresOn: {
    parts: ['record'],
    default: '',
    meaning:
      "a time in the future, `2030-01-01T00:00:00Z`; a change keeps the token's value. The endpoint's token has the same",
  },
  tokenAllowedCidrs: {
    parts: ['record'],
    default: '',
    meaning:
      "ranges that may use the token, no wider than /8 (IPv6: /16); use it only if the client's address is static. Not for the endpoint's token",
  },
  pushOrigin: {
    parts: ['push'],
    default: null,
    meaning:
      '`https://push.example.com`: where routers send their address. A host in the same zone, different from every `hostname` and `publicOrigin`',
  },
  pushHosts: {
    parts: ['push'],
    default: null,
    secret: true,
    meaning:
      'a line for each name that a router keeps, as `npm run push -- add` writes it: `NAME TYPES HASH[,HASH]`. Each name and type is a record of the stack',
  },
  pushTokenRotation: {
    parts: ['push'],
    default: firstTokenRotation,
    meaning: 'any text; change it to create a new token for the endpoint',
  },
  publicOrigin: {
    parts: ['signIn'],
    default: null,
    meaning:
      '`https://people.example.com`. With `signIn: worker` a host in the same zone, different from `hostname`; with `signIn: host` one or several, including `hostname` itself',
  },
  redirectPath: {
    parts: ['signIn'],
    default: defaultRedirectPath,
    meaning: 'path of the redirect URI; with a `basePath`, by default below it',
  },
  displayName: { parts: ['signIn'], default: 'Homeport', meaning: 'name that people see when they consent' },
  ownerObjectIds: {
    parts: ['signIn'],
    default: '',
    meaning:
      'Object IDs of everybody who deploys. They own the registration. A deployer who is not listed becomes an owner too, with a warning',
  },
  secretRotationA: {
    parts: ['signIn'],
    default: null,
    meaning: 'the date on which the first of the two client secrets was created',
  },
  secretRotationB: {
    parts: ['signIn'],
    default: null,
    meaning: 'the same for the second. To rotate, give the older one today’s date',
  },
  secretLifetimeDays: { parts: ['signIn'], default: '180', meaning: 'lifetime of each client secret' },
  requireAssignment: {
    parts: ['signIn'],
    default: 'false',
    meaning: 'whether only assigned people may sign in',
  },
  repository: {
    parts: ['record'],
    default: '',
    meaning: '`owner/name` of the repository that receives the token',
  },
  environment: { parts: ['record'], default: 'dns', meaning: 'its environment that receives the token' },
  mintingApiToken: {
    parts: ['record'],
    default: null,
    secret: true,
    meaning: 'creates the DNS token, and is used for nothing else',
  },
  mintingTokenExpiresOn: {
    parts: ['record'],
    default: '',
    meaning:
      'the day on which `mintingApiToken` ends, `2027-05-31`, so that [drift](#drift) warns of it. `npm run bootstrap -- --check` compares it with the token',
  },
  deployTokenExpiresOn: {
    parts: ['record', 'worker'],
    default: '',
    meaning: 'the same for `CLOUDFLARE_API_TOKEN`',
  },
  readingTokenExpiresOn: {
    parts: ['record', 'worker'],
    default: '',
    meaning: 'the same for `CLOUDFLARE_READING_TOKEN`',
  },
  githubTokenExpiresOn: { parts: ['record'], default: '', meaning: 'the same for `HOMEPORT_GITHUB_TOKEN`' },
} as const satisfies Readonly<Record<string, Row>>

export type OwnKey = keyof typeof ownKeys
