import type { DnsAnswer } from './served.ts'
import { type Reply, rcodes } from './wire.ts'

/** The types that can be asked for, with their numbers (RFC 1035 section 3.2.2, RFC 3596). */
export const typeNumbers: Readonly<Record<string, number>> = {
  A: 1,
  NS: 2,
  CNAME: 5,
  SOA: 6,
  MX: 15,
  TXT: 16,
  AAAA: 28,
}

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
  type: typeNumbers[answer.type],
  TTL: 'ttl' in answer ? (answer.ttl ?? 0) : 0,
  data: presentation(answer),
})

/** Converts a reply to the JSON of public resolvers, which omits empty lists. */
export function toJson(name: string, type: string, reply: Reply): string {
  const { answers, authorities } = reply
  return JSON.stringify({
    Status: rcodes[reply.rcode],
    TC: false,
    RD: true,
    RA: true,
    AD: false,
    CD: false,
    Question: [{ name, type: typeNumbers[type] }],
    ...(answers.length > 0 && { Answer: answers.map(record) }),
    ...(authorities.length > 0 && { Authority: authorities.map(record) }),
  })
}
