import { AUTHORITATIVE_ANSWER, decode, encode, RECURSION_DESIRED, type RecordType } from 'dns-packet'
import type { DnsAnswer } from './served.ts'

/** Response codes (RFC 1035 section 4.1.1). */
export const rcodes = {
  NOERROR: 0,
  FORMERR: 1,
  SERVFAIL: 2,
  NXDOMAIN: 3,
  NOTIMP: 4,
  REFUSED: 5,
} as const

type Rcode = keyof typeof rcodes

/** A message with one question. */
export interface Query {
  readonly kind: 'query'
  readonly id: number
  readonly recursionDesired: boolean
  /** In the case of the question, which a reply keeps, for clients that randomize it. */
  readonly name: string
  readonly type: RecordType
}

/** A message that is answered with a response code only. */
interface Unanswerable {
  readonly kind: 'unanswerable'
  readonly id: number
  /** The bits of the opcode, which a response copies (RFC 1035 section 4.1.1). */
  readonly opcode: number
  readonly rcode: 'FORMERR' | 'NOTIMP'
}

/** A message that gets no answer: a response, or one too short for an id. */
interface Ignored {
  readonly kind: 'ignored'
}

/** The answer to a query, before it is encoded. */
export interface Reply {
  readonly rcode: Rcode
  readonly authoritative: boolean
  readonly answers: readonly DnsAnswer[]
  readonly authorities: readonly DnsAnswer[]
  readonly additionals: readonly DnsAnswer[]
}

/** Returns a reply without records. */
export const emptyReply = (rcode: Rcode): Reply => ({
  rcode,
  authoritative: false,
  answers: [],
  authorities: [],
  additionals: [],
})

const headerBytes = 12
const opcodeMask = 0x7800
const responseBit = 0x8000

function decodeOrNull(packet: Buffer) {
  try {
    return decode(packet)
  } catch {
    return null
  }
}

/** Parses a DNS message. */
export function readQuery(packet: Buffer): Query | Unanswerable | Ignored {
  if (packet.length < headerBytes) return { kind: 'ignored' }
  const id = packet.readUInt16BE(0)
  const flags = packet.readUInt16BE(2)
  if (flags & responseBit) return { kind: 'ignored' }
  const opcode = flags & opcodeMask
  if (opcode) return { kind: 'unanswerable', id, opcode, rcode: 'NOTIMP' }
  const decoded = packet.readUInt16BE(4) === 1 ? decodeOrNull(packet) : null
  const question = decoded?.questions?.[0]
  if (question === undefined) return { kind: 'unanswerable', id, opcode, rcode: 'FORMERR' }
  const recursionDesired = (flags & RECURSION_DESIRED) !== 0
  return { kind: 'query', id, recursionDesired, name: question.name, type: question.type }
}

/** Encodes a reply with a response code only. */
export const writeRcode = ({ id, opcode, rcode }: Unanswerable): Buffer =>
  encode({ type: 'response', id, flags: opcode | rcodes[rcode] })

/** Encodes a reply. */
export function writeReply(query: Query, reply: Reply): Buffer {
  return encode({
    type: 'response',
    id: query.id,
    questions: [{ name: query.name, type: query.type }],
    flags:
      rcodes[reply.rcode] |
      (reply.authoritative ? AUTHORITATIVE_ANSWER : 0) |
      (query.recursionDesired ? RECURSION_DESIRED : 0),
    answers: [...reply.answers],
    authorities: [...reply.authorities],
    additionals: [...reply.additionals],
  })
}
