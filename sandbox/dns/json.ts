import { encode, type Packet } from 'dns-packet'
import type { DnsAnswer } from './served.ts'
import { type Query, type Reply, rcodes } from './wire.ts'

/** Where things stand in a message that holds one record of the root and nothing else (RFC 1035 section 4). */
const typeAt = 13
const dataAt = 23

/** One record in wire form, for its type's number and for data that has no other form here. */
const wireOf = (answer: DnsAnswer): Buffer =>
  encode({ answers: [{ ...answer, name: '.' } as DnsAnswer] } as Packet)

const quoted = (text: Buffer): string => `"${text.toString().replace(/["\\]/g, '\\$&')}"`

const texts = (data: Buffer | string | readonly (Buffer | string)[]): string =>
  [data]
    .flat()
    .map(text => quoted(Buffer.from(text)))
    .join(' ')

/** A record's data as a zone file has it; in the form of RFC 3597 for types without one here. */
const presentation = (answer: DnsAnswer): string => {
  switch (answer.type) {
    case 'A':
    case 'AAAA':
    case 'CNAME':
    case 'NS':
      return answer.data
    case 'TXT':
      return texts(answer.data)
    case 'MX':
      return `${answer.data.preference ?? 0} ${answer.data.exchange}`
    case 'SRV': {
      const { priority = 0, weight = 0, port, target } = answer.data
      return `${priority} ${weight} ${port} ${target}`
    }
    case 'CAA': {
      const { flags = 0, tag, value } = answer.data
      return `${flags} ${tag} ${quoted(Buffer.from(value))}`
    }
    case 'SOA': {
      const { mname, rname, serial, refresh, retry, expire, minimum } = answer.data
      return [mname, rname, serial, refresh, retry, expire, minimum].join(' ')
    }
    default: {
      const data = wireOf(answer).subarray(dataAt)
      return `\\# ${data.length} ${data.toString('hex')}`
    }
  }
}

const record = (answer: DnsAnswer) => ({
  name: answer.name,
  type: wireOf(answer).readUInt16BE(typeAt),
  TTL: 'ttl' in answer ? (answer.ttl ?? 0) : 0,
  data: presentation(answer),
})

/** A reply as the public resolvers write it in JSON; lists that are empty are left out. */
export const toJson = (query: Query, reply: Reply): string => {
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
