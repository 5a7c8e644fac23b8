import { isObject, type JsonObject } from '../../http/validation.ts'
import type { RecordProblem } from '../errors.ts'
import { type Read, value, wrong } from '../field.ts'
import { recordName } from '../names.ts'
import { type DnsRecord, isProxiable, type RecordDraft } from './record.ts'
import { isRecordType, readContent } from './types.ts'

const leastTtl = 60
const mostTtl = 86_400
const automaticTtl = 1
const longestComment = 100
const mostTags = 20
/** A name of at most 32 characters and, behind a colon, a value of at most 100. */
const tag = /^[A-Za-z0-9_-]{1,32}(:[^\r\n]{0,100})?$/

const readName = (sent: unknown, zoneName: string): Read<string> => {
  if (typeof sent !== 'string') return wrong('field', '/name')
  const name = recordName(sent, zoneName)
  return name === undefined ? wrong('name') : value(name)
}

const readType = (sent: unknown): Read<string> => {
  if (typeof sent !== 'string') return wrong('field', '/type')
  return isRecordType(sent) ? value(sent) : wrong('type')
}

const readTtl = (sent: unknown): Read<number> => {
  if (sent === undefined) return wrong('ttlRange')
  if (typeof sent !== 'number') return wrong('ttlType')
  const inRange = Number.isInteger(sent) && sent >= leastTtl && sent <= mostTtl
  return inRange || sent === automaticTtl ? value(sent) : wrong('ttlRange')
}

const readProxied = (sent: unknown, type: string): Read<boolean> => {
  if (sent === undefined) return value(false)
  if (typeof sent !== 'boolean') return wrong('field', '/proxied')
  return sent && !isProxiable(type) ? wrong('proxied') : value(sent)
}

const readComment = (sent: unknown): Read<string | null> => {
  if (sent === undefined || sent === null || sent === '') return value(null)
  const fits = typeof sent === 'string' && [...sent].length <= longestComment && !/[\r\n]/.test(sent)
  return fits ? value(sent) : wrong('field', '/comment')
}

const readTags = (sent: unknown): Read<readonly string[]> => {
  if (sent === undefined || sent === null) return value([])
  const fits =
    Array.isArray(sent) &&
    sent.length <= mostTags &&
    sent.every(one => typeof one === 'string' && tag.test(one))
  return fits ? value(sent) : wrong('field', '/tags')
}

const readSettings = (sent: unknown): Read<Readonly<Record<string, boolean>>> => {
  if (sent === undefined || sent === null) return value({})
  const isSettings = (given: unknown): given is Record<string, boolean> =>
    isObject(given) && Object.values(given).every(setting => typeof setting === 'boolean')
  return isSettings(sent) ? value(sent) : wrong('field', '/settings')
}

/**
 * Reads what a client wants a record to be; every problem is reported, in the order of the fields.
 * @param sent the parsed body, for a PATCH laid over the present record
 */
export const readDraft = (
  sent: JsonObject,
  zoneName: string,
): { draft: RecordDraft } | { problems: readonly RecordProblem[] } => {
  const name = readName(sent['name'], zoneName)
  const type = readType(sent['type'])
  const ttl = readTtl(sent['ttl'])
  const comment = readComment(sent['comment'])
  const tags = readTags(sent['tags'])
  const settings = readSettings(sent['settings'])
  // What content and proxied may be depends on the type: with a wrong one there is nothing to measure them by.
  const content = 'value' in type ? readContent(type.value, sent) : type
  const proxied = 'value' in type ? readProxied(sent['proxied'], type.value) : type
  if (
    'value' in name &&
    'value' in type &&
    'value' in content &&
    'value' in ttl &&
    'value' in proxied &&
    'value' in comment &&
    'value' in tags &&
    'value' in settings
  ) {
    return {
      draft: {
        name: name.value,
        type: type.value,
        ...content.value,
        proxied: proxied.value,
        ttl: ttl.value,
        settings: settings.value,
        comment: comment.value,
        tags: tags.value,
      },
    }
  }
  const read = [name, type, content, ttl, proxied, comment, tags, settings]
  const problems = read.flatMap(field => ('wrong' in field ? [field.wrong] : []))
  return { problems: [...new Set(problems)] }
}

const standsAlone = (type: string): boolean => type === 'A' || type === 'AAAA' || type === 'CNAME'

const isSame = (draft: RecordDraft, { type, content, priority }: DnsRecord): boolean =>
  type === draft.type && content === draft.content && priority === draft.priority

/**
 * What forbids a draft beside the other records of its name, or undefined. Several A records, AAAA or TXT are a round
 * robin and allowed; a CNAME bears no address beside it, and none points at its own name.
 */
export const conflictOf = (
  draft: RecordDraft,
  neighbours: readonly DnsRecord[],
): RecordProblem | undefined => {
  if (neighbours.some(neighbour => isSame(draft, neighbour))) return { problem: 'identical' }
  if (draft.type === 'CNAME') {
    if (draft.content === draft.name) return { problem: 'cnameContent' }
    return neighbours.some(({ type }) => standsAlone(type)) ? { problem: 'hostTaken' } : undefined
  }
  const besideCname = standsAlone(draft.type) && neighbours.some(({ type }) => type === 'CNAME')
  return besideCname ? { problem: 'cnameTaken' } : undefined
}
