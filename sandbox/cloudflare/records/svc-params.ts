import { isIPv4, isIPv6 } from 'node:net'

/** A parameter of an HTTPS record in wire format. */
export interface SvcParam {
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

function list(text: string, read: (element: string) => Buffer | undefined): Buffer | undefined {
  const elements = text.split(',').map(read)
  const whole = elements.filter(element => element !== undefined)
  return whole.length === elements.length ? Buffer.concat(whole) : undefined
}

function protocol(name: string): Buffer | undefined {
  const bytes = Buffer.from(name)
  return bytes.length > 0 && bytes.length <= maxProtocolBytes
    ? Buffer.concat([Buffer.from([bytes.length]), bytes])
    : undefined
}

function keyNumber(name: string): number | undefined {
  const at = names.indexOf(name)
  if (at >= 0) return at
  const number = /^key(\d{1,5})$/.exec(name)?.[1]
  return number !== undefined && Number(number) < 65_535 ? Number(number) : undefined
}

function keyBytes(name: string): Buffer | undefined {
  const key = keyNumber(name)
  return key === undefined ? undefined : uint16(key)
}

/** The named parameters by key number, with the encoding of their values (RFC 9460 section 14.3.2). */
const forms: readonly [name: string, write: (text: string) => Buffer | undefined][] = [
  ['mandatory', text => list(text, keyBytes)],
  ['alpn', text => list(text, protocol)],
  ['no-default-alpn', text => (text === '' ? Buffer.alloc(0) : undefined)],
  ['port', text => (/^\d{1,5}$/.test(text) && Number(text) <= 65_535 ? uint16(Number(text)) : undefined)],
  [
    'ipv4hint',
    text => list(text, one => (isIPv4(one) ? Buffer.from(one.split('.').map(Number)) : undefined)),
  ],
  ['ech', text => (/^[A-Za-z0-9+/]+={0,2}$/.test(text) ? Buffer.from(text, 'base64') : undefined)],
  // Addresses that end in IPv4 notation are not supported.
  ['ipv6hint', text => list(text, one => (isIPv6(one) && !/[.%]/.test(one) ? ipv6Bytes(one) : undefined))],
]
const names = forms.map(([name]) => name)

function readParam(name: string, text: string): SvcParam | undefined {
  const key = keyNumber(name)
  if (key === undefined) return undefined
  const form = forms[key]
  const value = form === undefined ? Buffer.from(text) : form[1](text)
  return value === undefined || value.length > maxValueBytes ? undefined : { key, value }
}

const param = /\s*([a-z0-9-]+)(?:=(?:"([^"\\]*)"|([^\s"\\]*)))?(?=\s|$)/gy

/**
 * Parses service parameters in zone file format (`alpn="h3,h2" port=443`), without support for escapes.
 * @returns the parameters sorted by key, or undefined if the text is invalid or repeats a parameter
 */
export function readSvcParams(text: string): SvcParam[] | undefined {
  const trimmed = text.trim()
  const params: SvcParam[] = []
  param.lastIndex = 0
  while (param.lastIndex < trimmed.length) {
    const found = param.exec(trimmed)
    const read = found === null ? undefined : readParam(found[1] ?? '', found[2] ?? found[3] ?? '')
    if (read === undefined) return undefined
    params.push(read)
  }
  const keys = new Set(params.map(({ key }) => key))
  return keys.size === params.length ? params.sort((one, other) => one.key - other.key) : undefined
}
