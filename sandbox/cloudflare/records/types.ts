import { isIPv4, isIPv6, SocketAddress } from 'node:net'
import { isObject, type JsonObject } from '../../http/validation.ts'
import { allOf, invalid, type Reading, value } from '../field.ts'
import { targetName } from '../names.ts'
import type { RecordDraft } from './record.ts'
import { readSvcParams } from './svc-params.ts'

/** The fields of a record that depend on its type. */
type Content = Pick<RecordDraft, 'content' | 'priority' | 'data'>

const maxTxtBytes = 2048
const maxCaaValueLength = 255
const maxHexLength = 8192
const maxUint16 = 65_535
const maxUint8 = 255

const host = (sent: unknown): string | null =>
  typeof sent === 'string' && !isIPv4(sent) ? targetName(sent) : null

/** Returns a hostname, or `.` for "none" (RFC 7505, RFC 2782, RFC 9460). */
const hostOrRoot = (sent: unknown): string | null => (sent === '.' ? '.' : host(sent))

const integer = (sent: unknown, max: number): number | null =>
  typeof sent === 'number' && Number.isInteger(sent) && sent >= 0 && sent <= max ? sent : null

/** Reads a number in `data`, which clients also send as text (libcloud issue 1512). */
const dataInteger = (sent: unknown, max: number): number | null =>
  integer(typeof sent === 'string' && /^\d{1,5}$/.test(sent) ? Number(sent) : sent, max)
const uint8 = (sent: unknown): number | null => dataInteger(sent, maxUint8)
const uint16 = (sent: unknown): number | null => dataInteger(sent, maxUint16)

const hexadecimal = (sent: unknown): string | null =>
  typeof sent === 'string' && sent.length <= maxHexLength && /^([0-9a-f]{2})+$/i.test(sent) ? sent : null

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

function readDataPart(
  data: JsonObject,
  part: string,
  read: (sent: unknown) => string | number | null,
): Reading<string | number> {
  const fits = read(data[part])
  if (fits !== null) return value(fits)
  return data[part] === undefined
    ? { problems: [{ problem: 'dataMissing', field: part }] }
    : invalid('field', `/data/${part}`)
}

/**
 * Makes the rule of a type with structured content: reads each part of `data`, then formats the content. Reports every
 * missing part.
 */
function ofData<Data extends Record<string, string | number>>(
  parts: { readonly [Part in keyof Data & string]: (sent: unknown) => Data[Part] | null },
  format: (data: Data) => string | null,
): Rule {
  return ({ data }) => {
    const given = data ?? {}
    if (!isObject(given)) return invalid('field', '/data')
    const read = allOf(
      Object.fromEntries(
        Object.entries(parts).map(([part, readPart]) => [part, readDataPart(given, part, readPart)]),
      ),
    )
    if ('problems' in read) return read
    const content = format(read.value as Data)
    return content === null ? invalid('field', '/data') : value({ content, data: read.value })
  }
}

const caa = ofData<{ flags: number; tag: string; value: string }>(
  {
    flags: uint8,
    tag: sent => (typeof sent === 'string' && /^[A-Za-z0-9]{1,15}$/.test(sent) ? sent.toLowerCase() : null),
    value: sent =>
      typeof sent === 'string' && /^[\x20-\x7e]*$/.test(sent) && sent.length <= maxCaaValueLength
        ? sent
        : null,
  },
  data => `${data.flags} ${data.tag} "${data.value}"`,
)

const srv = ofData<{ priority: number; weight: number; port: number; target: string }>(
  {
    priority: uint16,
    weight: uint16,
    port: uint16,
    target: hostOrRoot,
  },
  // Without the priority (terraform-provider-cloudflare, acceptance test of SRV, 2026).
  ({ weight, port, target }) => `${weight} ${port} ${target}`,
)

const ds = ofData<{ key_tag: number; algorithm: number; digest_type: number; digest: string }>(
  { key_tag: uint16, algorithm: uint8, digest_type: uint8, digest: hexadecimal },
  data => `${data.key_tag} ${data.algorithm} ${data.digest_type} ${data.digest}`,
)

const sshfp = ofData<{ algorithm: number; type: number; fingerprint: string }>(
  // Stored in upper case (octodns-cloudflare PR 39).
  { algorithm: uint8, type: uint8, fingerprint: sent => hexadecimal(sent)?.toUpperCase() ?? null },
  ({ algorithm, type, fingerprint }) => `${algorithm} ${type} ${fingerprint}`,
)

const tlsa = ofData<{ usage: number; selector: number; matching_type: number; certificate: string }>(
  { usage: uint8, selector: uint8, matching_type: uint8, certificate: hexadecimal },
  data => `${data.usage} ${data.selector} ${data.matching_type} ${data.certificate}`,
)

const https = ofData<{ priority: number; target: string; value: string }>(
  {
    priority: uint16,
    target: hostOrRoot,
    value: sent =>
      typeof (sent ?? '') === 'string' && readSvcParams(String(sent ?? '')) !== null
        ? String(sent ?? '').trim()
        : null,
  },
  // Priority 0 is alias mode, which has no parameters (RFC 9460 section 2.4.2).
  data =>
    data.priority === 0 && data.value !== ''
      ? null
      : [data.priority, data.target, data.value].filter(part => part !== '').join(' '),
)

/** The supported types, each with the rule for its content. */
const rules: Readonly<Record<string, Rule>> = {
  A: ofText(sent => (isIPv4(sent) ? sent : null), 'aContent'),
  AAAA: ofText(ipv6, 'aaaaContent'),
  CAA: caa,
  CNAME: ofText(host, 'cnameContent'),
  DS: ds,
  HTTPS: https,
  MX: mx,
  NS: ofText(host, 'nsContent'),
  SRV: srv,
  SSHFP: sshfp,
  TLSA: tlsa,
  TXT: txt,
}

/** Whether a type is supported. */
export const isRecordType = (type: string): boolean => Object.hasOwn(rules, type)

/** Validates the fields of a record that depend on its type. */
export const readContent = (type: string, sent: JsonObject): Reading<Content> =>
  rules[type]?.(sent) ?? invalid('type')
