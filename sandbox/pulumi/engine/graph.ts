/** Any value that JSON can hold. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

export interface JsonObject {
  readonly [key: string]: Json
}

/** What stands where a value is not known before it is made. */
export const unknownValue = '[unknown]'

/** A value as a program handed it over: plain, with the places that it marked as secret. */
export interface Marked<T extends Json = Json> {
  readonly value: T
  /** Such as `bindings[3].text`; the empty path is the value itself. */
  readonly secretPaths: readonly string[]
}

/** What a program says of a resource besides its inputs; what it did not say is left out. */
export interface ResourceOptions {
  readonly protect?: boolean
  readonly deleteBeforeReplace?: boolean
  readonly retainOnDelete?: boolean
  readonly ignoreChanges?: readonly string[]
  readonly replaceOnChanges?: readonly string[]
  readonly additionalSecretOutputs?: readonly string[]
  readonly aliases?: number
  /** Id of an existing thing to adopt. */
  readonly import?: string
  readonly replacementTrigger?: Json
  readonly customTimeouts?: { readonly create: string; readonly update: string; readonly delete: string }
}

/** One resource, as the program registered it. */
export interface GraphResource {
  readonly urn: string
  /** Such as `cloudflare:index/dnsRecord:DnsRecord`. */
  readonly type: string
  readonly name: string
  /** False for components, which exist in the program alone. */
  readonly custom: boolean
  /** URN; empty for the stack. */
  readonly parent: string
  /** URN of the provider that was named, or empty for the default one. */
  readonly provider: string
  readonly inputs: JsonObject
  readonly secretInputs: readonly string[]
  /** URNs, sorted. */
  readonly dependencies: readonly string[]
  /** URNs that a single input comes from. */
  readonly propertyDependencies: Readonly<Record<string, readonly string[]>>
  readonly options: ResourceOptions
}

/** A question the program asked a provider. */
export interface GraphInvoke {
  readonly token: string
  readonly args: JsonObject
  readonly provider: string
}

/** Everything a program declared, in the order in which it came. */
export interface Graph {
  readonly resources: readonly GraphResource[]
  readonly invokes: readonly GraphInvoke[]
}

/** What a provider is told of its own configuration, of the instance that serves a request. */
export interface ProviderContext {
  /** Inputs of the named provider; empty for the default one. */
  readonly configuration: JsonObject
}

/** Makes resources and answers questions: canned, or by calling a service. Inputs and outputs are objects. */
export interface ResourceProvider {
  /**
   * Makes a resource of this type. Outputs hold every property that the service knows of it, the inputs among them.
   * A rejection ends the program as a failed creation would.
   */
  create(type: string, inputs: Json, context: ProviderContext): Promise<{ id: string; outputs: Json }>
  invoke(token: string, args: Json, context: ProviderContext): Promise<Json>
}

/** A value as an object of properties; one without any when it is none. */
export const asObject = (value: Json): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {}
