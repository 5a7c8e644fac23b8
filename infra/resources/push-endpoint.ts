import * as cloudflare from '@pulumi/cloudflare'
import * as pulumi from '@pulumi/pulumi'
import { logicalNames } from '../resource-names.ts'
import { defaultAccess } from './cloudflare-access.ts'
import { createDnsToken, type DnsTokenArgs } from './dns-token.ts'
import { pushBindings } from './push-bindings.ts'
import { declareDomain, declareScript, type WorkerArgs } from './worker-script.ts'

export interface PushEndpointArgs extends DnsTokenArgs, WorkerArgs {
  /** Where routers send their address, such as push.example.com. */
  readonly host: string
  /** Secret: a line `NAME TYPES HASH[,HASH]` for each name. */
  readonly hosts: pulumi.Output<string>
  /** Whether the state has a cron trigger of this Worker, which was also the clock once. The provider's delete sends nothing. */
  readonly hadTrigger: boolean
}

/** The push endpoint as a Worker on its own host, with a token that nothing else has. */
export class PushEndpoint extends pulumi.ComponentResource {
  constructor(name: string, args: PushEndpointArgs, options?: pulumi.ComponentResourceOptions) {
    super('homeport:infra:PushEndpoint', name, {}, options)
    const { accountId, zoneId, host, hosts, hadTrigger } = args
    const names = logicalNames(name)
    const bindings = pushBindings<pulumi.Input<string>>(zoneId, defaultAccess().baseUrl, {
      apiToken: pulumi.secret(createDnsToken(names.token, this, args).value),
      hosts: pulumi.secret(hosts),
    })
    const { scriptName } = declareScript(name, this, args, bindings)
    declareDomain(name, this, scriptName, { accountId, zoneId, hostname: host })
    if (hadTrigger) {
      const trigger = { accountId, scriptName, schedules: [] }
      new cloudflare.WorkersCronTrigger(names.trigger, trigger, { parent: this })
    }
    this.registerOutputs()
  }
}
