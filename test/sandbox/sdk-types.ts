import type Cloudflare from 'cloudflare'
import type { Token as SdkToken } from 'cloudflare/resources/shared'
import type { PermissionGroupListResponse } from 'cloudflare/resources/user/tokens/permission-groups'
import type { accountView, userView } from '../../sandbox/cloudflare/accounts/resource.ts'
import type { DnsRecord, RecordDraft } from '../../sandbox/cloudflare/records/record.ts'
import type { PermissionGroup } from '../../sandbox/cloudflare/tokens/permission-groups.ts'
import type { tokenView } from '../../sandbox/cloudflare/tokens/resource.ts'
import type { zoneView } from '../../sandbox/cloudflare/zones/resource.ts'

// Responses must fit the types of the SDK: `npm run check` compiles this file, and nothing runs it. Where the service differs
// from the types, the emulator follows the service. Each such deviation is listed with its reason, and stated to exist.

/** Whether a value of one type can be assigned to the other. */
type Fits<Type, Target> = [Type] extends [Target] ? true : false

/** Does not compile if a statement has another answer. */
type Is<Expected extends boolean, Answer extends Expected> = Answer

// @ts-expect-error because a number is no string: these statements can fail.
export type CanFail = Is<true, Fits<number, string>>

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

/** Records fit the SDK except for the listed deviations. */
export type Records = [
  Is<true, Fits<Pick<DnsRecord, keyof RecordDeviations>, RecordDeviations>>,
  Is<false, Fits<DnsRecord, Served>>,
  Is<true, Fits<Conceding<'A'>, Cloudflare.DNS.RecordResponse.ARecord>>,
  Is<true, Fits<Conceding<'AAAA'>, Cloudflare.DNS.RecordResponse.AAAARecord>>,
  Is<true, Fits<Conceding<'CAA'>, Cloudflare.DNS.RecordResponse.CAARecord>>,
  Is<true, Fits<Conceding<'CNAME'>, Cloudflare.DNS.RecordResponse.CNAMERecord>>,
  Is<true, Fits<Conceding<'DS'>, Cloudflare.DNS.RecordResponse.DSRecord>>,
  Is<true, Fits<Conceding<'SSHFP'>, Cloudflare.DNS.RecordResponse.SSHFPRecord>>,
  Is<true, Fits<Conceding<'TLSA'>, Cloudflare.DNS.RecordResponse.TLSARecord>>,
  Is<true, Fits<Conceding<'HTTPS'>, Cloudflare.DNS.RecordResponse.HTTPSRecord>>,
  Is<true, Fits<Conceding<'MX'>, Cloudflare.DNS.RecordResponse.MXRecord>>,
  Is<true, Fits<Conceding<'NS'>, Cloudflare.DNS.RecordResponse.NSRecord>>,
  Is<true, Fits<Conceding<'SRV'>, Cloudflare.DNS.RecordResponse.SRVRecord>>,
  Is<true, Fits<Conceding<'TXT'>, Cloudflare.DNS.RecordResponse.TXTRecord>>,
]

/** Every listed deviation of a record exists. */
export type RecordDeviationsExist = [
  Is<false, Fits<DnsRecord['type'], Served['type']>>,
  Is<false, Fits<DnsRecord['comment'], Served['comment']>>,
  Is<false, Fits<DnsRecord['tags'], Served['tags']>>,
]

/** The data of each record type fits the SDK. */
export type RecordData = [
  Is<
    true,
    Fits<{ flags: number; tag: string; value: string }, NonNullable<Cloudflare.DNS.CAARecord['data']>>
  >,
  Is<
    true,
    Fits<
      { priority: number; weight: number; port: number; target: string },
      NonNullable<Cloudflare.DNS.SRVRecord['data']>
    >
  >,
  Is<
    true,
    Fits<{ priority: number; target: string; value: string }, NonNullable<Cloudflare.DNS.HTTPSRecord['data']>>
  >,
]

type Sent = Omit<Cloudflare.DNS.RecordCreateParams.ARecord, 'zone_id'>
// This one is in the query.
type Unread = Exclude<keyof Sent, keyof RecordDraft | 'include_shadow_metadata'>

/** The emulator reads every field that the SDK sends for an A record. */
export type ReadFields = [Is<true, Fits<Unread, never>>]

type ServedToken = ReturnType<typeof tokenView>

// The SDK knows three statuses; the emulator adds "revoked".
type Status = Exclude<ServedToken['status'], 'revoked'>
// Our policies are read-only, and tests may omit their ids.
type ConcededToken = Omit<ServedToken, 'status' | 'policies' | 'condition'> & { status: Status }
type Policy = ServedToken['policies'][number]
type SdkPolicy = NonNullable<SdkToken['policies']>[number]

/** Tokens fit the SDK except for the listed deviations. */
export type Tokens = [
  Is<true, Fits<ConcededToken, Omit<SdkToken, 'policies' | 'condition'>>>,
  Is<false, Fits<ServedToken['status'], SdkToken['status']>>,
  Is<true, Fits<Pick<Policy, 'effect'>, Pick<SdkPolicy, 'effect'>>>,
  Is<true, Fits<Policy['permission_groups'], SdkPolicy['permission_groups']>>,
]

// Our list is read-only.
type Group = Omit<PermissionGroup, 'scopes'> & { scopes: PermissionGroup['scopes'][number][] }

/** Permission groups fit the SDK. */
export type PermissionGroups = [
  Is<true, Fits<Group & { is_selectable: boolean }, PermissionGroupListResponse>>,
]

/** The account and the user fit the SDK. */
export type AccountAndUser = [
  Is<true, Fits<ReturnType<typeof accountView>, Cloudflare.Accounts.Account>>,
  Is<true, Fits<ReturnType<typeof userView>, Cloudflare.User.UserGetResponse>>,
]

type ServedZone = ReturnType<typeof zoneView>

// Tests can set any status; the SDK knows four. Missing ids are null; the SDK expects a string or undefined.
type ConcededZone = Omit<
  ServedZone,
  'status' | 'owner' | 'tenant' | 'tenant_unit' | 'vanity_name_servers_ips'
> & {
  status: Cloudflare.Zones.Zone['status'] & string
  owner: Cloudflare.Zones.Zone['owner']
}

/** Zones fit the SDK except for the listed deviations. */
export type Zones = [
  Is<true, Fits<ConcededZone, Cloudflare.Zones.Zone>>,
  Is<false, Fits<ServedZone['owner'], Cloudflare.Zones.Zone['owner']>>,
  Is<false, Fits<ServedZone['tenant'], Cloudflare.Zones.Zone['tenant']>>,
  Is<false, Fits<ServedZone['tenant_unit'], Cloudflare.Zones.Zone['tenant_unit']>>,
  Is<false, Fits<ServedZone['status'], NonNullable<Cloudflare.Zones.Zone['status']>>>,
]
