import { isObject } from '../../lib/json.ts'
import { canonicalHostname } from '../../lib/url.ts'
import { inOrder, mapByItem, mapConcurrently } from '../concurrency.ts'
import { type Problem, type Reading, unhandledError } from '../problem.ts'
import { type DnsApi, leavingTimeToWrite, readPath, recordsPath } from './dns-api.ts'
import { type Envelope, parseRecord, readPageInfo, whyIncomplete } from './envelope.ts'
import { type Attempt, failedTo } from './problems.ts'
import { cloudflareUrl, type DnsRecord, type ZonedTarget } from './record.ts'

/** What a zone contains at a name, or in all. */
export interface Contents {
  readonly records: readonly DnsRecord[]
  /** The suffix that the names of all records share, empty in an empty zone; null if the zone was not read. */
  readonly zoneSuffix: string | null
}

export type Listing = Reading<Contents>

type Listings = ReadonlyMap<string, Listing>

export const maxConcurrentReads = 8
/** Most zones have fewer records (the free plan allows 200), so one page is enough. Longer ones have no shadow metadata. */
const pageSize = 1000
/** 8 KiB for each record: comment, tags and content at their longest. */
const maxPageBytes = 8 * 1024 * 1024
/** A zone that changes while its pages are read is read again. */
const maxZoneReads = 2

/**
 * Lists the records of every name, and returns them by hostname. A zone with one name costs one request. For several
 * names, it reads the whole zone, unless the zone has more pages than names.
 */
export async function listTargets(api: DnsApi, targets: readonly ZonedTarget[]): Promise<Listings> {
  type Zone = readonly [zoneId: string, inZone: readonly ZonedTarget[]]
  const listOne = ([zoneId, inZone]: Zone) =>
    listZone(leavingTimeToWrite(api, zoneId), zoneId, inZone).catch((error: unknown) =>
      forAll(inZone, { problem: unhandledError(error, 'It wrote nothing in this zone') }),
    )
  const zones: Zone[] = [...Map.groupBy(targets, target => target.zoneId)]
  const [zone, ...others] = zones
  if (others.length === 0) return zone ? listOne(zone) : new Map()
  const hasFailed = ([zoneId]: Zone) => api.failedLast.has(zoneId)
  const ordered = inOrder(zones, hasFailed, maxConcurrentReads, api.clock.random)
  const listings = await mapConcurrently(ordered, maxConcurrentReads, listOne)
  return new Map(listings.flatMap(listed => [...listed]))
}

function forAll(targets: readonly ZonedTarget[], listing: Listing): Listings {
  return new Map(targets.map(({ hostname }) => [hostname, listing]))
}

/**
 * Lists the records of a name, of every type: the API filters by name only, and the caller chooses. A list that is
 * incomplete, or contains an unreadable record, is a failure and never a shorter list.
 */
export async function listRecords(api: DnsApi, { hostname, zoneId }: ZonedTarget): Promise<Listing> {
  const attempt: Attempt = { what: `list the records of ${hostname}`, zoneId, writes: false }
  const path = `${recordsPath(zoneId)}?name=${encodeURIComponent(hostname)}${shadowQuery(api)}`
  const read = await readPath(api, path, attempt)
  if ('problem' in read) return read
  const page = readEntries(read.value, new Set([hostname]))
  if ('problem' in page) return unreadable(attempt, page.problem)
  const why = whyIncomplete(page.value.ids.length, read.value.resultInfo)
  if (why) return unreadable(attempt, incomplete(why))
  return { value: { records: page.value.records, zoneSuffix: null } }
}

/** Reads the suffix that the names of a zone share from its first page of records. Empty in an empty zone. */
export async function readZoneSuffix(api: DnsApi, zoneId: string): Promise<Reading<string>> {
  const attempt = listingZone(zoneId)
  const read = await readPath(leavingTimeToWrite(api, zoneId), recordsPath(zoneId), attempt)
  if ('problem' in read) return read
  const page = readEntries(read.value, new Set())
  return 'problem' in page ? unreadable(attempt, page.problem) : { value: page.value.suffix ?? '' }
}

function listingZone(zoneId: string): Attempt {
  return { what: `list the records of zone ${zoneId}`, zoneId, writes: false }
}

/** Reads a zone page by page, or name by name if that is cheaper or the only way. */
async function listZone(
  api: DnsApi,
  zoneId: string,
  targets: readonly ZonedTarget[],
  readsLeft = maxZoneReads,
): Promise<Listings> {
  const attempt = listingZone(zoneId)
  const hostnames = new Set(targets.map(target => target.hostname))
  const failed = (why: string) => forAll(targets, unreadable(attempt, why))
  const readByName = () =>
    mapByItem([...hostnames], maxConcurrentReads, hostname => listRecords(api, { hostname, zoneId }))
  const readAgain = (how: string) =>
    readsLeft > 1
      ? listZone(api, zoneId, targets, readsLeft - 1)
      : failed(`the zone changed while its pages were read (${how})`)
  const readPage = (page: number) => {
    const query = `per_page=${pageSize}&page=${page}${shadowQuery(api)}`
    return readPath(api, `${recordsPath(zoneId)}?${query}`, attempt, maxPageBytes)
  }
  const [only, ...more] = targets
  if (only && more.length === 0) return forAll(targets, await listRecords(api, only))
  const first = await readPage(1)
  if ('problem' in first) return first.isTooLarge ? readByName() : forAll(targets, first)
  const { result, resultInfo } = first.value
  const info = readPageInfo(resultInfo)
  if ('problem' in info) return failed(incomplete(info.problem))
  const entries = Array.isArray(result) ? result : []
  const { total, perPage } = info.value
  const pages =
    total === null ? (info.value.pages ?? 1) : Math.ceil(total / Math.max(1, perPage ?? entries.length))
  const uncountable = pages <= 1 && whyIncomplete(entries.length, resultInfo) !== null
  if (uncountable || pages - 1 > hostnames.size) return readByName()
  const others = Array.from({ length: Math.max(0, pages - 1) }, (_, index) => index + 2)
  const reads = await mapConcurrently(others, maxConcurrentReads, readPage)
  const envelopes = [first.value]
  for (const [index, read] of reads.entries()) {
    if ('problem' in read) return read.isTooLarge ? readByName() : forAll(targets, read)
    const page = readPageInfo(read.value.resultInfo)
    if ('problem' in page || page.value.page !== others[index])
      return failed(incomplete(`page ${others[index]} does not say which page it is`))
    if (page.value.total !== total) return readAgain(`from ${total} to ${page.value.total} records`)
    envelopes.push(read.value)
  }
  const read: Entries[] = []
  for (const envelope of envelopes) {
    const page = readEntries(envelope, hostnames)
    if ('problem' in page) return failed(page.problem)
    read.push(page.value)
  }
  // Of several pages, each record must be on exactly one.
  const ids = read.flatMap(page => page.ids)
  const different = new Set(ids).size
  if (read.length > 1 && (ids.length !== total || different !== total))
    return readAgain(`${different} different records of ${total}`)
  const suffixes = read.flatMap(page => page.suffix ?? [])
  const zoneSuffix = suffixes.length > 0 ? suffixes.reduce(commonSuffix) : ''
  const byName = Map.groupBy(
    read.flatMap(({ records }) => records),
    ({ name }) => name,
  )
  const at = (hostname: string) => ({ value: { records: byName.get(hostname) ?? [], zoneSuffix } })
  return new Map(targets.map(({ hostname }) => [hostname, at(hostname)]))
}

/** What a page of a zone contains. */
interface Entries {
  /** The records at the wanted names. */
  readonly records: readonly DnsRecord[]
  /** The ids of all records. */
  readonly ids: readonly unknown[]
  /** The suffix that the names of all records share; null without a record. */
  readonly suffix: string | null
}

/** Reads a page of a zone. Records at other names count with their name and id only, whatever else they contain. */
function readEntries({ result }: Envelope, hostnames: ReadonlySet<string>): Reading<Entries, string> {
  if (!Array.isArray(result)) return { problem: 'the response contains no list of records' }
  const records: DnsRecord[] = []
  const ids: unknown[] = []
  let suffix: string | null = null
  for (const entry of result) {
    if (!isObject(entry) || typeof entry['name'] !== 'string') return { problem: malformed }
    const name = canonicalHostname(entry['name']) ?? entry['name'].toLowerCase()
    suffix = suffix === null ? name : commonSuffix(suffix, name)
    ids.push(entry['id'])
    if (!hostnames.has(name)) continue
    const record = parseRecord(entry)
    if (!record) return { problem: malformed }
    records.push(record)
  }
  return { value: { records, ids, suffix } }
}

/** Returns the longest suffix that two names share, in whole labels: `example.com` for `a.example.com` and `b.example.com`. */
export function commonSuffix(one: string, other: string): string {
  const [labels, otherLabels] = [one.split('.').toReversed(), other.split('.').toReversed()]
  const differs = labels.findIndex((label, depth) => label !== otherLabels[depth])
  return (differs < 0 ? labels : labels.slice(0, differs)).toReversed().join('.')
}

/**
 * Returns whether a zone cannot hold a name, going by the suffix that all its records share. The zone's own name ends
 * that suffix and has two labels or more, so a name that shares fewer with it is outside. If they share more, only
 * Cloudflare knows: `a.co.uk` and `b.co.uk` look like two names of one zone.
 */
export function isOutside(hostname: string, zoneSuffix: string): boolean {
  return zoneSuffix.includes('.') && !commonSuffix(hostname, zoneSuffix).includes('.')
}

const malformed = 'a record in the response has missing or malformed fields'

function incomplete(why: string): string {
  return `the list may be incomplete, and only a complete one can be trusted: ${why}`
}

/** Explains that a response is not what was asked for. */
export function unreadable(attempt: Attempt, why: string): { readonly problem: Problem } {
  return { problem: failedTo(attempt, 'unexpected', why, '', 'base-url') }
}

/** The sandbox marks its tokens. Cloudflare's are random behind their prefix. */
const sandboxToken = /^cf[ua]t_sandbox/

/**
 * Returns what a list request adds to its query, so that the list also shows which records are hidden. Only Cloudflare and
 * the sandbox know the parameter, so any other service gets the plain request.
 */
export function shadowQuery({ baseUrl, token }: Pick<DnsApi, 'baseUrl' | 'token'>): string {
  return baseUrl === cloudflareUrl || sandboxToken.test(token) ? '&include_shadow_metadata=true' : ''
}
