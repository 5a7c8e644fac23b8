import { isIPv4, isIPv6 } from 'node:net'
import { isObject, type JsonObject } from '../shape.ts'
import type { RecordProblem } from './errors.ts'
import { recordName, targetName } from './names.ts'
import { type DnsRecord, isProxiable, type RecordDraft } from './record.ts'

const leastTtl = 60
const mostTtl = 86_400
const automaticTtl = 1
const longestComment = 100
const longestTxt = 2048
const mostTags = 20
/** A name of at most 32 characters and, behind a colon, a value of at most 100. */
const tag = /^[A-Za-z0-9_-]{1,32}(:[^\r\n]{0,100})?$/

/** What each type's content must be: the text to store, or undefined. */
const contents: Readonly<
  Record<string, { problem: RecordProblem['problem']; read(sent: string): string | undefined }>
> = {
  A: { problem: 'aContent', read: sent => (isIPv4(sent) ? sent : undefined) },
  AAAA: { problem: 'aaaaContent', read: sent => (isIPv6(sent) ? sent.toLowerCase() : undefined) },
  CNAME: { problem: 'cnameContent', read: targetName },
  NS: { problem: 'nsContent', read: targetName },
  TXT: {
    problem: 'field',
    read: sent => (sent.length > 0 && Buffer.byteLength(sent) <= longestTxt ? sent : undefined),
  },
}

/** A value, or what is wrong with it. */
type Read<T> = { readonly value: T } | { readonly wrong: RecordProblem }

const value = <T>(given: T): Read<T> => ({ value: given })
const wrong = (problem: RecordProblem['problem'], pointer?: string): Read<never> => ({
  wrong: pointer === undefined ? { problem } : { problem, pointer },
})

const readName = (sent: unknown, zoneName: string): Read<string> => {
  if (typeof sent !== 'string') return wrong('field', '/name')
  const name = recordName(sent, zoneName)
  return name === undefined ? wrong('name') : value(name)
}

const readType = (sent: unknown): Read<string> => {
  if (typeof sent !== 'string') return wrong('field', '/type')
  return Object.hasOwn(contents, sent) ? value(sent) : wrong('type')
}

const readContent = (sent: unknown, type: string): Read<string> => {
  const rule = contents[type]
  if (rule === undefined || typeof sent !== 'string') return wrong('field', '/content')
  const content = rule.read(sent)
  if (content !== undefined) return value(content)
  return rule.problem === 'field' ? wrong('field', '/content') : wrong(rule.problem)
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
  const content = 'value' in type ? readContent(sent['content'], type.value) : type
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
        content: content.value,
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

/**
 * What forbids a draft beside the other records of its name, or undefined. Several A records, AAAA or TXT are a round
 * robin and allowed; a CNAME bears no address beside it.
 */
export const conflictOf = (
  draft: RecordDraft,
  neighbours: readonly DnsRecord[],
): RecordProblem | undefined => {
  const identical = neighbours.some(({ type, content }) => type === draft.type && content === draft.content)
  if (identical) return { problem: 'identical' }
  if (draft.type === 'CNAME') {
    return neighbours.some(({ type }) => standsAlone(type)) ? { problem: 'hostTaken' } : undefined
  }
  const besideCname = standsAlone(draft.type) && neighbours.some(({ type }) => type === 'CNAME')
  return besideCname ? { problem: 'cnameTaken' } : undefined
}
