import * as github from '@pulumi/github'
import * as pulumi from '@pulumi/pulumi'
import { handedOver, handedOverVariables, variableNameOf } from '../settings/handed-over.ts'
import type { HandOver, RecordSettings } from '../settings/stack-settings.ts'
import type { SecretField } from './handed-over-field.ts'

export interface RepositoryArgs {
  readonly target: HandOver
  /** 32 hex digits. */
  readonly zoneId: string
  readonly record: RecordSettings
  readonly token: pulumi.Output<string>
  /** The field of the secret that gets the token: see `handedOverField`. */
  readonly field: SecretField
}

/**
 * The token, and its zone, hostnames and types of records, in an environment of a repository. The environment must exist: creating one
 * requires administration of the repository, a permission that this program does not need.
 */
export class Repository extends pulumi.ComponentResource {
  constructor(name: string, args: RepositoryArgs, options?: pulumi.ComponentResourceOptions) {
    super('homeport:infra:Repository', name, {}, options)
    const { owner, repository, environment } = args.target
    // An explicit provider, because it sets the owner. It does not inherit the stack's settings for GitHub, so they are passed on.
    const config = new pulumi.Config('github')
    const baseUrl = config.get('baseUrl')
    const token = config.getSecret('token')
    const provider = new github.Provider(
      `${name}-provider`,
      { owner, ...(baseUrl ? { baseUrl } : {}), ...(token ? { token } : {}) },
      {
        parent: this,
        // The SDK would declare GITHUB_TOKEN: the state would have it in plain text, and later runs would use it instead of their
        // own. Without it, the plugin reads the variable of its run.
        transformations: token
          ? []
          : [({ props, opts }) => ({ props: { ...props, token: undefined }, opts })],
      },
    )
    const place = { repository, environment }
    const resourceOptions = { parent: this, provider }
    new github.ActionsEnvironmentSecret(
      `${name}-token`,
      {
        ...place,
        secretName: handedOver.token,
        [args.field]: pulumi.secret(args.token),
      },
      resourceOptions,
    )
    for (const [variableName, value] of Object.entries(handedOverVariables(args.zoneId, args.record))) {
      new github.ActionsEnvironmentVariable(
        variableNameOf(name, variableName),
        { ...place, variableName, value },
        resourceOptions,
      )
    }
    this.registerOutputs()
  }
}
