import type { readWorkerBundle, WorkerBundle } from '../resources/worker-bundle.ts'

/** The part of a resource that the rules see. A policy pack and a captured graph both provide it. */
export interface Declared {
  /** Such as `cloudflare:index/dnsRecord:DnsRecord`. */
  readonly type: string
  readonly name: string
  readonly props: Readonly<Record<string, unknown>>
  readonly options: {
    /** Logical name of the parent. */
    readonly parent: string
    /** Name of the provider, such as `default_6_22_1`; null for what has none. */
    readonly provider: string | null
    readonly protect: boolean
    readonly ignoreChanges: readonly string[]
    readonly deleteBeforeReplace: boolean
    readonly additionalSecretOutputs: readonly string[]
  }
  /** Logical names of the resources that the inputs come from. Null before the whole stack is judged. */
  readonly from: readonly string[] | null
}

/** The stack of a run. */
export interface Stack {
  readonly project: string
  readonly name: string
  /** By keys such as `homeport:hostname`, with the values of the secrets. */
  readonly config: ReadonlyMap<string, string>
  /** The environment of the run, which the providers read, too. */
  readonly env: NodeJS.ProcessEnv
  /** Returns a Worker that the tree of the program has built. */
  readonly readBundle: (name: Parameters<typeof readWorkerBundle>[1]) => WorkerBundle
}

/** A broken rule, as `dns-record has ttl = 1 instead of 120. …` */
export interface Violation {
  readonly rule: string
  readonly resource: Declared
  /** The rest of a sentence that starts with the resource's name. */
  readonly message: string
}
