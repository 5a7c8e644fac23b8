/** Facts about the stack that its resources, its policies and the commands that look at it share. */

/** Types of resources, as the engine spells them. */
export const types = {
  record: 'cloudflare:index/dnsRecord:DnsRecord',
  accountToken: 'cloudflare:index/accountToken:AccountToken',
  userToken: 'cloudflare:index/apiToken:ApiToken',
  database: 'cloudflare:index/d1Database:D1Database',
  script: 'cloudflare:index/workersScript:WorkersScript',
  domain: 'cloudflare:index/workersCustomDomain:WorkersCustomDomain',
  trigger: 'cloudflare:index/workersCronTrigger:WorkersCronTrigger',
  application: 'azuread:index/application:Application',
  principal: 'azuread:index/servicePrincipal:ServicePrincipal',
  password: 'azuread:index/applicationPassword:ApplicationPassword',
  environmentSecret: 'github:index/actionsEnvironmentSecret:ActionsEnvironmentSecret',
  environmentVariable: 'github:index/actionsEnvironmentVariable:ActionsEnvironmentVariable',
} as const

export const tokenTypes: readonly string[] = [types.accountToken, types.userToken]

/**
 * Returns the name of a stack's resources in places that it shares with other stacks: its token, and its Worker and
 * database when they are created.
 */
export function serviceNameOf(stack: string): string {
  return `homeport-${stack}`
}

/** Returns the name of the endpoint's Worker and of its token. */
export function pushNameOf(stack: string): string {
  return `${serviceNameOf(stack)}-push`
}

/** Returns the name of the clock's Worker. */
export function clockNameOf(stack: string): string {
  return `${serviceNameOf(stack)}-clock`
}

/** Logical name of the push endpoint's component. */
export const pushComponent = 'push'

/** Logical names of what the endpoint has. Other parts have resources of the same types. */
export const pushNames = {
  token: `${pushComponent}-token`,
  script: `${pushComponent}-worker`,
  domain: `${pushComponent}-domain`,
  /** Of an endpoint that was the clock, too. It stays declared, without a schedule. */
  trigger: `${pushComponent}-trigger`,
} as const

/** Logical name of the clock's component, and those of what it has. */
export const clockComponent = 'clock'
export const clockNames = {
  script: `${clockComponent}-worker`,
  trigger: `${clockComponent}-trigger`,
} as const

/** When the clock starts its workflow: every five minutes, in two notations. See `workflow-clock.ts`. */
export const clockCrons = ['*/5 * * * *', '0,5,10,15,20,25,30,35,40,45,50,55 * * * *'] as const

/** The value of `tokenRotation` before any rotation. Any other adds to the token's logical name. */
export const firstTokenRotation = 'first'

/** Whether a logical name is this one, or that of a token that was rotated. */
export const isNamed = (name: string, wanted: string): boolean =>
  name === wanted || (wanted.endsWith('-token') && name.startsWith(`${wanted}-`))

/** Whether a resource belongs to the push endpoint, by its logical name. */
export const isOfPush = (name: string): boolean => Object.values(pushNames).some(own => isNamed(name, own))

/** Whether a resource belongs to the clock. */
export const isOfClock = (name: string): boolean => Object.values<string>(clockNames).includes(name)

/**
 * The inputs that a resource keeps as they were when it was created: names, although `pulumi stack rename` changes them, since
 * a new name would be another resource, and what the service takes only from a new one.
 */
export const keptInputs = { database: ['name', 'jurisdiction'], script: ['scriptName'] } as const

/** The record's TTL in seconds, as Cloudflare recommends for an address that changes. */
const recordTtl = 120

/** Fields of the record with another owner: the holder of the token changes the content, people the comment and the tags. */
export const ownedByOthers = ['content', 'comment', 'tags'] as const

/** The address of each new record until the first update: documentation (RFC 5737), and discard-only (RFC 6666). */
export const bootstrapAddresses = { A: '192.0.2.1', AAAA: '100::' } as const

/** A record to declare. */
export interface DeclaredRecord {
  readonly name: string
  readonly type: 'A' | 'AAAA'
}

/** Returns what the program declares of a record. */
export function recordArguments(zoneId: string, { name, type }: DeclaredRecord) {
  return { zoneId, name, type, content: bootstrapAddresses[type], ttl: recordTtl, proxied: false }
}

/**
 * Returns the logical name of a record. The first keeps the name that it has as the only one.
 * @param component name of the component that declares it
 */
export function recordNameOf(component: string, { name, type }: DeclaredRecord, index: number): string {
  return index === 0 ? `${component}-record` : `${component}-record-${name}-${type.toLowerCase()}`
}

/** Returns the logical name of a client secret. */
export const clientSecretName = (slot: 'a' | 'b'): string => `sign-in-secret-${slot}`

/** Microsoft Graph, the only permission that the stack requests, and those that CI needs to deploy and to compare it. */
export const graph = {
  appId: '00000003-0000-0000-c000-000000000000',
  /** Delegated User.Read: a user's own profile. */
  userRead: 'e1fe6dd8-ba31-4d61-89e7-88639da4683d',
  /** The application permission Application.ReadWrite.OwnedBy. */
  readWriteOwnedBy: '18a4783c-866b-4cc7-a460-3d5e5662c884',
  /** The application permission Application.Read.All. */
  readAll: '9a5d68dd-52b0-4cc2-bd40-abcf44ac3a30',
} as const

/** Names in GitHub that the scheduled workflow reads. */
export const handedOver = {
  token: 'CLOUDFLARE_DNS_TOKEN',
  zoneId: 'HOMEPORT_ZONE_ID',
  hostname: 'HOMEPORT_HOSTNAME',
  recordType: 'HOMEPORT_RECORD_TYPE',
} as const

/** Base URL of Cloudflare's API, unless the stack or the environment has another. */
export const cloudflareUrl = 'https://api.cloudflare.com/client/v4'
