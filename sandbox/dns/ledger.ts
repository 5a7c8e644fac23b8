import { type Area, assumed, documented, type Entry } from '../http/ledger.ts'

const recordsReference = 'API reference, DNS Records for a Zone'

/** The name servers. */
const nameServers = {
  'dns.answer': documented`The answer has the records with the queried name and type, their ttl and the AA flag. [RFC 1035]`,
  'dns.cname': documented`A CNAME is returned, and followed if its target is in the same zone. [RFC 1034 section 3.6.2]`,
  'dns.flattened': documented`A CNAME at the apex is not served. Its name has the addresses of the target instead. Assumed: if the target is outside the zones here, the answer is SERVFAIL. [documentation of DNS, CNAME flattening]`,
  'dns.wildcard': documented`A wildcard answers for names that do not exist. [RFC 4592]`,
  'dns.negative': documented`For a missing name, the answer is NXDOMAIN; for a missing type, it is empty. Both carry the SOA. [RFC 2308]`,
  'dns.referral': documented`For a name below an NS record, the answer refers to those name servers. Only the DS of the delegation is answered here. [RFC 1034 section 4.3.2; RFC 4035 section 3.1.4.1 for DS]`,
  'dns.apex-ns': assumed`NS records at the apex are stored and not served. The name servers are those of the zone. [documentation of DNS: apex NS records are ignored without custom name servers]`,
  'dns.refused': documented`Queries for other zones, and all zone transfers, are answered with REFUSED. [RFC 1035 section 4.1.1; RFC 5936 for transfers]`,
  'dns.edns': documented`The response to a query with OPT has OPT too, with the DO flag of the query. A query with an EDNS version above 0 gets BADVERS. [RFC 6891; RFC 3225 section 3 for DO]`,
  'dns.truncated': documented`An answer too long for UDP is sent empty with the TC flag. [RFC 2181 section 9]`,
  'dns.ttl-automatic': documented`A ttl of 1 (automatic) is served as 300. [${recordsReference}]`,
  'dns.late': assumed`With a \`stale\` fault, chosen name servers serve the state before a write for a set time. [name servers learn of changes one by one; the delay is unknown]`,
  'dns.proxied': assumed`A proxied name resolves to 198.51.100.1 and 2001:db8::1 instead of its content. [the real addresses are anycast addresses of the service]`,
} as const satisfies Readonly<Record<string, Entry>>

/** The DNS over HTTPS resolvers. */
const doh = {
  'doh.wire': documented`A wire-format query gets a wire-format answer: GET with \`dns\`, or POST with application/dns-message. [RFC 8484]`,
  'doh.json': documented`GET with \`name\`, \`type\` and Accept: application/dns-json gets JSON. The type is a name or a number. A query for a name in another zone gets Status 2. [documentation of 1.1.1.1, DNS over HTTPS with JSON]`,
  'doh.refused': documented`A request with a malformed message or an unknown type gets 400; with a wrong media type, 415; with a wrong method, 405. [RFC 8484 section 4; documentation of 1.1.1.1 for types]`,
} as const satisfies Readonly<Record<string, Entry>>

/** The id of a behaviour of the name servers or resolvers. */
export type DnsLedgerId = keyof typeof nameServers | keyof typeof doh

export const dnsAreas: readonly Area[] = [
  {
    title: 'Name servers',
    entries: nameServers,
    unknown: [
      { question: 'How long after a write can the name servers serve the old state?', meanwhile: 'dns.late' },
    ],
  },
  { title: 'DNS over HTTPS', entries: doh },
]
