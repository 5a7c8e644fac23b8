import type Cloudflare from 'cloudflare'
import type { Token as SdkToken } from 'cloudflare/resources/shared'
import type { PermissionGroupListResponse } from 'cloudflare/resources/user/tokens/permission-groups'
import { expectTypeOf, test } from 'vitest'
import type { accountView, userView } from '../../sandbox/cloudflare/accounts/resource.ts'
import type { DnsRecord, RecordDraft } from '../../sandbox/cloudflare/records/record.ts'
import type { PermissionGroup } from '../../sandbox/cloudflare/tokens/permission-groups.ts'
import type { tokenView } from '../../sandbox/cloudflare/tokens/resource.ts'
import type { zoneView } from '../../sandbox/cloudflare/zones/resource.ts'

// Responses must fit the types of the SDK, as checked by the compiler. Where the service differs from the types, the
// emulator follows the service. Each such deviation is listed with its reason, and a test proves that it still exists.

type Served = Cloudflare.DNS.RecordResponse

/** Fields of a record that deviate from the SDK. */
interface RecordDeviations {
  // Our one type covers all record types; the SDK has a type for each value of this field.
  type: string
  // A missing comment is null; the SDK expects a string or undefined.
  comment: string | null
  // Our list is read-only; the SDK's is mutable.
  tags: readonly string[]
  // The service also returns read_only, and tests add more; the SDK knows only shadows and glue.
  meta: Readonly<Record<string, unknown>>
  // Our one type covers the data of all record types.
  data?: Readonly<Record<string, string | number>>
}

/** A record as served, with the SDK's types for the fields that deviate. */
type Conceding<Type extends Served['type']> = Omit<DnsRecord, keyof RecordDeviations> & {
  type: Type
  comment?: string
  tags: string[]
  meta: Extract<Served, { type: Type }>['meta']
}

test('records fit the SDK except for the listed deviations', () => {
  expectTypeOf<Pick<DnsRecord, keyof RecordDeviations>>().toExtend<RecordDeviations>()
  expectTypeOf<DnsRecord>().not.toExtend<Served>()
  expectTypeOf<Conceding<'A'>>().toExtend<Cloudflare.DNS.RecordResponse.ARecord>()
  expectTypeOf<Conceding<'AAAA'>>().toExtend<Cloudflare.DNS.RecordResponse.AAAARecord>()
  expectTypeOf<Conceding<'CAA'>>().toExtend<Cloudflare.DNS.RecordResponse.CAARecord>()
  expectTypeOf<Conceding<'CNAME'>>().toExtend<Cloudflare.DNS.RecordResponse.CNAMERecord>()
  expectTypeOf<Conceding<'DS'>>().toExtend<Cloudflare.DNS.RecordResponse.DSRecord>()
  expectTypeOf<Conceding<'SSHFP'>>().toExtend<Cloudflare.DNS.RecordResponse.SSHFPRecord>()
  expectTypeOf<Conceding<'TLSA'>>().toExtend<Cloudflare.DNS.RecordResponse.TLSARecord>()
  expectTypeOf<Conceding<'HTTPS'>>().toExtend<Cloudflare.DNS.RecordResponse.HTTPSRecord>()
  expectTypeOf<Conceding<'MX'>>().toExtend<Cloudflare.DNS.RecordResponse.MXRecord>()
  expectTypeOf<Conceding<'NS'>>().toExtend<Cloudflare.DNS.RecordResponse.NSRecord>()
  expectTypeOf<Conceding<'SRV'>>().toExtend<Cloudflare.DNS.RecordResponse.SRVRecord>()
  expectTypeOf<Conceding<'TXT'>>().toExtend<Cloudflare.DNS.RecordResponse.TXTRecord>()
})

test('every listed deviation of a record exists', () => {
  expectTypeOf<DnsRecord['type']>().not.toExtend<Served['type']>()
  expectTypeOf<DnsRecord['comment']>().not.toExtend<Served['comment']>()
  expectTypeOf<DnsRecord['tags']>().not.toExtend<Served['tags']>()
})

test('the data of each record type fits the SDK', () => {
  expectTypeOf<{ flags: number; tag: string; value: string }>().toExtend<
    NonNullable<Cloudflare.DNS.CAARecord['data']>
  >()
  expectTypeOf<{ priority: number; weight: number; port: number; target: string }>().toExtend<
    NonNullable<Cloudflare.DNS.SRVRecord['data']>
  >()
  expectTypeOf<{ priority: number; target: string; value: string }>().toExtend<
    NonNullable<Cloudflare.DNS.HTTPSRecord['data']>
  >()
})

test('the emulator reads every field that the SDK sends for an A record', () => {
  type Sent = Omit<Cloudflare.DNS.RecordCreateParams.ARecord, 'zone_id'>
  // This one is in the query.
  type Unread = Exclude<keyof Sent, keyof RecordDraft | 'include_shadow_metadata'>
  expectTypeOf<Unread>().toBeNever()
})

type ServedToken = ReturnType<typeof tokenView>

test('tokens fit the SDK except for the listed deviations', () => {
  // The SDK knows three statuses; the emulator adds "revoked".
  type Status = Exclude<ServedToken['status'], 'revoked'>
  // Our policies are read-only, and tests may omit their ids.
  type Conceded = Omit<ServedToken, 'status' | 'policies' | 'condition'> & { status: Status }
  expectTypeOf<Conceded>().toExtend<Omit<SdkToken, 'policies' | 'condition'>>()
  expectTypeOf<ServedToken['status']>().not.toExtend<SdkToken['status']>()
  type Policy = ServedToken['policies'][number]
  type SdkPolicy = NonNullable<SdkToken['policies']>[number]
  expectTypeOf<Pick<Policy, 'effect'>>().toExtend<Pick<SdkPolicy, 'effect'>>()
  expectTypeOf<Policy['permission_groups']>().toExtend<SdkPolicy['permission_groups']>()
})

test('permission groups fit the SDK', () => {
  // Our list is read-only.
  type Group = Omit<PermissionGroup, 'scopes'> & { scopes: PermissionGroup['scopes'][number][] }
  expectTypeOf<Group & { is_selectable: boolean }>().toExtend<PermissionGroupListResponse>()
})

test('the account and the user fit the SDK', () => {
  expectTypeOf<ReturnType<typeof accountView>>().toExtend<Cloudflare.Accounts.Account>()
  expectTypeOf<ReturnType<typeof userView>>().toExtend<Cloudflare.User.UserGetResponse>()
})

type ServedZone = ReturnType<typeof zoneView>

test('zones fit the SDK except for the listed deviations', () => {
  // Tests can set any status; the SDK knows four. A missing owner id is null; the SDK expects a string or undefined.
  type Conceded = Omit<ServedZone, 'status' | 'owner'> & {
    status: Cloudflare.Zones.Zone['status'] & string
    owner: Cloudflare.Zones.Zone['owner']
  }
  expectTypeOf<Conceded>().toExtend<Cloudflare.Zones.Zone>()
  expectTypeOf<ServedZone['owner']>().not.toExtend<Cloudflare.Zones.Zone['owner']>()
  expectTypeOf<ServedZone['status']>().not.toExtend<NonNullable<Cloudflare.Zones.Zone['status']>>()
})
