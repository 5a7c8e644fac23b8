import * as cloudflare from '@pulumi/cloudflare'
import * as pulumi from '@pulumi/pulumi'
import { logicalNames, recordNameOf } from '../resource-names.ts'
import { defaultAccess } from './cloudflare-access.ts'
import { createDnsToken, type DnsTokenArgs } from './dns-token.ts'
import { checkCreation } from './existing-record.ts'
import { type DeclaredRecord, ownedByOthers, recordArguments } from './record-arguments.ts'

/** A record to declare, or to adopt. */
export interface DynamicRecord extends DeclaredRecord {
  /** The record to adopt, 32 hex digits. Without it, the record is created. */
  readonly importId?: string | null
}

export interface DynamicDnsArgs extends DnsTokenArgs {
  /** Keep the first one first: its logical name does not contain its hostname. */
  readonly records: readonly [DynamicRecord, ...DynamicRecord[]]
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
  readonly #records: readonly cloudflare.DnsRecord[]

  constructor(name: string, args: DynamicDnsArgs, options?: pulumi.ComponentResourceOptions) {
    super('homeport:infra:DynamicDns', name, {}, options)
    const [first, ...others] = args.records
    const record = this.#declareRecord(name, args, first, 0)
    const rest = others.map((one, index) => this.#declareRecord(name, args, one, index + 1))
    const token = createDnsToken(logicalNames(name).token, this, args)

    this.#records = [record, ...rest]
    this.recordId = record.id
    this.recordIds = pulumi
      .all(this.#records.map(({ id }) => id))
      .apply(ids =>
        Object.fromEntries(args.records.map((one, index) => [`${one.name} ${one.type}`, ids[index] ?? ''])),
      )
    this.token = pulumi.secret(token.value)
    this.tokenId = token.id
    this.tokenUrn = token.urn
    this.registerOutputs({ recordId: this.recordId, tokenId: this.tokenId, tokenUrn: this.tokenUrn })
  }

  /**
   * Resolves when every record is in the state, or in the preview, and rejects if one is refused. With `dependsOn` instead,
   * the CLI would refuse to take a record out of the state.
   */
  async whenDeclared(): Promise<void> {
    // No other public function waits for an output. A URN is also known in a preview.
    await Promise.all(this.#records.map(({ urn }) => pulumi.isSecret(urn)))
  }

  #declareRecord(
    name: string,
    { zoneId, records }: DynamicDnsArgs,
    record: DynamicRecord,
    index: number,
  ): cloudflare.DnsRecord {
    const logicalName = recordNameOf(name, record, index)
    const access = defaultAccess()
    // Previews run it too. It runs neither for an import nor for a record that the state has.
    const onlyRecord = new pulumi.ResourceHook(
      index === 0 ? 'only-record' : `only-${logicalName}`,
      () => checkCreation(zoneId, record, records.length === 1, access),
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
      ...(record.importId ? { import: `${zoneId}/${record.importId}` } : {}),
    })
  }
}
