import { isIPv4, isIPv6 } from 'node:net'

/** A parameter of an HTTPS record in wire format. */
interface SvcParam {
  readonly key: number
  readonly value: Buffer
}

const maxValueBytes = 65_535
const maxProtocolBytes = 255

function uint16(number: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16BE(number)
  return bytes
}

function ipv6Bytes(address: string): Buffer {
  const [head = '', tail] = address.toLowerCase().split('::')
  const groups = (text: string) => (text === '' ? [] : text.split(':'))
  const [before, after] = [groups(head), groups(tail ?? '')]
  const missing = tail === undefined ? 0 : 8 - before.length - after.length
  const all = [...before, ...Array<string>(Math.max(0, missing)).fill('0'), ...after]
  return Buffer.concat(all.map(group => uint16(Number.parseInt(group, 16))))
}

function list(text: string, read: (element: string) => Buffer | null): Buffer | null {
  const elements = text.split(',').map(read)
  const whole = elements.filter(element => element !== null)
  return whole.length === elements.length ? Buffer.concat(whole) : null
}

function protocol(name: string): Buffer | null {
  const bytes = Buffer.from(name)
  return bytes.length > 0 && bytes.length <= maxProtocolBytes
    ? Buffer.concat([Buffer.from([bytes.length]), bytes])
    : null
}

function keyNumber(name: string): number | null {
  const at = names.indexOf(name)
  if (at >= 0) return at
  const number = /^key(\d{1,5})$/.exec(name)?.[1]
  return number !== undefined && Number(number) < 65_535 ? Number(number) : null
}

function keyBytes(name: string): Buffer | null {
  const key = keyNumber(name)
  return key === null ? null : uint16(key)
}

/** The named parameters by key number, with the encoding of their values (RFC 9460 section 14.3.2). */
const forms: readonly [name: string, write: (text: string) => Buffer | null][] = [
  ['mandatory', text => list(text, keyBytes)],
  ['alpn', text => list(text, protocol)],
  ['no-default-alpn', text => (text === '' ? Buffer.alloc(0) : null)],
  ['port', text => (/^\d{1,5}$/.test(text) && Number(text) <= 65_535 ? uint16(Number(text)) : null)],
  ['ipv4hint', text => list(text, one => (isIPv4(one) ? Buffer.from(one.split('.').map(Number)) : null))],
  ['ech', text => (/^[A-Za-z0-9+/]+={0,2}$/.test(text) ? Buffer.from(text, 'base64') : null)],
  // Addresses that end in IPv4 notation are not supported.
  ['ipv6hint', text => list(text, one => (isIPv6(one) && !/[.%]/.test(one) ? ipv6Bytes(one) : null))],
]
const names = forms.map(([name]) => name)

function readParam(name: string, text: string): SvcParam | null {
  const key = keyNumber(name)
  if (key === null) return null
  const form = forms[key]
  const value = form === undefined ? Buffer.from(text) : form[1](text)
  return value === null || value.length > maxValueBytes ? null : { key, value }
}

const param = /\s*([a-z0-9-]+)(?:=(?:"([^"\\]*)"|([^\s"\\]*)))?(?=\s|$)/gy

/**
 * Parses service parameters in zone file format (`alpn="h3,h2" port=443`), without support for escapes.
 * @returns the parameters sorted by key, or null if the text is invalid or repeats a parameter
 */
export function readSvcParams(text: string): SvcParam[] | null {
  const trimmed = text.trim()
  const params: SvcParam[] = []
  param.lastIndex = 0
  while (param.lastIndex < trimmed.length) {
    const found = param.exec(trimmed)
    const read = found === null ? null : readParam(found[1] ?? '', found[2] ?? found[3] ?? '')
    if (read === null) return null
    params.push(read)
  }
  const keys = new Set(params.map(({ key }) => key))
  return keys.size === params.length ? params.sort((one, other) => one.key - other.key) : null
}
