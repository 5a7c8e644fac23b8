import * as cloudflare from '@pulumi/cloudflare'
import * as pulumi from '@pulumi/pulumi'
import {
  type CloudflareAccess,
  type DeclaredRecord,
  ownedByOthers,
  recordArguments,
  recordNameOf,
} from '../stack-facts.ts'
import { refuseSecondRecord } from './existing-record.ts'
import { dnsWrite, requireDnsWrite, type TokenLimits, tokenArguments } from './token-policy.ts'

/** A record to declare, or to adopt. */
export interface DynamicRecord extends DeclaredRecord {
  /** The record to adopt, 32 hex digits; null to create one. */
  readonly importId: string | null
}

export interface DynamicDnsArgs {
  /** 32 hex digits. */
  readonly zoneId: string
  /** Keep the first one first: its logical name does not contain its hostname. */
  readonly records: readonly [DynamicRecord, ...DynamicRecord[]]
  /** The account that owns the token, 32 hex digits; null for a token of the user who creates it. */
  readonly tokenAccountId: string | null
  /** Name of the token at the service. No other token may have it. A change keeps the token's value. */
  readonly tokenName: string
  /** Any text. Another one creates a new token. */
  readonly tokenRotation: string
  readonly tokenLimits: TokenLimits
  /** May create tokens, and is used for nothing else. */
  readonly minting: cloudflare.Provider
  /** How to look for records that exist already. */
  readonly cloudflareAccess: CloudflareAccess
}

/**
 * Address records and the token that may change them. Two owners share each record: this program owns that it exists, its
 * type, name, ttl and that it is not proxied; the holder of the token owns its content.
 */
export class DynamicDns extends pulumi.ComponentResource {
  /** Of the first record. */
  readonly recordId: pulumi.Output<string>
  /** By `NAME TYPE`. */
  readonly recordIds: pulumi.Output<Readonly<Record<string, string>>>
  /** Secret. */
  readonly token: pulumi.Output<string>
  readonly tokenId: pulumi.Output<string>
  readonly tokenUrn: pulumi.Output<string>

  constructor(name: string, args: DynamicDnsArgs, options?: pulumi.ComponentResourceOptions) {
    super('homeport:infra:DynamicDns', name, {}, options)
    const [first, ...others] = args.records
    const record = this.#declareRecord(name, args, first, 0)
    const rest = others.map((one, index) => this.#declareRecord(name, args, one, index + 1))
    const token = this.#createToken(name, args)

    this.recordId = record.id
    this.recordIds = pulumi
      .all([record, ...rest].map(({ id }) => id))
      .apply(ids =>
        Object.fromEntries(args.records.map((one, index) => [`${one.name} ${one.type}`, ids[index] ?? ''])),
      )
    this.token = pulumi.secret(token.value)
    this.tokenId = token.id
    this.tokenUrn = token.urn
    this.registerOutputs({ recordId: this.recordId, tokenId: this.tokenId, tokenUrn: this.tokenUrn })
  }

  #declareRecord(
    name: string,
    { zoneId, records, cloudflareAccess }: DynamicDnsArgs,
    record: DynamicRecord,
    index: number,
  ): cloudflare.DnsRecord {
    const logicalName = recordNameOf(name, record, index)
    // Previews run it too. It runs neither for an import nor for a record that the state has.
    const onlyRecord = new pulumi.ResourceHook(
      index === 0 ? 'only-record' : `only-${logicalName}`,
      () => refuseSecondRecord(zoneId, record, records.length === 1, cloudflareAccess),
      { onDryRun: true },
    )
    return new cloudflare.DnsRecord(logicalName, recordArguments(zoneId, record), {
      parent: this,
      protect: true,
      // Not enough alone: an update sends these fields as the state has them. `refresh: always` in Pulumi.yaml updates the
      // state first.
      ignoreChanges: [...ownedByOthers],
      deleteBeforeReplace: true,
      hooks: { beforeCreate: [onlyRecord] },
      ...(record.importId === null ? {} : { import: `${zoneId}/${record.importId}` }),
    })
  }

  #createToken(
    name: string,
    { zoneId, tokenAccountId, tokenName, tokenRotation, tokenLimits, minting }: DynamicDnsArgs,
  ): cloudflare.ApiToken | cloudflare.AccountToken {
    const asked = { name: dnsWrite.name, scope: dnsWrite.scope }
    const invokeOptions = { parent: this, provider: minting }
    const groups =
      tokenAccountId === null
        ? cloudflare.getApiTokenPermissionGroupsListOutput(asked, invokeOptions)
        : cloudflare.getAccountApiTokenPermissionGroupsListOutput(
            { accountId: tokenAccountId, ...asked },
            invokeOptions,
          )
    const groupId = groups.apply(({ results }) => requireDnsWrite(results))
    const shape = tokenArguments(tokenName, zoneId, tokenLimits, groupId)
    // The new token comes first, so that a run in progress can finish. Never add deleteBeforeReplace.
    const options = { parent: this, provider: minting, replacementTrigger: tokenRotation }
    return tokenAccountId === null
      ? new cloudflare.ApiToken(`${name}-token`, shape, options)
      : new cloudflare.AccountToken(`${name}-token`, { accountId: tokenAccountId, ...shape }, options)
  }
}
