/** The part of @pulumi/policy used here. Its own declarations import two names that its files do not export. */
interface PolicyResourceOptions {
  readonly protect: boolean
  readonly ignoreChanges: readonly string[]
  readonly deleteBeforeReplace?: boolean
  readonly additionalSecretOutputs: readonly string[]
}

export interface ResourceValidationArgs {
  readonly type: string
  readonly name: string
  readonly urn: string
  readonly props: Readonly<Record<string, unknown>>
  readonly opts: PolicyResourceOptions
  readonly provider?: { readonly name: string }
}

export type PolicyResource = ResourceValidationArgs

interface Policy {
  readonly name: string
  readonly description: string
  validateResource?(args: ResourceValidationArgs, report: (message: string) => void): void
  validateStack?(
    args: { readonly resources: readonly PolicyResource[] },
    report: (message: string, urn?: string) => void,
  ): void
}

export declare class PolicyPack {
  constructor(
    name: string,
    args: { readonly enforcementLevel: 'mandatory'; readonly policies: readonly Policy[] },
  )
}
