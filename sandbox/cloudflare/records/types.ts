import { isIPv4, isIPv6, SocketAddress } from 'node:net'
import { isObject, type JsonObject } from '../../http/validation.ts'
import { invalid, type Reading, value } from '../field.ts'
import { targetName } from '../names.ts'
import type { RecordDraft } from './record.ts'

/** The fields of a record that depend on its type. */
type Content = Pick<RecordDraft, 'content' | 'priority' | 'data'>

const maxTxtBytes = 2048
const maxUint16 = 65_535

const host = (sent: unknown): string | null =>
  typeof sent === 'string' && !isIPv4(sent) ? targetName(sent) : null

/** Returns a hostname, or `.` for "none" (RFC 7505, RFC 2782, RFC 9460). */
const hostOrRoot = (sent: unknown): string | null => (sent === '.' ? '.' : host(sent))

const integer = (sent: unknown, max: number): number | null =>
  typeof sent === 'number' && Number.isInteger(sent) && sent >= 0 && sent <= max ? sent : null

/** Returns an IPv6 address in canonical form (RFC 5952). Zones such as `%eth0` are not addresses. */
const ipv6 = (sent: string): string | null =>
  isIPv6(sent) && !sent.includes('%') ? new SocketAddress({ address: sent, family: 'ipv6' }).address : null

type Rule = (sent: JsonObject) => Reading<Content>

/** Makes the rule of a type whose content is one text. */
function ofText(
  read: (content: string) => string | null,
  problem: 'aContent' | 'aaaaContent' | 'cnameContent' | 'nsContent',
): Rule {
  return ({ content }) => {
    if (typeof content !== 'string') return invalid('field', '/content')
    const stored = read(content)
    return stored === null ? invalid(problem) : value({ content: stored })
  }
}

const txt: Rule = ({ content }) =>
  typeof content === 'string' && content.length > 0 && Buffer.byteLength(content) <= maxTxtBytes
    ? value({ content })
    : invalid('field', '/content')

function mx({ content, priority }: JsonObject): Reading<Content> {
  if (priority === undefined || priority === null) return invalid('priority')
  const preference = integer(priority, maxUint16)
  if (preference === null) return invalid('field', '/priority')
  if (typeof content !== 'string') return invalid('field', '/content')
  const exchange = hostOrRoot(content)
  return exchange === null ? invalid('mxContent') : value({ content: exchange, priority: preference })
}

/** Stores a type as it is given: what Homeport sends has none of them. Without a content, it is the values of `data`. */
function asGiven({ content, data }: JsonObject): Reading<Content> {
  const parts = isObject(data) ? (data as Record<string, string | number>) : undefined
  const text = typeof content === 'string' ? content : Object.values(parts ?? {}).join(' ')
  return text === '' ? invalid('field', '/content') : value({ content: text, ...(parts && { data: parts }) })
}

/** The supported types, each with the rule for its content. */
const rules: Readonly<Record<string, Rule>> = {
  A: ofText(sent => (isIPv4(sent) ? sent : null), 'aContent'),
  AAAA: ofText(ipv6, 'aaaaContent'),
  CNAME: ofText(host, 'cnameContent'),
  HTTPS: asGiven,
  MX: mx,
  NS: ofText(host, 'nsContent'),
  TXT: txt,
}

/** Whether a type is supported. */
export const isRecordType = (type: string): boolean => Object.hasOwn(rules, type)

/** Validates the fields of a record that depend on its type. */
export const readContent = (type: string, sent: JsonObject): Reading<Content> =>
  rules[type]?.(sent) ?? invalid('type')
