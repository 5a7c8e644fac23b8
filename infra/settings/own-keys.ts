import { defaultRedirectPath } from '../../src/settings/redirect-uri.ts'

interface Row {
  /** What the key is if it is not set: null if that is refused, an empty string if the program does without it. */
  readonly default: string | null
  readonly secret?: true
  /** For docs/infrastructure.md, in Markdown. */
  readonly meaning: string
}

/** The keys of the program alone. The others become settings of the handler, in `src/settings/table.ts`. */
export const ownKeys = {
  zoneId: { default: null, meaning: "32 hex digits, from the zone's overview page" },
  accountId: {
    default: null,
    meaning: 'of the account that has the Worker: 32 hex digits, from the same page',
  },
  hostname: { default: null, meaning: 'the hostname whose address changes' },
  bootstrapAddress: { default: '192.0.2.1', meaning: 'its address until the first update' },
  importRecordId: {
    default: '',
    meaning: 'adopt this record instead of creating one. Remove it after the next `pulumi up`',
  },
  importDatabaseId: {
    default: '',
    meaning: 'adopt this database instead of creating one. Remove it after the next `pulumi up`',
  },
  tokenOwner: {
    default: 'user',
    meaning: 'who owns the DNS token: `user`, or `account`, which outlives a person',
  },
  tokenRotation: { default: 'first', meaning: 'any text; change it to create a new token' },
  tokenExpiresOn: {
    default: '',
    meaning: "a time in the future, `2030-01-01T00:00:00Z`; a change keeps the token's value",
  },
  tokenAllowedCidrs: {
    default: '',
    meaning:
      "ranges that may use the token, no wider than /8 (IPv6: /16); use it only if the client's address is static",
  },
  publicOrigin: {
    default: null,
    meaning: '`https://people.example.com`: a host in the same zone, different from `hostname`',
  },
  redirectPath: {
    default: defaultRedirectPath,
    meaning: 'path of the redirect URI; with a `basePath`, by default below it',
  },
  displayName: { default: 'Homeport', meaning: 'name that people see when they consent' },
  ownerObjectIds: {
    default: '',
    meaning:
      'Object IDs of everybody who deploys. They own the registration. A deployer who is not listed becomes an owner too, with a warning',
  },
  secretRotationA: {
    default: null,
    meaning: 'the date on which the first of the two client secrets was created',
  },
  secretRotationB: {
    default: null,
    meaning: 'the same for the second. To rotate, give the older one today’s date',
  },
  secretLifetimeDays: { default: '180', meaning: 'lifetime of each client secret' },
  requireAssignment: { default: 'false', meaning: 'whether only assigned people may sign in' },
  repository: { default: '', meaning: '`owner/name` of the repository that receives the token' },
  environment: { default: 'dns', meaning: 'its environment that receives the token' },
  mintingApiToken: {
    default: null,
    secret: true,
    meaning: 'creates the DNS token, and is used for nothing else',
  },
  mintingTokenExpiresOn: {
    default: '',
    meaning:
      'the day on which `mintingApiToken` ends, `2027-05-31`, so that [drift](#drift) warns of it. `npm run bootstrap -- --check` compares it with the token',
  },
  deployTokenExpiresOn: { default: '', meaning: 'the same for `CLOUDFLARE_API_TOKEN`' },
  readingTokenExpiresOn: { default: '', meaning: 'the same for `CLOUDFLARE_READING_TOKEN`' },
  githubTokenExpiresOn: { default: '', meaning: 'the same for `HOMEPORT_GITHUB_TOKEN`' },
} as const satisfies Readonly<Record<string, Row>>

export type OwnKey = keyof typeof ownKeys
