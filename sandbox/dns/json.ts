import { encode, type Packet } from 'dns-packet'
import type { DnsAnswer } from './served.ts'
import { type Query, type Reply, rcodes } from './wire.ts'

/** The offset of the type in a message with only one record, whose name is the root (RFC 1035 section 4). */
const typeOffset = 13

/** Encodes a record, to read its type number. */
const wireOf = (answer: DnsAnswer): Buffer =>
  encode({ answers: [{ ...answer, name: '.' } as DnsAnswer] } as Packet)

/** Returns the data of a record in zone file format. */
function presentation(answer: DnsAnswer): string {
  switch (answer.type) {
    case 'A':
    case 'AAAA':
    case 'CNAME':
    case 'NS':
      return answer.data
    case 'SOA': {
      const { mname, rname, serial, refresh, retry, expire, minimum } = answer.data
      return [mname, rname, serial, refresh, retry, expire, minimum].join(' ')
    }
    default:
      throw new Error(`${answer.type} is not served.`)
  }
}

const record = (answer: DnsAnswer) => ({
  name: answer.name,
  type: wireOf(answer).readUInt16BE(typeOffset),
  TTL: 'ttl' in answer ? (answer.ttl ?? 0) : 0,
  data: presentation(answer),
})

/** Converts a reply to the JSON of public resolvers, which omits empty lists. */
export function toJson(query: Query, reply: Reply): string {
  const { answers, authorities } = reply
  return JSON.stringify({
    Status: rcodes[reply.rcode],
    TC: false,
    RD: true,
    RA: true,
    AD: false,
    CD: false,
    Question: [{ name: query.name, type: query.question.readUInt16BE(query.question.length - 4) }],
    ...(answers.length > 0 && { Answer: answers.map(record) }),
    ...(authorities.length > 0 && { Authority: authorities.map(record) }),
  })
}
