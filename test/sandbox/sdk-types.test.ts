import type Cloudflare from 'cloudflare'
import type { Token as SdkToken } from 'cloudflare/resources/shared'
import type { PermissionGroupListResponse } from 'cloudflare/resources/user/tokens/permission-groups'
import { expectTypeOf, test } from 'vitest'
import type { PermissionGroup } from '../../sandbox/cloudflare/permission-groups.ts'
import type { DnsRecord, RecordDraft } from '../../sandbox/cloudflare/record.ts'
import type { tokenView } from '../../sandbox/cloudflare/token-resource.ts'
import type { zoneView } from '../../sandbox/cloudflare/zone-resource.ts'

// What is served must fit what the SDK says that it gets. Where it does not, the service is followed and not the types:
// each difference stands here, with its reason, and a test holds that it is one. The compiler is the judge.

type Served = Cloudflare.DNS.RecordResponse

/** What of a record the SDK says otherwise. */
type RecordDeviations = {
  // One type of ours holds all types of records; the SDK tells them apart by this field.
  type: string
  // A record without a comment has null; the SDK has a text or nothing.
  comment: string | null
  // Ours cannot be changed in place; the SDK's list can.
  tags: readonly string[]
  // The service also says read_only and whatever a test puts; the SDK lists shadows and glue.
  meta: Readonly<Record<string, unknown>>
  // Ours names the parts of all types at once.
  data?: Readonly<Record<string, string | number>>
}

/** A record as served, with the SDK's own in the place of what deviates. */
type Conceding<Type extends Served['type']> = Omit<DnsRecord, keyof RecordDeviations> & {
  type: Type
  comment?: string
  tags: string[]
  meta: Extract<Served, { type: Type }>['meta']
}

test('records fit the SDK, but for what is listed', () => {
  expectTypeOf<Pick<DnsRecord, keyof RecordDeviations>>().toExtend<RecordDeviations>()
  expectTypeOf<DnsRecord>().not.toExtend<Served>()
  expectTypeOf<Conceding<'A'>>().toExtend<Cloudflare.DNS.RecordResponse.ARecord>()
  expectTypeOf<Conceding<'AAAA'>>().toExtend<Cloudflare.DNS.RecordResponse.AAAARecord>()
  expectTypeOf<Conceding<'CAA'>>().toExtend<Cloudflare.DNS.RecordResponse.CAARecord>()
  expectTypeOf<Conceding<'CNAME'>>().toExtend<Cloudflare.DNS.RecordResponse.CNAMERecord>()
  expectTypeOf<Conceding<'HTTPS'>>().toExtend<Cloudflare.DNS.RecordResponse.HTTPSRecord>()
  expectTypeOf<Conceding<'MX'>>().toExtend<Cloudflare.DNS.RecordResponse.MXRecord>()
  expectTypeOf<Conceding<'NS'>>().toExtend<Cloudflare.DNS.RecordResponse.NSRecord>()
  expectTypeOf<Conceding<'SRV'>>().toExtend<Cloudflare.DNS.RecordResponse.SRVRecord>()
  expectTypeOf<Conceding<'TXT'>>().toExtend<Cloudflare.DNS.RecordResponse.TXTRecord>()
})

test('every deviation of a record is one', () => {
  expectTypeOf<DnsRecord['type']>().not.toExtend<Served['type']>()
  expectTypeOf<DnsRecord['comment']>().not.toExtend<Served['comment']>()
  expectTypeOf<DnsRecord['tags']>().not.toExtend<Served['tags']>()
})

test('the parts of a record fit the SDK, type by type', () => {
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

test('what the SDK sends for an A record is what a record is made of', () => {
  type Sent = Omit<Cloudflare.DNS.RecordCreateParams.ARecord, 'zone_id'>
  // The newest fields of the SDK are read over: nothing here has a private network.
  type Unread = Exclude<keyof Sent, keyof RecordDraft | 'include_shadow_metadata' | 'private_routing'>
  expectTypeOf<Unread>().toBeNever()
})

type ServedToken = ReturnType<typeof tokenView>

test('tokens fit the SDK, but for what is listed', () => {
  // The SDK knows three statuses; the stand-in can also have a token that was revoked, which no route serves as active.
  type Status = Exclude<ServedToken['status'], 'revoked'>
  // Ours may have a policy without an id (a test put it), and cannot be changed in place.
  type Conceded = Omit<ServedToken, 'status' | 'policies' | 'condition'> & { status: Status }
  expectTypeOf<Conceded>().toExtend<Omit<SdkToken, 'policies' | 'condition'>>()
  expectTypeOf<ServedToken['status']>().not.toExtend<SdkToken['status']>()
  type Policy = ServedToken['policies'][number]
  type SdkPolicy = NonNullable<SdkToken['policies']>[number]
  expectTypeOf<Pick<Policy, 'effect'>>().toExtend<Pick<SdkPolicy, 'effect'>>()
  expectTypeOf<Policy['permission_groups']>().toExtend<SdkPolicy['permission_groups']>()
})

test('permission groups fit the SDK', () => {
  // Ours cannot be changed in place.
  type Group = Omit<PermissionGroup, 'scopes'> & { scopes: PermissionGroup['scopes'][number][] }
  expectTypeOf<Group & { is_selectable: boolean }>().toExtend<PermissionGroupListResponse>()
})

type ServedZone = ReturnType<typeof zoneView>

test('zones fit the SDK, but for what is listed', () => {
  // A test can put any status; the SDK lists four. An owner without an id has null; the SDK has a text or nothing.
  type Conceded = Omit<ServedZone, 'status' | 'owner'> & {
    status: Cloudflare.Zones.Zone['status'] & string
    owner: Cloudflare.Zones.Zone['owner']
  }
  expectTypeOf<Conceded>().toExtend<Cloudflare.Zones.Zone>()
  expectTypeOf<ServedZone['owner']>().not.toExtend<Cloudflare.Zones.Zone['owner']>()
  expectTypeOf<ServedZone['status']>().not.toExtend<NonNullable<Cloudflare.Zones.Zone['status']>>()
})
