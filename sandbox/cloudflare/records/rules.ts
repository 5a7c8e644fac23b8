import { isObject, type JsonObject } from '../../http/validation.ts'
import type { RecordProblem } from '../errors.ts'
import { allOf, invalid, type Reading, value } from '../field.ts'
import { recordName } from '../names.ts'
import { type DnsRecord, isProxiable, type RecordDraft } from './record.ts'
import { isRecordType, readContent } from './types.ts'

const minTtlSeconds = 60
const maxTtlSeconds = 86_400
/** The ttl that lets the service choose. */
export const automaticTtl = 1
const maxCommentLength = 100
const maxTags = 20
/** A name of up to 32 characters, optionally followed by a colon and a value of up to 100. */
const tag = /^[A-Za-z0-9_-]{1,32}(:[^\r\n]{0,100})?$/

function readName(sent: unknown, zoneName: string): Reading<string> {
  if (typeof sent !== 'string') return invalid('field', '/name')
  const name = recordName(sent, zoneName)
  return name === null ? invalid('name') : value(name)
}

function readType(sent: unknown): Reading<string> {
  if (typeof sent !== 'string') return invalid('field', '/type')
  return isRecordType(sent) ? value(sent) : invalid('type')
}

function readTtl(sent: unknown): Reading<number> {
  if (sent === undefined) return invalid('ttlRange')
  if (typeof sent !== 'number') return invalid('ttlType')
  const inRange = Number.isInteger(sent) && sent >= minTtlSeconds && sent <= maxTtlSeconds
  return inRange || sent === automaticTtl ? value(sent) : invalid('ttlRange')
}

function readProxied(sent: unknown, type: string): Reading<boolean> {
  if (sent === undefined) return value(false)
  if (typeof sent !== 'boolean') return invalid('field', '/proxied')
  return sent && !isProxiable(type) ? invalid('proxied') : value(sent)
}

function readComment(sent: unknown): Reading<string | null> {
  if (sent === undefined || sent === null || sent === '') return value(null)
  const fits = typeof sent === 'string' && [...sent].length <= maxCommentLength && !/[\r\n]/.test(sent)
  return fits ? value(sent) : invalid('field', '/comment')
}

function readTags(sent: unknown): Reading<readonly string[]> {
  if (sent === undefined || sent === null) return value([])
  const fits =
    Array.isArray(sent) &&
    sent.length <= maxTags &&
    sent.every(one => typeof one === 'string' && tag.test(one))
  return fits ? value(sent) : invalid('field', '/tags')
}

function readSettings(sent: unknown): Reading<Readonly<Record<string, boolean>>> {
  if (sent === undefined || sent === null) return value({})
  const isSettings = (given: unknown): given is Record<string, boolean> =>
    isObject(given) && Object.values(given).every(setting => typeof setting === 'boolean')
  return isSettings(sent) ? value(sent) : invalid('field', '/settings')
}

function readPrivateRouting(sent: unknown): Reading<Pick<RecordDraft, 'private_routing'>> {
  if (sent === undefined || sent === null) return value({})
  return typeof sent === 'boolean' ? value({ private_routing: sent }) : invalid('field', '/private_routing')
}

/**
 * Validates the fields of a record.
 * @param sent the parsed body; for a PATCH, merged into the current record
 */
export function readDraft(sent: JsonObject, zoneName: string): Reading<RecordDraft> {
  const name = readName(sent['name'], zoneName)
  const type = readType(sent['type'])
  const fields = allOf({
    name,
    type,
    // The rules for content and proxied depend on the type, so they are skipped if it is invalid.
    content: 'value' in type ? readContent(type.value, sent) : type,
    ttl: readTtl(sent['ttl']),
    proxied: 'value' in type ? readProxied(sent['proxied'], type.value) : type,
    comment: readComment(sent['comment']),
    tags: readTags(sent['tags']),
    settings: readSettings(sent['settings']),
    routing: readPrivateRouting(sent['private_routing']),
  })
  if (!('value' in fields)) return fields
  const { content, routing, ...others } = fields.value
  return value({ ...others, ...content, ...routing })
}

const excludesCname = (type: string): boolean => type === 'A' || type === 'AAAA' || type === 'CNAME'

const isDuplicate = (draft: RecordDraft, { type, content, priority }: DnsRecord): boolean =>
  type === draft.type && content === draft.content && priority === draft.priority

/** Returns the conflict of a draft at or beside a delegation. Below the apex, NS can have only NS beside it. */
function delegationConflictOf(
  { type, name }: RecordDraft,
  neighbours: readonly DnsRecord[],
  zoneName: string,
): RecordProblem | null {
  if (name === zoneName) return null
  if (type === 'NS') {
    return neighbours.every(other => other.type === 'NS') ? null : { problem: 'nsBesideOthers' }
  }
  const delegated = neighbours.some(other => other.type === 'NS')
  return delegated ? { problem: 'nsTaken' } : null
}

/**
 * Returns the conflict of a draft with the other records of its name, or null. A CNAME cannot have an address or
 * another CNAME beside it, and cannot point at itself. Several A, AAAA or TXT records are allowed (round robin).
 */
export function conflictOf(
  draft: RecordDraft,
  neighbours: readonly DnsRecord[],
  zoneName: string,
): RecordProblem | null {
  const atDelegation = delegationConflictOf(draft, neighbours, zoneName)
  if (atDelegation) return atDelegation
  if (neighbours.some(neighbour => isDuplicate(draft, neighbour))) return { problem: 'identical' }
  if (draft.type === 'CNAME') {
    if (draft.content === draft.name) return { problem: 'cnameContent' }
    return neighbours.some(({ type }) => excludesCname(type)) ? { problem: 'hostTaken' } : null
  }
  const besideCname = excludesCname(draft.type) && neighbours.some(({ type }) => type === 'CNAME')
  return besideCname ? { problem: 'cnameTaken' } : null
}
