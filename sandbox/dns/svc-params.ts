import { isIPv4, isIPv6 } from 'node:net'

/** One parameter of an HTTPS record, ready for the wire. */
export type SvcParam = { readonly key: number; readonly value: Buffer }

const longestValue = 65_535
const longestString = 255

const uint16 = (number: number): Buffer => {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16BE(number)
  return bytes
}

const ipv6Bytes = (address: string): Buffer => {
  const [head = '', tail] = address.toLowerCase().split('::')
  const groups = (text: string) => (text === '' ? [] : text.split(':'))
  const [before, after] = [groups(head), groups(tail ?? '')]
  const missing = tail === undefined ? 0 : 8 - before.length - after.length
  const all = [...before, ...Array<string>(Math.max(0, missing)).fill('0'), ...after]
  return Buffer.concat(all.map(group => uint16(Number.parseInt(group, 16))))
}

const list = (text: string, read: (element: string) => Buffer | undefined): Buffer | undefined => {
  const elements = text.split(',').map(read)
  const whole = elements.filter(element => element !== undefined)
  return whole.length === elements.length ? Buffer.concat(whole) : undefined
}

const protocol = (name: string): Buffer | undefined => {
  const bytes = Buffer.from(name)
  return bytes.length > 0 && bytes.length <= longestString
    ? Buffer.concat([Buffer.from([bytes.length]), bytes])
    : undefined
}

const keyNumber = (name: string): number | undefined => {
  const at = names.indexOf(name)
  if (at >= 0) return at
  const number = /^key(\d{1,5})$/.exec(name)?.[1]
  return number !== undefined && Number(number) < 65_535 ? Number(number) : undefined
}

const keyBytes = (name: string): Buffer | undefined => {
  const key = keyNumber(name)
  return key === undefined ? undefined : uint16(key)
}

/** The parameters with a name, in the order of their numbers, and how each value goes on the wire: RFC 9460 section 14.3.2. */
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
  // An address with IPv4 digits at its end would need a form of its own, and nobody hints with one.
  ['ipv6hint', text => list(text, one => (isIPv6(one) && !/[.%]/.test(one) ? ipv6Bytes(one) : undefined))],
]
const names = forms.map(([name]) => name)

const readParam = (name: string, text: string): SvcParam | undefined => {
  const key = keyNumber(name)
  if (key === undefined) return undefined
  const form = forms[key]
  const value = form === undefined ? Buffer.from(text) : form[1](text)
  return value === undefined || value.length > longestValue ? undefined : { key, value }
}

const param = /\s*([a-z0-9-]+)(?:=(?:"([^"\\]*)"|([^\s"\\]*)))?(?=\s|$)/gy

/**
 * Reads service parameters as they are written in a zone file (`alpn="h3,h2" port=443`), without escapes.
 * @returns the parameters in the order of the wire, or undefined when the text is none or names one twice
 */
export const readSvcParams = (text: string): SvcParam[] | undefined => {
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

const nameBytes = (name: string): Buffer => {
  const labels = name === '.' ? [] : name.split('.')
  const parts = labels.map(label => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)]))
  return Buffer.concat([...parts, Buffer.from([0])])
}

/** The data of an HTTPS record: RFC 9460 section 2.2. */
export const httpsData = (priority: number, target: string, params: readonly SvcParam[]): Buffer =>
  Buffer.concat([
    uint16(priority),
    nameBytes(target),
    ...params.flatMap(({ key, value }) => [uint16(key), uint16(value.length), value]),
  ])
