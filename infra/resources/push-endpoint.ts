import * as cloudflare from '@pulumi/cloudflare'
import * as pulumi from '@pulumi/pulumi'
import type { PushSettings } from '../settings/stack-settings.ts'
import { defaultAccess } from './cloudflare-access.ts'
import { createDnsToken, type DnsTokenArgs } from './dns-token.ts'
import { pushBindings } from './push-bindings.ts'
import type { WorkerBundle } from './worker-bundle.ts'
import { declareWorker } from './worker-script.ts'

export interface PushEndpointArgs extends DnsTokenArgs {
  readonly settings: PushSettings
  /** Name of a new script, unique in the account. */
  readonly serviceName: string
  readonly bundle: WorkerBundle
  /** Secret: a line `NAME TYPES HASH[,HASH]` for each name. */
  readonly hosts: pulumi.Output<string>
  /** Secret: the token for the workflow that it starts. */
  readonly clockToken: pulumi.Output<string> | null
}

const everyFiveMinutes = '*/5 * * * *'

/** The push endpoint as a Worker on its own host, with a token that nothing else has. */
export class PushEndpoint extends pulumi.ComponentResource {
  constructor(name: string, args: PushEndpointArgs, options?: pulumi.ComponentResourceOptions) {
    super('homeport:infra:PushEndpoint', name, {}, options)
    const { settings, serviceName, bundle, hosts, clockToken } = args
    const { accountId, clock } = settings
    const token = createDnsToken(`${name}-token`, this, args)
    const scriptName = declareWorker(name, this, {
      ...settings,
      scriptName: serviceName,
      bundle,
      bindings: pushBindings<pulumi.Input<string>>(settings.zoneId, defaultAccess().baseUrl, {
        apiToken: pulumi.secret(token.value),
        hosts: pulumi.secret(hosts),
        clock: clockToken && { workflow: clock ?? '', token: pulumi.secret(clockToken) },
      }),
    })
    if (clock) {
      const schedules = [{ cron: everyFiveMinutes }]
      new cloudflare.WorkersCronTrigger(
        `${name}-trigger`,
        { accountId, scriptName, schedules },
        { parent: this },
      )
    }
    this.registerOutputs()
  }
}
