/** What a rule sees of a resource: what the engine tells a policy pack, and what a captured graph holds. */
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
  /** Name of the provider that was named, or null for the default one. */
  readonly provider: string | null
}

/** One resource by itself: judged before it is made. The sentences name what was found and the cure. */
export interface ResourceRule {
  readonly name: string
  readonly description: string
  readonly types: readonly string[]
  check(resource: Declared): readonly string[]
}

/** What only the whole stack shows. Each sentence comes with the resource to blame. */
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
  script: 'cloudflare:index/workersScript:WorkersScript',
  domain: 'cloudflare:index/workersCustomDomain:WorkersCustomDomain',
  application: 'azuread:index/application:Application',
  password: 'azuread:index/applicationPassword:ApplicationPassword',
} as const

/** A property that ought to be a list; empty when it is something else. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** A property of something that ought to be an object; undefined when it is something else. */
export function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}
