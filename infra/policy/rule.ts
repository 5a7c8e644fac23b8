/** The part of a resource that rules see. A policy pack and a captured graph both provide it. */
export interface Declared {
  /** Such as `cloudflare:index/dnsRecord:DnsRecord`. */
  readonly type: string
  readonly name: string
  readonly props: Readonly<Record<string, unknown>>
  readonly options: {
    readonly protect: boolean
    readonly ignoreChanges: readonly string[]
    readonly deleteBeforeReplace: boolean
    readonly additionalSecretOutputs: readonly string[]
  }
  /** Name of the explicit provider; null for the default one. */
  readonly provider: string | null
}

/** A rule about a single resource, checked before it is created. Its messages continue the resource's name. */
export interface ResourceRule {
  readonly name: string
  readonly description: string
  readonly types: readonly string[]
  check(resource: Declared): readonly string[]
}

/** A rule about the whole stack. Each message comes with the resource to change. */
export interface StackRule {
  readonly name: string
  readonly description: string
  check(resources: readonly Declared[]): readonly Violation[]
}

export interface Violation {
  readonly resource: Declared
  readonly message: string
}

export const types = {
  record: 'cloudflare:index/dnsRecord:DnsRecord',
  accountToken: 'cloudflare:index/accountToken:AccountToken',
  userToken: 'cloudflare:index/apiToken:ApiToken',
  database: 'cloudflare:index/d1Database:D1Database',
  script: 'cloudflare:index/workersScript:WorkersScript',
  domain: 'cloudflare:index/workersCustomDomain:WorkersCustomDomain',
  application: 'azuread:index/application:Application',
  principal: 'azuread:index/servicePrincipal:ServicePrincipal',
  password: 'azuread:index/applicationPassword:ApplicationPassword',
  environmentSecret: 'github:index/actionsEnvironmentSecret:ActionsEnvironmentSecret',
  environmentVariable: 'github:index/actionsEnvironmentVariable:ActionsEnvironmentVariable',
} as const

/** Returns a property as a list, or an empty list if it is not one. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** Returns a property of an object, or undefined if the value is not an object. */
export function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}
