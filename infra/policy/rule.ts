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
  /** Null for every type. */
  readonly types: readonly string[] | null
  check(resource: Declared): readonly string[]
}

/** Returns whether a rule is about a resource. */
export const concerns = ({ types }: Pick<ResourceRule, 'types'>, type: string): boolean =>
  types === null || types.includes(type)

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
