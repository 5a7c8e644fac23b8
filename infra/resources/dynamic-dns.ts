import * as cloudflare from '@pulumi/cloudflare'
import * as pulumi from '@pulumi/pulumi'
import type { StackSettings } from '../settings/stack-settings.ts'
import { type CloudflareAccess, ownedByOthers, recordArguments } from '../stack-facts.ts'
import { refuseSecondRecord } from './existing-record.ts'
import { dnsWrite, requireDnsWrite, tokenArguments } from './token-policy.ts'

export interface DynamicDnsArgs {
  readonly settings: StackSettings
  /** Name of the token at the service. No other token may have it. A change keeps the token's value. */
  readonly tokenName: string
  /** May create tokens, and is used for nothing else. */
  readonly minting: cloudflare.Provider
  readonly cloudflareAccess: CloudflareAccess
}

/**
 * The A record and the token that may change it. Two owners share the record: this program owns that it exists, its
 * type, name, ttl and that it is not proxied; the holder of the token owns its content.
 */
export class DynamicDns extends pulumi.ComponentResource {
  readonly recordId: pulumi.Output<string>
  /** Secret. */
  readonly token: pulumi.Output<string>
  readonly tokenId: pulumi.Output<string>
  readonly tokenUrn: pulumi.Output<string>

  constructor(name: string, args: DynamicDnsArgs, options?: pulumi.ComponentResourceOptions) {
    super('homeport:infra:DynamicDns', name, {}, options)
    const { settings, cloudflareAccess } = args
    const { zoneId, importRecordId } = settings
    // Previews run it too. It runs neither for an import nor for a record that the state has.
    const onlyRecord = new pulumi.ResourceHook(
      'only-record',
      () => refuseSecondRecord(settings, cloudflareAccess),
      { onDryRun: true },
    )

    const record = new cloudflare.DnsRecord(`${name}-record`, recordArguments(settings), {
      parent: this,
      protect: true,
      // Not enough alone: an update sends these fields as the state has them. `refresh: always` in Pulumi.yaml updates the
      // state first.
      ignoreChanges: [...ownedByOthers],
      deleteBeforeReplace: true,
      hooks: { beforeCreate: [onlyRecord] },
      ...(importRecordId === null ? {} : { import: `${zoneId}/${importRecordId}` }),
    })
    const token = this.#createToken(name, args)

    this.recordId = record.id
    this.token = pulumi.secret(token.value)
    this.tokenId = token.id
    this.tokenUrn = token.urn
    this.registerOutputs({ recordId: this.recordId, tokenId: this.tokenId, tokenUrn: this.tokenUrn })
  }

  #createToken(
    name: string,
    { settings, tokenName, minting }: DynamicDnsArgs,
  ): cloudflare.ApiToken | cloudflare.AccountToken {
    const { accountId } = settings
    const { owner, rotation } = settings.token
    const asked = { name: dnsWrite.name, scope: dnsWrite.scope }
    const invokeOptions = { parent: this, provider: minting }
    const groups =
      owner === 'account'
        ? cloudflare.getAccountApiTokenPermissionGroupsListOutput({ accountId, ...asked }, invokeOptions)
        : cloudflare.getApiTokenPermissionGroupsListOutput(asked, invokeOptions)
    const shape = tokenArguments(
      tokenName,
      settings,
      groups.apply(({ results }) => requireDnsWrite(results)),
    )
    // The new token comes first, so that a run in progress can finish. Never add deleteBeforeReplace.
    const options = { parent: this, provider: minting, replacementTrigger: rotation }
    return owner === 'account'
      ? new cloudflare.AccountToken(`${name}-token`, { accountId, ...shape }, options)
      : new cloudflare.ApiToken(`${name}-token`, shape, options)
  }
}
