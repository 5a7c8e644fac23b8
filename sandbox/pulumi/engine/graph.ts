import type { Json, Properties } from '../properties.ts'

/** What a program says about a resource besides its inputs. Options that it does not set are left out. */
export interface ResourceOptions {
  readonly protect?: boolean
  readonly deleteBeforeReplace?: boolean
  readonly retainOnDelete?: boolean
  readonly ignoreChanges?: readonly string[]
  readonly replaceOnChanges?: readonly string[]
  readonly additionalSecretOutputs?: readonly string[]
  readonly aliases?: number
  /** Id of the existing resource to adopt. */
  readonly import?: string
  readonly replacementTrigger?: Json
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
  /** URN; empty for the stack. */
  readonly parent: string
  /** URN of the explicit provider; empty for the default one. */
  readonly provider: string
  readonly inputs: Properties
  readonly secretInputs: readonly string[]
  /** URNs, sorted. */
  readonly dependencies: readonly string[]
  /** For each input, the URNs that its value comes from. */
  readonly propertyDependencies: Readonly<Record<string, readonly string[]>>
  readonly options: ResourceOptions
}

/** A function of a provider that the program called. */
export interface GraphInvoke {
  readonly token: string
  readonly args: Properties
  readonly provider: string
}

/** Everything a program declared, in order of arrival. */
export interface Graph {
  readonly resources: readonly GraphResource[]
  readonly invokes: readonly GraphInvoke[]
}

/** The provider instance that serves a request. */
export interface ProviderContext {
  /** Inputs of the explicit provider; empty for the default one. */
  readonly configuration: Properties
}

/** A resource that a provider has created. The outputs hold every property that the service reports, inputs included. */
export interface Created {
  readonly id: string
  readonly outputs: Properties
}

/** Creates resources and answers invokes, either with canned values or by calling a service. */
export interface ResourceProvider {
  /** Creates a resource. A rejection fails the program as a failed creation would. */
  create(type: string, inputs: Properties, context: ProviderContext): Promise<Created>
  invoke(token: string, args: Properties, context: ProviderContext): Promise<Properties>
}
