import { isIPv4, isIPv6 } from 'node:net'
import { readSvcParams } from '../../dns/svc-params.ts'
import { isObject, type JsonObject } from '../../http/validation.ts'
import { type Read, value, wrong } from '../field.ts'
import { targetName } from '../names.ts'
import type { RecordDraft } from './record.ts'

/** What of a record depends on its type. */
export type Content = Pick<RecordDraft, 'content' | 'priority' | 'data'>

const longestTxt = 2048
const longestCaaValue = 255
const mostUint16 = 65_535
const mostUint8 = 255

const host = (sent: unknown): string | undefined =>
  typeof sent === 'string' && !isIPv4(sent) ? targetName(sent) : undefined

/** A host, or the root for "none": RFC 7505, RFC 2782, RFC 9460. */
const hostOrRoot = (sent: unknown): string | undefined => (sent === '.' ? '.' : host(sent))

const whole = (sent: unknown, most: number): number | undefined =>
  typeof sent === 'number' && Number.isInteger(sent) && sent >= 0 && sent <= most ? sent : undefined

type Rule = (sent: JsonObject) => Read<Content>

const text =
  (read: (content: string) => string | undefined, problem: 'aContent' | 'aaaaContent' | 'nsContent'): Rule =>
  ({ content }) => {
    if (typeof content !== 'string') return wrong('field', '/content')
    const stored = read(content)
    return stored === undefined ? wrong(problem) : value({ content: stored })
  }

const cname: Rule = ({ content }) => {
  if (typeof content !== 'string') return wrong('field', '/content')
  const target = host(content)
  return target === undefined ? wrong('cnameContent') : value({ content: target })
}

const txt: Rule = ({ content }) =>
  typeof content === 'string' && content.length > 0 && Buffer.byteLength(content) <= longestTxt
    ? value({ content })
    : wrong('field', '/content')

const mx: Rule = ({ content, priority }) => {
  if (priority === undefined || priority === null) return wrong('priority')
  const preference = whole(priority, mostUint16)
  if (preference === undefined) return wrong('field', '/priority')
  if (typeof content !== 'string') return wrong('field', '/content')
  const exchange = hostOrRoot(content)
  return exchange === undefined ? wrong('mxContent') : value({ content: exchange, priority: preference })
}

/** A rule for a type whose parts stand in `data`; each part reads its own, and all together make the content. */
const ofData =
  <Data extends Record<string, string | number>>(
    parts: { readonly [Part in keyof Data & string]: (sent: unknown) => Data[Part] | undefined },
    format: (data: Data) => string | undefined,
  ): Rule =>
  ({ data }) => {
    if (!isObject(data)) return wrong('field', '/data')
    const read: Record<string, string | number> = {}
    for (const [part, readPart] of Object.entries(parts)) {
      const given = readPart(data[part])
      if (given === undefined) return wrong('field', `/data/${part}`)
      read[part] = given
    }
    const content = format(read as Data)
    return content === undefined ? wrong('field', '/data') : value({ content, data: read })
  }

const caa = ofData<{ flags: number; tag: string; value: string }>(
  {
    flags: sent => whole(sent, mostUint8),
    tag: sent =>
      typeof sent === 'string' && /^[A-Za-z0-9]{1,15}$/.test(sent) ? sent.toLowerCase() : undefined,
    value: sent =>
      typeof sent === 'string' && /^[\x20-\x7e]*$/.test(sent) && sent.length <= longestCaaValue
        ? sent
        : undefined,
  },
  data => `${data.flags} ${data.tag} "${data.value}"`,
)

const srv = ofData<{ priority: number; weight: number; port: number; target: string }>(
  {
    priority: sent => whole(sent, mostUint16),
    weight: sent => whole(sent, mostUint16),
    port: sent => whole(sent, mostUint16),
    target: hostOrRoot,
  },
  ({ priority, weight, port, target }) => `${priority} ${weight} ${port} ${target}`,
)

const https = ofData<{ priority: number; target: string; value: string }>(
  {
    priority: sent => whole(sent, mostUint16),
    target: hostOrRoot,
    value: sent =>
      typeof (sent ?? '') === 'string' && readSvcParams(String(sent ?? '')) !== undefined
        ? String(sent ?? '').trim()
        : undefined,
  },
  // Priority 0 makes an alias, which has no parameters: RFC 9460 section 2.4.2.
  data =>
    data.priority === 0 && data.value !== ''
      ? undefined
      : [data.priority, data.target, data.value].filter(part => part !== '').join(' '),
)

/** The types that can be written, and what each makes of a client's fields. */
const rules: Readonly<Record<string, Rule>> = {
  A: text(sent => (isIPv4(sent) ? sent : undefined), 'aContent'),
  AAAA: text(sent => (isIPv6(sent) ? sent.toLowerCase() : undefined), 'aaaaContent'),
  CAA: caa,
  CNAME: cname,
  HTTPS: https,
  MX: mx,
  NS: text(host, 'nsContent'),
  SRV: srv,
  TXT: txt,
}

/** Whether records of a type can be written here. */
export const isRecordType = (type: string): boolean => Object.hasOwn(rules, type)

/** Reads what of a record depends on its type, from the fields that a client sent. */
export const readContent = (type: string, sent: JsonObject): Read<Content> =>
  rules[type]?.(sent) ?? wrong('type')
