import type { Answer, StringAnswer } from 'dns-packet'
import type { DnsRecord } from '../cloudflare/records/record.ts'
import type { Zone } from '../cloudflare/store.ts'

/** A record in a reply. */
export type DnsAnswer = Answer

/** The ttl served for an automatic one, in seconds (API reference, DNS Records). */
const automaticTtl = 300
/** In seconds; also how long negative answers can be cached (RFC 2308). */
const soaTtl = 1800
const nameServerTtl = 86_400

/** Substitutes for the addresses of the proxy, from ranges for documentation (RFC 5737, RFC 3849). */
const proxyAddresses = { A: '198.51.100.1', AAAA: '2001:db8::1' } as const

/** Returns the SOA of a zone. @param serial a number that increases with every change */
export const soaOf = (zone: Zone, serial: number): DnsAnswer => ({
  type: 'SOA',
  name: zone.name,
  ttl: soaTtl,
  data: {
    mname: zone.nameServers[0] ?? zone.name,
    rname: `dns.${zone.name}`,
    serial,
    refresh: 10_000,
    retry: 2400,
    expire: 604_800,
    minimum: soaTtl,
  },
})

/** Returns the records that every zone has: SOA and NS at the apex, and addresses of its name servers. */
export function builtIn(zone: Zone, soa: DnsAnswer, name: string): DnsAnswer[] {
  if (name === zone.name) {
    const servers = zone.nameServers.map(
      (data): StringAnswer => ({ type: 'NS', name, ttl: nameServerTtl, data }),
    )
    return [soa, ...servers]
  }
  return zone.nameServers.includes(name) ? [{ type: 'A', name, ttl: nameServerTtl, data: '127.0.0.1' }] : []
}

/**
 * Converts a stored record to DNS, under the name of the question. Returns nothing for other types than addresses, CNAME
 * and NS.
 */
export function toAnswers(record: DnsRecord, name: string): DnsAnswer[] {
  // documented: A ttl of 1 (automatic) is served as 300. [API reference, DNS Records for a Zone]
  const ttl = record.ttl === 1 ? automaticTtl : record.ttl
  if (record.proxied && record.proxiable) {
    // assumed: A proxied name resolves to 198.51.100.1 and 2001:db8::1 instead of its content. [the real addresses are anycast
    // addresses of the service]
    return [
      { type: 'A', name, ttl, data: proxyAddresses.A },
      { type: 'AAAA', name, ttl, data: proxyAddresses.AAAA },
    ]
  }
  switch (record.type) {
    case 'A':
    case 'AAAA':
    case 'CNAME':
    case 'NS':
      return [{ type: record.type, name, ttl, data: record.content }]
    default:
      return []
  }
}
