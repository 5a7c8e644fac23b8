import { cloudflareUrl, type Envelope } from '../../lib/cloudflare.ts'
import { canonicalHostname } from '../../lib/hostname.ts'
import { isObject } from '../../lib/json.ts'
import { createLimit } from '../concurrency.ts'
import type { Reading } from '../problem.ts'
import { type DnsApi, readPath, recordsPath } from './dns-api.ts'
import { parseRecord, readPageInfo, whyIncomplete } from './envelope.ts'
import { type Attempt, failedTo } from './problems.ts'
import type { DnsRecord, ZonedTarget } from './record.ts'

/** The records at a name. */
export type Listing = Reading<readonly DnsRecord[]>

/** By hostname. */
type Listings = ReadonlyMap<string, Listing>

/** Of the names of one zone. */
const maxConcurrentReads = 8
/** Most zones have fewer records (the free plan allows 200), so one page is enough. Longer ones have no shadow metadata. */
const pageSize = 1000
/** 8 KiB for each record: comment, tags and content at their longest. */
const maxPageBytes = 8 * 1024 * 1024

/**
 * Lists the records at names of a zone. One name costs one request. For several, it reads the zone as one page; if that is not all
 * of it, name by name.
 */
export async function listZone(api: DnsApi, zoneId: string, hostnames: readonly string[]): Promise<Listings> {
  const listed = await readZone(api, zoneId, hostnames)
  return 'problem' in listed ? new Map(hostnames.map(hostname => [hostname, listed])) : listed.value
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
  const why = whyIncomplete(page.value.names.length, read.value.resultInfo)
  if (why) return unreadable(attempt, incomplete(why))
  return { value: page.value.records }
}

/** Reads the suffix that the names of a zone share from its first page of records. Empty in an empty zone. */
export async function readZoneSuffix(api: DnsApi, zoneId: string): Promise<Reading<string>> {
  const attempt = listingZone(zoneId)
  const read = await readPath(api, recordsPath(zoneId), attempt)
  if ('problem' in read) return read
  const page = readEntries(read.value, new Set())
  if ('problem' in page) return unreadable(attempt, page.problem)
  const [first = '', ...others] = page.value.names
  return { value: others.reduce(commonSuffix, first) }
}

function listingZone(zoneId: string): Attempt {
  return { what: `list the records of zone ${zoneId}`, zoneId, writes: false }
}

/** Reads a zone as one page, or name by name if that is not all of it. */
async function readZone(
  api: DnsApi,
  zoneId: string,
  hostnames: readonly string[],
): Promise<Reading<Listings>> {
  const attempt = listingZone(zoneId)
  const readByName = async () => {
    const start = createLimit(maxConcurrentReads)
    const list = async (hostname: string) =>
      [hostname, await start(() => listRecords(api, { hostname, zoneId }))] as const
    return { value: new Map(await Promise.all(hostnames.map(list))) }
  }
  if (hostnames.length === 1) return readByName()
  const path = `${recordsPath(zoneId)}?per_page=${pageSize}${shadowQuery(api)}`
  const read = await readPath(api, path, attempt, maxPageBytes)
  if ('problem' in read) return read.isTooLarge ? readByName() : read
  const { result, resultInfo } = read.value
  const info = readPageInfo(resultInfo)
  if ('problem' in info) return unreadable(attempt, incomplete(info.problem))
  if (Array.isArray(result) && whyIncomplete(result.length, resultInfo) !== null) return readByName()
  const page = readEntries(read.value, new Set(hostnames))
  if ('problem' in page) return unreadable(attempt, page.problem)
  const at = (hostname: string) => ({ value: page.value.records.filter(({ name }) => name === hostname) })
  return { value: new Map(hostnames.map(hostname => [hostname, at(hostname)])) }
}

/** What a page of a zone contains. */
interface Entries {
  /** The records at the wanted names. */
  readonly records: readonly DnsRecord[]
  /** The names of all records. */
  readonly names: readonly string[]
}

/** Reads a page of a zone. Records at other names count with their name only, whatever else they contain. */
function readEntries({ result }: Envelope, hostnames: ReadonlySet<string>): Reading<Entries, string> {
  if (!Array.isArray(result)) return { problem: 'the response contains no list of records' }
  const records: DnsRecord[] = []
  const names: string[] = []
  for (const entry of result) {
    if (!isObject(entry) || typeof entry['name'] !== 'string') return { problem: malformed }
    const name = canonicalHostname(entry['name']) ?? entry['name'].toLowerCase()
    names.push(name)
    if (!hostnames.has(name)) continue
    const record = parseRecord(entry)
    if (!record) return { problem: malformed }
    records.push(record)
  }
  return { value: { records, names } }
}

/** Returns the longest suffix that two names share, in whole labels: `example.com` for `a.example.com` and `b.example.com`. */
export function commonSuffix(one: string, other: string): string {
  const labels = one.split('.').toReversed()
  const otherLabels = other.split('.').toReversed()
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
export function unreadable(attempt: Attempt, why: string) {
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
