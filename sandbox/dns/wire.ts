import {
  AUTHORITATIVE_ANSWER,
  decode,
  encode,
  type OptAnswer,
  type Answer as PacketAnswer,
  RECURSION_DESIRED,
  TRUNCATED_RESPONSE,
} from 'dns-packet'
import type { DnsAnswer } from './served.ts'

/** Response codes by name: RFC 1035 section 4.1.1, and BADVERS of RFC 6891, which needs the OPT record's upper bits. */
export const rcodes = {
  NOERROR: 0,
  FORMERR: 1,
  SERVFAIL: 2,
  NXDOMAIN: 3,
  NOTIMP: 4,
  REFUSED: 5,
  BADVERS: 16,
} as const

export type Rcode = keyof typeof rcodes

export type Query = {
  readonly id: number
  readonly recursionDesired: boolean
  /** The question as it came: sent back byte for byte, for clients that hide entropy in its case. */
  readonly question: Buffer
  /** In the case of the question. Bytes other than those of a host name are escaped, so that they match no record. */
  readonly name: string
  readonly type: string
  readonly class: string
  /** What the client's OPT record says, if it sent one (RFC 6891). */
  readonly edns?: { readonly payload: number; readonly version: number }
}

/** A message that gets no more than a response code. */
export type Unanswerable = { readonly id: number; readonly rcode: 'FORMERR' | 'NOTIMP' }

export type Reply = {
  readonly rcode: Rcode
  readonly authoritative: boolean
  readonly answers: readonly DnsAnswer[]
  readonly authorities: readonly DnsAnswer[]
  readonly additionals: readonly DnsAnswer[]
}

const headerBytes = 12
const longestLabel = 63
const longestName = 255
const fixedQuestionBytes = 4
const opcodeMask = 0x7800
const responseBit = 0x8000
/** Fits every path without fragmenting: DNS flag day 2020. */
const payloadBytes = 1232
/** What a client without EDNS takes over UDP: RFC 1035 section 4.2.1. */
const plainPayloadBytes = 512

/** What dns-packet calls type 65, which it has no name for; such data goes on the wire as it is. */
const httpsType: string = 'UNKNOWN_65'

const toPacket = (answer: DnsAnswer): PacketAnswer =>
  // The cast is to a type whose data is bytes as well: dns-packet's types have no unknown ones.
  answer.type === 'HTTPS' ? { ...answer, type: httpsType as 'NULL' } : answer

const labelText = (label: Buffer): string =>
  [...label]
    .map(byte =>
      byte > 0x20 && byte < 0x7f && byte !== 0x2e && byte !== 0x5c
        ? String.fromCharCode(byte)
        : `\\${String(byte).padStart(3, '0')}`,
    )
    .join('')

/** The first question's bytes and name. dns-packet decodes names too, but loses what is not UTF-8 and dots in labels. */
const readQuestion = (packet: Buffer): { question: Buffer; name: string } | undefined => {
  const labels: string[] = []
  let at = headerBytes
  for (let length = packet[at]; length !== 0; length = packet[at]) {
    if (length === undefined || length > longestLabel || at - headerBytes > longestName) return undefined
    labels.push(labelText(packet.subarray(at + 1, at + 1 + length)))
    at += 1 + length
  }
  const end = at + 1 + fixedQuestionBytes
  return end > packet.length
    ? undefined
    : { question: packet.subarray(headerBytes, end), name: labels.join('.') }
}

const decodeOrUndefined = (packet: Buffer) => {
  try {
    return decode(packet)
  } catch {
    return undefined
  }
}

/** Reads one DNS message. Undefined means that no answer is due: it is too short to have an id, or itself an answer. */
export const readQuery = (packet: Buffer): Query | Unanswerable | undefined => {
  if (packet.length < headerBytes) return undefined
  const id = packet.readUInt16BE(0)
  const flags = packet.readUInt16BE(2)
  if (flags & responseBit) return undefined
  if (flags & opcodeMask) return { id, rcode: 'NOTIMP' }
  const decoded = packet.readUInt16BE(4) === 1 ? decodeOrUndefined(packet) : undefined
  const asked = decoded?.questions?.[0]
  const read = readQuestion(packet)
  const options = (decoded?.additionals ?? []).filter((record): record is OptAnswer => record.type === 'OPT')
  if (asked === undefined || read === undefined || options.length > 1) return { id, rcode: 'FORMERR' }
  const option = options[0]
  return {
    id,
    recursionDesired: (flags & RECURSION_DESIRED) !== 0,
    ...read,
    type: asked.type === httpsType ? 'HTTPS' : asked.type,
    class: asked.class ?? 'IN',
    ...(option && { edns: { payload: option.udpPayloadSize, version: option.ednsVersion } }),
  }
}

/** The answer to a message that is not a query one can answer. */
export const writeRcode = ({ id, rcode }: Unanswerable): Buffer =>
  encode({ type: 'response', id, flags: rcodes[rcode] })

/** What a reply may be long over UDP to this client, in bytes. */
export const udpLimit = ({ edns }: Query): number =>
  edns === undefined ? plainPayloadBytes : Math.min(payloadBytes, Math.max(plainPayloadBytes, edns.payload))

/** Writes a reply; one longer than `limit` bytes is sent empty and marked as truncated. */
export const writeReply = (
  query: Query,
  reply: Reply,
  limit: number,
): { packet: Buffer; truncated: boolean } => {
  const rcode = rcodes[reply.rcode]
  const option: OptAnswer = {
    type: 'OPT',
    name: '.',
    udpPayloadSize: payloadBytes,
    extendedRcode: rcode >> 4,
    ednsVersion: 0,
    flags: 0,
    flag_do: false,
    options: [],
  }
  const write = (
    flags: number,
    { answers, authorities, additionals }: Omit<Reply, 'rcode' | 'authoritative'>,
  ) => {
    const message = encode({
      type: 'response',
      id: query.id,
      flags,
      answers: answers.map(toPacket),
      authorities: authorities.map(toPacket),
      additionals: [...additionals.map(toPacket), ...(query.edns ? [option] : [])],
    })
    message.writeUInt16BE(1, 4)
    return Buffer.concat([message.subarray(0, headerBytes), query.question, message.subarray(headerBytes)])
  }
  const flags =
    (rcode & 0xf) |
    (reply.authoritative ? AUTHORITATIVE_ANSWER : 0) |
    (query.recursionDesired ? RECURSION_DESIRED : 0)
  const whole = write(flags, reply)
  if (whole.length <= limit) return { packet: whole, truncated: false }
  const empty = { answers: [], authorities: [], additionals: [] }
  return { packet: write(flags | TRUNCATED_RESPONSE, empty), truncated: true }
}
