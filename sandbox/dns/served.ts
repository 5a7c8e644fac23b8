import { isIPv4, isIPv6 } from 'node:net'
import type { Answer, StringAnswer } from 'dns-packet'
import type { ServedRecord, ServedZone } from './zone-view.ts'

/** A record in a reply. */
export type DnsAnswer = Answer

/** The ttl served for an automatic one, in seconds (API reference, DNS Records). */
const automaticTtl = 300
/** In seconds; also how long negative answers can be cached (RFC 2308). */
const soaTtl = 1800
const nameServerTtl = 86_400
const maxStringBytes = 255
const maxHostLength = 253
const maxLabelLength = 63

/** Substitutes for the addresses of the proxy, from ranges for documentation (RFC 5737, RFC 3849). */
const proxyAddresses = { A: '198.51.100.1', AAAA: '2001:db8::1' } as const

/** Returns the SOA of a zone. */
export const soaOf = (zone: ServedZone): DnsAnswer => ({
  type: 'SOA',
  name: zone.name,
  ttl: soaTtl,
  data: {
    mname: zone.nameServers[0] ?? zone.name,
    rname: `dns.${zone.name}`,
    serial: zone.serial,
    refresh: 10_000,
    retry: 2400,
    expire: 604_800,
    minimum: soaTtl,
  },
})

/** Returns the records that every zone has: SOA and NS at the apex, and addresses of its name servers. */
export function builtIn(zone: ServedZone, name: string): DnsAnswer[] {
  if (name === zone.name) {
    const servers = zone.nameServers.map(
      (data): StringAnswer => ({ type: 'NS', name, ttl: nameServerTtl, data }),
    )
    return [soaOf(zone), ...servers]
  }
  return zone.nameServers.includes(name) ? [{ type: 'A', name, ttl: nameServerTtl, data: '127.0.0.1' }] : []
}

/** Returns the strings of a TXT record: the quoted ones, or else the whole text in pieces of 255 bytes. */
function textStrings(content: string): Buffer[] {
  const quoted = content.startsWith('"') ? [...content.matchAll(/"((?:[^"\\]|\\.)*)"/gs)] : []
  const texts =
    quoted.length > 0 ? quoted.map(([, text]) => (text ?? '').replace(/\\(.)/gs, '$1')) : [content]
  return texts.flatMap(text => {
    const bytes = Buffer.from(text)
    const pieces = Math.max(1, Math.ceil(bytes.length / maxStringBytes))
    return Array.from({ length: pieces }, (_, at) =>
      bytes.subarray(at * maxStringBytes, (at + 1) * maxStringBytes),
    )
  })
}

const isHost = (text: string): boolean =>
  text.length <= maxHostLength &&
  text.split('.').every(label => label.length > 0 && label.length <= maxLabelLength)

const cannotEncode = ({ type, content }: ServedRecord): Error =>
  new Error(`A ${type} record cannot hold "${content}".`)

/** Throws for an invalid address or hostname, which dns-packet would encode as a different one. */
function requireValid(record: ServedRecord): void {
  const { type, content } = record
  const fits = type === 'A' ? isIPv4(content) : type === 'AAAA' ? isIPv6(content) : isHost(content)
  if (!fits) throw cannotEncode(record)
}

/**
 * Converts a stored record to DNS, under the name of the question. Returns nothing for unsupported types.
 * @throws Error if the record cannot be encoded
 */
export function toAnswers(record: ServedRecord, name: string): DnsAnswer[] {
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
      requireValid(record)
      return [{ type: record.type, name, ttl, data: record.content }]
    case 'TXT':
      return [{ type: 'TXT', name, ttl, data: textStrings(record.content) }]
    case 'MX': {
      const { content, priority } = record
      if (priority === undefined || (content !== '.' && !isHost(content))) throw cannotEncode(record)
      return [{ type: 'MX', name, ttl, data: { preference: priority, exchange: content } }]
    }
    default:
      return []
  }
}
