import type { ServiceError } from '../../lib/cloudflare.ts'
import { canonicalHostname } from '../../lib/hostname.ts'
import { isObject } from '../../lib/json.ts'
import { quote } from '../../lib/quote.ts'
import type { Reading } from '../problem.ts'
import { families } from '../record-type.ts'
import type { DnsRecord } from './record.ts'

const infoFields = ['page', 'per_page', 'count', 'total_count', 'total_pages'] as const

/** What `result_info` says about a list. */
type PageInfo = Readonly<Partial<Record<(typeof infoFields)[number], number>>>

/** Names that other APIs give to a pointer to the rest of a list. */
const continuation = /cursor|next|more|after/i

/**
 * Reads `result_info`. The API promises nothing about it. A count that is unreadable is a problem, and so is a field that
 * looks like a continuation. Other fields are ignored.
 */
export function readPageInfo(resultInfo: unknown): Reading<PageInfo, string> {
  const info = resultInfo ?? {}
  if (!isObject(info)) return { problem: 'its result_info is not an object' }
  for (const [field, value] of Object.entries(info)) {
    const read = infoFields.some(known => known === field)
      ? Number.isSafeInteger(value) && Number(value) >= 0
      : !continuation.test(field)
    const empty = value === null || value === '' || value === false
    if (!read && !empty)
      return { problem: `its result_info contains ${quote(field)}: ${quote(JSON.stringify(value))}` }
  }
  const counts = Object.entries(info).filter(([, value]) => typeof value === 'number')
  return { value: Object.fromEntries(counts) }
}

/**
 * Returns what suggests that a list is not whole, safe to print, or null. Only a whole list shows that a record is the single
 * one of its name.
 */
export function whyIncomplete(shown: number, resultInfo: unknown): string | null {
  const info = readPageInfo(resultInfo)
  if ('problem' in info) return info.problem
  const { page = 1, per_page: perPage, count = 0, total_count: total, total_pages: pages } = info.value
  const all = Math.max(count, total ?? 0)
  if (all > shown) return `it shows ${shown} of ${all} entries`
  if (page !== 1 || (pages ?? 1) > 1) return `it is page ${page} of ${pages ?? 'an unknown number'}`
  const full = perPage !== undefined && shown >= perPage
  return full && total === undefined && pages === undefined ? `its page is full with ${shown} entries` : null
}

/**
 * Parses one record. Returns null if a field that its type needs is missing or of the wrong kind. An A or AAAA record must
 * be complete and contain an address, because its fields are compared and written back. Of other types, only id, type
 * and name are used.
 */
export function parseRecord(value: unknown): DnsRecord | null {
  if (!isObject(value)) return null
  const { id, type, name, content, ttl, proxied, comment, tags, settings, meta } = value
  const privateRouting = value['private_routing']
  if (!isId(id)) return null
  if (typeof type !== 'string' || typeof name !== 'string') return null
  const text = typeof content === 'string' ? content : ''
  const isAddress = type === 'A' || type === 'AAAA'
  const address = isAddress ? families[type].parse(text) : text
  if (isAddress && !(address && Number.isInteger(ttl) && typeof proxied === 'boolean')) return null
  return {
    id,
    type,
    name: canonicalHostname(name) ?? name.toLowerCase(),
    content: address ?? '',
    ttl: typeof ttl === 'number' ? ttl : 1,
    proxied: proxied === true,
    comment: typeof comment === 'string' && comment !== '' ? comment : null,
    tags: Array.isArray(tags) ? tags.filter(tag => typeof tag === 'string') : [],
    settings: isObject(settings) ? settings : {},
    privateRouting: typeof privateRouting === 'boolean' ? privateRouting : null,
    readOnly: isObject(meta) && meta['read_only'] === true,
    hiddenBy: isObject(meta) ? hidingIds(meta) : [],
  }
}

const rateLimitCodes = new Set([971, 10100, 10429])

/** Returns whether the response comes from the rate limiter. */
export function isRateLimit(status: number, errors: readonly ServiceError[]): boolean {
  return status === 429 || errors.some(error => rateLimitCodes.has(error.code))
}

/**
 * Returns the ids of the NS records that hide a record from everybody. Metadata in any other form than the documented one
 * hides nothing. Glue is served beside the NS records, unless others above them make it dead (DNS docs, Shadowed records).
 */
function hidingIds(meta: Readonly<Record<string, unknown>>): readonly string[] {
  const ids = meta['shadowed_by']
  const isGlue = meta['is_glue'] ?? false
  const isDead = meta['dead_glue'] ?? false
  if (!Array.isArray(ids) || typeof isGlue !== 'boolean' || typeof isDead !== 'boolean') return []
  return (isGlue && !isDead) || !ids.every(isId) ? [] : ids
}

/** Returns whether a value is an id of Cloudflare. */
export function isId(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{32}$/.test(value)
}
