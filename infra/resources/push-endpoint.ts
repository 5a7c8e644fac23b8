import * as cloudflare from '@pulumi/cloudflare'
import * as pulumi from '@pulumi/pulumi'
import type { PushSettings } from '../settings/stack-settings.ts'
import { defaultAccess } from './cloudflare-access.ts'
import { createDnsToken, type DnsTokenArgs } from './dns-token.ts'
import { type ClockValues, clockBindings, pushBindings } from './push-bindings.ts'
import type { WorkerBundle } from './worker-bundle.ts'
import { declareDomain, declareScript } from './worker-script.ts'

export interface PushEndpointArgs {
  readonly accountId: string
  /** Name of a new script, unique in the account. */
  readonly serviceName: string
  readonly bundle: WorkerBundle
  /** Null if the Worker is the clock alone. */
  readonly endpoint: EndpointArgs | null
  /** Null if the Worker starts no workflow. The token is secret. */
  readonly clock: ClockValues<pulumi.Output<string>> | null
  /** What fires the Worker; null for no trigger. */
  readonly schedules: readonly string[] | null
}

/** What routers need. */
export interface EndpointArgs extends DnsTokenArgs {
  readonly settings: PushSettings
  /** Secret: a line `NAME TYPES HASH[,HASH]` for each name. */
  readonly hosts: pulumi.Output<string>
}

/** The push endpoint as a Worker on its own host, with a token that nothing else has, or the clock alone, without either. */
export class PushEndpoint extends pulumi.ComponentResource {
  constructor(
    name: string,
    { accountId, serviceName, bundle, endpoint, clock, schedules }: PushEndpointArgs,
    options?: pulumi.ComponentResourceOptions,
  ) {
    super('homeport:infra:PushEndpoint', name, {}, options)
    const values = clock && { ...clock, token: pulumi.secret(clock.token) }
    const bindings = endpoint
      ? pushBindings<pulumi.Input<string>>(endpoint.settings.zoneId, defaultAccess().baseUrl, {
          apiToken: pulumi.secret(createDnsToken(`${name}-token`, this, endpoint).value),
          hosts: pulumi.secret(endpoint.hosts),
          clock: values,
        })
      : values && clockBindings<pulumi.Input<string>>(values)
    const script = { accountId, scriptName: serviceName, bundle, bindings: bindings ?? [] }
    const { scriptName } = declareScript(name, this, script)
    if (endpoint) declareDomain(name, this, scriptName, endpoint.settings)
    if (schedules) {
      const args = { accountId, scriptName, schedules: schedules.map(cron => ({ cron })) }
      new cloudflare.WorkersCronTrigger(`${name}-trigger`, args, { parent: this })
    }
    this.registerOutputs()
  }
}
