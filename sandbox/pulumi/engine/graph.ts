import type { Properties } from '../properties.ts'

/** The options of a resource. Those that the program does not set are omitted. */
export interface ResourceOptions {
  readonly protect?: boolean
  readonly deleteBeforeReplace?: boolean
  readonly ignoreChanges?: readonly string[]
  readonly replaceOnChanges?: readonly string[]
  readonly additionalSecretOutputs?: readonly string[]
  readonly aliases?: number
  /** The names of the hooks to run before the resource is created. */
  readonly beforeCreate?: readonly string[]
  /** The id of the existing resource to adopt. */
  readonly import?: string
  readonly customTimeouts?: { readonly create: string; readonly update: string; readonly delete: string }
}

/** One resource as the program registered it. */
export interface GraphResource {
  readonly urn: string
  /** Such as `cloudflare:index/dnsRecord:DnsRecord`. */
  readonly type: string
  readonly name: string
  /** False for components, which exist only in the program. */
  readonly custom: boolean
  /** A URN. Empty for the stack. */
  readonly parent: string
  /** The URN of the explicit provider. Empty for the default provider. */
  readonly provider: string
  readonly inputs: Properties
  readonly secretInputs: readonly string[]
  /** Sorted URNs. */
  readonly dependencies: readonly string[]
  /** The URNs that the value of each input comes from. */
  readonly propertyDependencies: Readonly<Record<string, readonly string[]>>
  readonly options: ResourceOptions
}

/** A function of a provider that the program called. */
export interface GraphInvoke {
  readonly token: string
  readonly args: Properties
  readonly provider: string
}

/** Everything that a program declared, in order of arrival. */
export interface Graph {
  readonly resources: readonly GraphResource[]
  readonly invokes: readonly GraphInvoke[]
}

/** A resource that a provider created. Its outputs are all properties that the service returns, inputs included. */
export interface Created {
  readonly id: string
  readonly outputs: Properties
}

/** Creates resources and answers invokes, without a service. */
export interface ResourceProvider {
  /** Creates a resource. A rejection makes the program fail. */
  create(type: string, inputs: Properties): Promise<Created>
  invoke(token: string, args: Properties): Promise<Properties>
}
