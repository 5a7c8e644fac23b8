import * as cloudflare from '@pulumi/cloudflare'
import * as pulumi from '@pulumi/pulumi'
import { recordTtl } from './record.ts'
import type { Settings } from './settings.ts'
import { dnsWrite, policyForZone, requireDnsWrite } from './token-policy.ts'

export interface DynamicDnsArgs {
  readonly settings: Settings
  /** What the token is called at the service; nobody else's token may have this name. */
  readonly tokenName: string
  /** May mint tokens and is used for nothing but that. */
  readonly minting: cloudflare.Provider
}

/**
 * The A record and the token that may change it. Two owners share the record: this program owns that it exists, its
 * type, name, ttl and that nothing stands in front; whoever holds the token owns its content.
 */
export class DynamicDns extends pulumi.ComponentResource {
  readonly recordId: pulumi.Output<string>
  /** Secret. */
  readonly token: pulumi.Output<string>
  readonly tokenUrn: pulumi.Output<string>

  constructor(name: string, args: DynamicDnsArgs, options?: pulumi.ComponentResourceOptions) {
    super('homeport:infra:DynamicDns', name, {}, options)
    const { zoneId, hostname, bootstrapAddress, importRecordId } = args.settings

    const record = new cloudflare.DnsRecord(
      `${name}-record`,
      // These and no others: whoever writes the content replaces the record by these five fields, so that a comment or
      // a tag declared here would come and go.
      { zoneId, name: hostname, type: 'A', content: bootstrapAddress, ttl: recordTtl, proxied: false },
      {
        parent: this,
        protect: true,
        // Not enough by itself: an update sends the content of the state. `refresh: always` in Pulumi.yaml has the
        // state follow the live address first.
        ignoreChanges: ['content'],
        deleteBeforeReplace: true,
        ...(importRecordId === null ? {} : { import: `${zoneId}/${importRecordId}` }),
      },
    )
    const token = this.#mint(name, args)

    this.recordId = record.id
    this.token = pulumi.secret(token.value)
    this.tokenUrn = token.urn
    this.registerOutputs({ recordId: this.recordId, tokenUrn: this.tokenUrn })
  }

  #mint(
    name: string,
    { settings, tokenName, minting }: DynamicDnsArgs,
  ): cloudflare.ApiToken | cloudflare.AccountToken {
    const { zoneId, accountId } = settings
    const { owner, rotation, expiresOn, allowedCidrs } = settings.token
    const asked = { name: dnsWrite.name, scope: dnsWrite.scope }
    const invokeOptions = { parent: this, provider: minting }
    const groups =
      owner === 'account'
        ? cloudflare.getAccountApiTokenPermissionGroupsListOutput({ accountId, ...asked }, invokeOptions)
        : cloudflare.getApiTokenPermissionGroupsListOutput(asked, invokeOptions)
    const shape = {
      name: tokenName,
      policies: [
        policyForZone(
          zoneId,
          groups.apply(({ results }) => requireDnsWrite(results)),
        ),
      ],
      ...(expiresOn === null ? {} : { expiresOn }),
      ...(allowedCidrs.length === 0 ? {} : { condition: { requestIp: { ins: [...allowedCidrs] } } }),
    }
    // A new token before the old one goes, so that whoever is at work can end; never deleteBeforeReplace here.
    const options = { parent: this, provider: minting, replacementTrigger: rotation }
    return owner === 'account'
      ? new cloudflare.AccountToken(`${name}-token`, { accountId, ...shape }, options)
      : new cloudflare.ApiToken(`${name}-token`, shape, options)
  }
}
