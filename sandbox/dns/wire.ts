import { AUTHORITATIVE_ANSWER, decode, encode, RECURSION_DESIRED, type RecordType } from 'dns-packet'
import type { DnsAnswer } from './served.ts'

/** Response codes (RFC 1035 section 4.1.1). */
export const rcodes = {
  NOERROR: 0,
  SERVFAIL: 2,
  NXDOMAIN: 3,
  REFUSED: 5,
} as const

type Rcode = keyof typeof rcodes

/** A message with one question. */
export interface Query {
  readonly id: number
  readonly recursionDesired: boolean
  /** In the case of the question, which a reply keeps, for clients that randomize it. */
  readonly name: string
  readonly type: RecordType
}

/** The answer to a query, before it is encoded. */
export interface Reply {
  readonly rcode: Rcode
  readonly authoritative: boolean
  readonly answers: readonly DnsAnswer[]
  readonly authorities: readonly DnsAnswer[]
}

/** Returns a reply without records. */
export const emptyReply = (rcode: Rcode): Reply => ({
  rcode,
  authoritative: false,
  answers: [],
  authorities: [],
})

/** Parses a DNS message. Returns null for anything but a query with a question, which nobody here sends. */
export function readQuery(packet: Buffer): Query | null {
  try {
    const { type: kind, id = 0, flags = 0, questions = [] } = decode(packet)
    const [question] = questions
    if (kind !== 'query' || question === undefined) return null
    const recursionDesired = (flags & RECURSION_DESIRED) !== 0
    return { id, recursionDesired, name: question.name, type: question.type }
  } catch {
    return null
  }
}

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
  })
}
