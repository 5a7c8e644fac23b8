/** The record types whose data this codec reads, with their numbers (RFC 1035 section 3.2.2, RFC 3596). */
const typeNumbers = { A: 1, NS: 2, CNAME: 5, AAAA: 28 } as const

export type DnsType = keyof typeof typeNumbers

export interface DnsQuestion {
  /** 0 for DNS over HTTPS (RFC 8484 section 4.1); random otherwise. */
  readonly id: number
  /** A canonical hostname: lower case, Punycode, no trailing dot. */
  readonly name: string
  readonly type: DnsType
  /** True asks a resolver to find the answer; false asks a server what it serves itself. */
  readonly recursionDesired: boolean
}

export interface DnsAnswer {
  readonly name: string
  /** Null for a type that this codec does not read. */
  readonly type: DnsType | null
  /** Seconds. */
  readonly ttl: number
  /** An address or a name; empty for a type that this codec does not read. */
  readonly data: string
}

export interface DnsResponse {
  readonly authoritative: boolean
  /** The answers did not fit. Ask again over TCP. */
  readonly truncated: boolean
  /** `NOERROR`, `NXDOMAIN` and so on, or `RCODE11` for one without a name here. */
  readonly rcode: string
  readonly answers: readonly DnsAnswer[]
}

const headerBytes = 12
const maxLabelBytes = 63
/** RFC 1035 section 2.3.4, without the root's own byte. */
const maxNameBytes = 254
const internetClass = 1
const flag = {
  response: 0x8000,
  opcode: 0x7800,
  authoritative: 0x0400,
  truncated: 0x0200,
  recursionDesired: 0x0100,
}
const rcodes = ['NOERROR', 'FORMERR', 'SERVFAIL', 'NXDOMAIN', 'NOTIMP', 'REFUSED']

/**
 * Writes a query for one name and type.
 * @throws RangeError if the name cannot be encoded
 */
export function encodeQuery({ id, name, type, recursionDesired }: DnsQuestion): Uint8Array<ArrayBuffer> {
  const labels = name.split('.').map(label => Buffer.from(label, 'latin1'))
  const nameBytes = labels.reduce((sum, label) => sum + 1 + label.length, 0)
  if (nameBytes > maxNameBytes || labels.some(({ length }) => length === 0 || length > maxLabelBytes)) {
    throw new RangeError('The name cannot be encoded.')
  }
  const header = [id, recursionDesired ? flag.recursionDesired : 0, 1, 0, 0, 0].flatMap(twoBytes)
  const wireName = [...labels.flatMap(label => [label.length, ...label]), 0]
  return Uint8Array.from([...header, ...wireName, ...twoBytes(typeNumbers[type]), ...twoBytes(internetClass)])
}

/**
 * Reads the response to a query. Returns null for anything else: another id, another question, a message cut short or
 * malformed. The question may be missing from an error. Authority and additional records are not read.
 */
export function decodeResponse(message: Uint8Array, query: DnsQuestion): DnsResponse | null {
  if (message.length < headerBytes) return null
  const view = new DataView(message.buffer, message.byteOffset, message.byteLength)
  const flags = view.getUint16(2)
  const [questions, answerCount] = [view.getUint16(4), view.getUint16(6)]
  if (view.getUint16(0) !== query.id || !(flags & flag.response) || flags & flag.opcode) return null
  const rcode = rcodes[flags & 0xf] ?? `RCODE${flags & 0xf}`
  const truncated = (flags & flag.truncated) !== 0
  const authoritative = (flags & flag.authoritative) !== 0
  if (questions > 1 || (questions === 0 && rcode === 'NOERROR')) return null
  try {
    let at = headerBytes
    if (questions === 1) {
      const asked = readName(view, at)
      const [type, dnsClass] = [view.getUint16(asked.end), view.getUint16(asked.end + 2)]
      const same = asked.name === query.name.toLowerCase() && type === typeNumbers[query.type]
      if (!same || dnsClass !== internetClass) return null
      at = asked.end + 4
    }
    const answers: DnsAnswer[] = []
    for (let read = 0; read < answerCount; read++) {
      const { answer, end } = readAnswer(view, at)
      answers.push(answer)
      at = end
    }
    return { authoritative, truncated, rcode, answers }
  } catch (error) {
    // DataView throws it for a read beyond the message, and the functions below for malformed data.
    if (!(error instanceof RangeError)) throw error
    // A truncated message may end inside a record (RFC 2181 section 9).
    return truncated ? { authoritative, truncated, rcode, answers: [] } : null
  }
}

function readAnswer(view: DataView, start: number): { readonly answer: DnsAnswer; readonly end: number } {
  const { name, end: at } = readName(view, start)
  const [typeNumber, dnsClass] = [view.getUint16(at), view.getUint16(at + 2)]
  const ttl = view.getUint32(at + 4)
  const dataStart = at + 10
  const end = dataStart + view.getUint16(at + 8)
  if (end > view.byteLength) throw new RangeError('The data is cut short.')
  const known = Object.entries(typeNumbers).find(([, number]) => number === typeNumber)?.[0] as
    | DnsType
    | undefined
  const type = dnsClass === internetClass ? (known ?? null) : null
  const data = type === null ? '' : readData(view, type, dataStart, end)
  // A ttl with its highest bit set means 0 (RFC 2181 section 8).
  return { answer: { name, type, ttl: ttl < 0x8000_0000 ? ttl : 0, data }, end }
}

function readData(view: DataView, type: DnsType, start: number, end: number): string {
  if (type === 'NS' || type === 'CNAME') {
    const name = readName(view, start)
    if (name.end !== end) throw new RangeError('The data is longer than the name in it.')
    return name.name
  }
  if (end - start !== (type === 'A' ? 4 : 16)) throw new RangeError('The data is not as long as an address.')
  const bytes = new Uint8Array(view.buffer, view.byteOffset + start, end - start)
  if (type === 'A') return bytes.join('.')
  const groups = Array.from({ length: 8 }, (_, group) => view.getUint16(start + group * 2).toString(16))
  // The URL parser writes an address in its canonical form (RFC 5952).
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1)
}

/**
 * Reads a name in lower case, and where it ends. A pointer must lead backwards (RFC 1035 section 4.1.4: to a prior
 * occurrence), so no chain of them is endless. Bytes that no hostname has are written as `\DDD`.
 */
function readName(view: DataView, start: number): { readonly name: string; readonly end: number } {
  const labels: string[] = []
  let nameBytes = 0
  let end: number | null = null
  let at = start
  let lowest = start
  for (let length = view.getUint8(at); length !== 0; length = view.getUint8(at)) {
    if (length >= 0xc0) {
      end ??= at + 2
      at = view.getUint16(at) & 0x3fff
      if (at >= lowest) throw new RangeError('A pointer does not lead backwards.')
      lowest = at
      continue
    }
    nameBytes += 1 + length
    if (length > maxLabelBytes || nameBytes > maxNameBytes) throw new RangeError('A name is too long.')
    labels.push(labelText(view, at + 1, length))
    at += 1 + length
  }
  return { name: labels.join('.'), end: end ?? at + 1 }
}

function labelText(view: DataView, start: number, length: number): string {
  const bytes = Array.from({ length }, (_, offset) => view.getUint8(start + offset))
  return bytes
    .map(byte => String.fromCharCode(byte))
    .map(character =>
      /[\w*-]/.test(character) ? character : `\\${String(character.charCodeAt(0)).padStart(3, '0')}`,
    )
    .join('')
    .toLowerCase()
}

function twoBytes(value: number): readonly [number, number] {
  return [value >> 8, value & 0xff]
}
