import * as github from '@pulumi/github'
import * as pulumi from '@pulumi/pulumi'
import type { Settings } from './settings.ts'

/** What the scheduled workflow reads, by these names. */
export const handedOver = {
  token: 'CLOUDFLARE_DNS_TOKEN',
  zoneId: 'HOMEPORT_ZONE_ID',
  hostname: 'HOMEPORT_HOSTNAME',
} as const

export interface RepositoryArgs {
  readonly target: NonNullable<Settings['handOver']>
  readonly zoneId: string
  readonly hostname: string
  readonly token: pulumi.Output<string>
}

/**
 * The token in a repository's environment, and the names it is used with. The environment has to exist: making one
 * takes administration of the repository, which is more than this needs.
 */
export class Repository extends pulumi.ComponentResource {
  constructor(name: string, args: RepositoryArgs, options?: pulumi.ComponentResourceOptions) {
    super('homeport:infra:Repository', name, {}, options)
    const { owner, repository, environment } = args.target
    // The owner has to be told, which makes it a provider of our own: the stack's settings for GitHub are handed on. So
    // is a credential of the run's environment: left to itself the SDK takes it from there without marking it, and the
    // state would hold it in clear; what is handed over it marks as secret.
    const config = new pulumi.Config('github')
    const baseUrl = config.get('baseUrl')
    const token = config.getSecret('token') ?? process.env['GITHUB_TOKEN']
    const provider = new github.Provider(
      `${name}-provider`,
      { owner, ...(baseUrl ? { baseUrl } : {}), ...(token ? { token } : {}) },
      { parent: this },
    )
    const place = { repository, environment }
    const own = { parent: this, provider }
    new github.ActionsEnvironmentSecret(
      `${name}-token`,
      { ...place, secretName: handedOver.token, value: pulumi.secret(args.token) },
      own,
    )
    const variables = { [handedOver.zoneId]: args.zoneId, [handedOver.hostname]: args.hostname }
    for (const [variableName, value] of Object.entries(variables)) {
      const logical = variableName.toLowerCase().replaceAll('_', '-')
      new github.ActionsEnvironmentVariable(`${name}-${logical}`, { ...place, variableName, value }, own)
    }
    this.registerOutputs()
  }
}
