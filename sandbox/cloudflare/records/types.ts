import { isIPv4, isIPv6 } from 'node:net'
import { isObject, type JsonObject } from '../../http/validation.ts'
import { invalid, type Read, value } from '../field.ts'
import { targetName } from '../names.ts'
import type { RecordDraft } from './record.ts'
import { readSvcParams } from './svc-params.ts'

/** The fields of a record that depend on its type. */
export type Content = Pick<RecordDraft, 'content' | 'priority' | 'data'>

const maxTxtBytes = 2048
const maxCaaValueLength = 255
const maxUint16 = 65_535
const maxUint8 = 255

const host = (sent: unknown): string | undefined =>
  typeof sent === 'string' && !isIPv4(sent) ? targetName(sent) : undefined

/** Returns a hostname, or `.` for "none" (RFC 7505, RFC 2782, RFC 9460). */
const hostOrRoot = (sent: unknown): string | undefined => (sent === '.' ? '.' : host(sent))

const integer = (sent: unknown, max: number): number | undefined =>
  typeof sent === 'number' && Number.isInteger(sent) && sent >= 0 && sent <= max ? sent : undefined

type Rule = (sent: JsonObject) => Read<Content>

/** Makes the rule of a type whose content is one text. */
function ofText(
  read: (content: string) => string | undefined,
  problem: 'aContent' | 'aaaaContent' | 'cnameContent' | 'nsContent',
): Rule {
  return ({ content }) => {
    if (typeof content !== 'string') return invalid('field', '/content')
    const stored = read(content)
    return stored === undefined ? invalid(problem) : value({ content: stored })
  }
}

const txt: Rule = ({ content }) =>
  typeof content === 'string' && content.length > 0 && Buffer.byteLength(content) <= maxTxtBytes
    ? value({ content })
    : invalid('field', '/content')

function mx({ content, priority }: JsonObject): Read<Content> {
  if (priority === undefined || priority === null) return invalid('priority')
  const preference = integer(priority, maxUint16)
  if (preference === undefined) return invalid('field', '/priority')
  if (typeof content !== 'string') return invalid('field', '/content')
  const exchange = hostOrRoot(content)
  return exchange === undefined ? invalid('mxContent') : value({ content: exchange, priority: preference })
}

/** Makes the rule of a type with structured content: reads each part of `data`, then formats the content. */
function ofData<Data extends Record<string, string | number>>(
  parts: { readonly [Part in keyof Data & string]: (sent: unknown) => Data[Part] | undefined },
  format: (data: Data) => string | undefined,
): Rule {
  return ({ data }) => {
    if (!isObject(data)) return invalid('field', '/data')
    const read: Record<string, string | number> = {}
    for (const [part, readPart] of Object.entries(parts)) {
      const given = readPart(data[part])
      if (given === undefined) return invalid('field', `/data/${part}`)
      read[part] = given
    }
    const content = format(read as Data)
    return content === undefined ? invalid('field', '/data') : value({ content, data: read })
  }
}

const caa = ofData<{ flags: number; tag: string; value: string }>(
  {
    flags: sent => integer(sent, maxUint8),
    tag: sent =>
      typeof sent === 'string' && /^[A-Za-z0-9]{1,15}$/.test(sent) ? sent.toLowerCase() : undefined,
    value: sent =>
      typeof sent === 'string' && /^[\x20-\x7e]*$/.test(sent) && sent.length <= maxCaaValueLength
        ? sent
        : undefined,
  },
  data => `${data.flags} ${data.tag} "${data.value}"`,
)

const srv = ofData<{ priority: number; weight: number; port: number; target: string }>(
  {
    priority: sent => integer(sent, maxUint16),
    weight: sent => integer(sent, maxUint16),
    port: sent => integer(sent, maxUint16),
    target: hostOrRoot,
  },
  ({ priority, weight, port, target }) => `${priority} ${weight} ${port} ${target}`,
)

const https = ofData<{ priority: number; target: string; value: string }>(
  {
    priority: sent => integer(sent, maxUint16),
    target: hostOrRoot,
    value: sent =>
      typeof (sent ?? '') === 'string' && readSvcParams(String(sent ?? '')) !== undefined
        ? String(sent ?? '').trim()
        : undefined,
  },
  // Priority 0 is alias mode, which has no parameters (RFC 9460 section 2.4.2).
  data =>
    data.priority === 0 && data.value !== ''
      ? undefined
      : [data.priority, data.target, data.value].filter(part => part !== '').join(' '),
)

/** The supported types, each with the rule for its content. */
const rules: Readonly<Record<string, Rule>> = {
  A: ofText(sent => (isIPv4(sent) ? sent : undefined), 'aContent'),
  AAAA: ofText(sent => (isIPv6(sent) ? sent.toLowerCase() : undefined), 'aaaaContent'),
  CAA: caa,
  CNAME: ofText(host, 'cnameContent'),
  HTTPS: https,
  MX: mx,
  NS: ofText(host, 'nsContent'),
  SRV: srv,
  TXT: txt,
}

/** Whether a type is supported. */
export const isRecordType = (type: string): boolean => Object.hasOwn(rules, type)

/** Validates the fields of a record that depend on its type. */
export const readContent = (type: string, sent: JsonObject): Read<Content> =>
  rules[type]?.(sent) ?? invalid('type')
