import { isIPv4, isIPv6 } from 'node:net'
import type { BaseAnswer, CaaData, Answer as PacketAnswer, StringAnswer } from 'dns-packet'
import type { DnsLedgerId } from './ledger.ts'
import { httpsData, readSvcParams } from './svc-params.ts'
import type { ServedRecord, ServedZone } from './zone-view.ts'

/** A record in an answer. dns-packet has no name for HTTPS (RFC 9460): its data is ready for the wire. */
export type DnsAnswer = PacketAnswer | HttpsAnswer

export type HttpsAnswer = BaseAnswer<'HTTPS', Buffer>

/** Seconds for which an automatic ttl is served. */
const automaticTtl = 300
/** Seconds; also how long the absence of a name may be remembered (RFC 2308). */
const soaTtl = 1800
const nameServerTtl = 86_400
const longestString = 255
const longestHost = 253
const longestLabel = 63

/** What stands in for the proxy's addresses: RFC 5737 and RFC 3849, documentation. */
const proxyAddresses = { A: '198.51.100.1', AAAA: '2001:db8::1' } as const

/** The zone's start of authority; its serial number follows every change of the store. */
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

/** What a zone has without anybody having written it: SOA and NS at the apex, addresses for its name servers. */
export const builtIn = (zone: ServedZone, name: string): DnsAnswer[] => {
  if (name === zone.name) {
    const servers = zone.nameServers.map(
      (data): StringAnswer => ({ type: 'NS', name, ttl: nameServerTtl, data }),
    )
    return [soaOf(zone), ...servers]
  }
  return zone.nameServers.includes(name) ? [{ type: 'A', name, ttl: nameServerTtl, data: '127.0.0.1' }] : []
}

/** The character-strings of a TXT record: those in quotes, or else the whole text in pieces of 255 bytes. */
const textStrings = (content: string): Buffer[] => {
  const quoted = content.startsWith('"') ? [...content.matchAll(/"((?:[^"\\]|\\.)*)"/gs)] : []
  const texts =
    quoted.length > 0 ? quoted.map(([, text]) => (text ?? '').replace(/\\(.)/gs, '$1')) : [content]
  return texts.flatMap(text => {
    const bytes = Buffer.from(text)
    const pieces = Math.max(1, Math.ceil(bytes.length / longestString))
    return Array.from({ length: pieces }, (_, at) =>
      bytes.subarray(at * longestString, (at + 1) * longestString),
    )
  })
}

const isHost = (text: string): boolean =>
  text.length <= longestHost &&
  text.split('.').every(label => label.length > 0 && label.length <= longestLabel)

const unfit = ({ type, content }: ServedRecord): Error =>
  new Error(`A ${type} record cannot hold "${content}".`)

/** dns-packet writes what is no address or host as some other one: what tests put must be looked at here. */
const requireForm = (record: ServedRecord): void => {
  const { type, content } = record
  const fits = type === 'A' ? isIPv4(content) : type === 'AAAA' ? isIPv6(content) : isHost(content)
  if (!fits) throw unfit(record)
}

/** A part of a record's data that is to be a number, or one that is to be a host or the root. */
const partsOf = (record: ServedRecord) => {
  const part = (name: string) => record.data?.[name]
  return {
    number: (name: string): number => {
      const given = part(name)
      if (typeof given !== 'number') throw unfit(record)
      return given
    },
    text: (name: string): string => {
      const given = part(name)
      if (typeof given !== 'string') throw unfit(record)
      return given
    },
    host: (name: string): string => {
      const given = part(name)
      if (given !== '.' && (typeof given !== 'string' || !isHost(given))) throw unfit(record)
      return given
    },
  }
}

type Common = { readonly name: string; readonly ttl: number }

/** The types whose data has parts: mail exchanges, services, certificate authorities, service bindings. */
const toStructured = (record: ServedRecord, { name, ttl }: Common): DnsAnswer | undefined => {
  const { number, text, host } = partsOf(record)
  switch (record.type) {
    case 'MX': {
      const { content, priority } = record
      if (priority === undefined || (content !== '.' && !isHost(content))) throw unfit(record)
      return { type: 'MX', name, ttl, data: { preference: priority, exchange: content } }
    }
    case 'SRV':
      return {
        type: 'SRV',
        name,
        ttl,
        data: {
          priority: number('priority'),
          weight: number('weight'),
          port: number('port'),
          target: host('target'),
        },
      }
    case 'CAA':
      return {
        type: 'CAA',
        name,
        ttl,
        // The types list three tags; RFC 8659 leaves the list open.
        data: { flags: number('flags'), tag: text('tag') as CaaData['tag'], value: text('value') },
      }
    case 'HTTPS': {
      const params = readSvcParams(text('value'))
      if (params === undefined) throw unfit(record)
      return { type: 'HTTPS', name, ttl, data: httpsData(number('priority'), host('target'), params) }
    }
    default:
      return undefined
  }
}

/**
 * What a stored record is in DNS, under the name that was asked; nothing for types that are not served.
 * @throws Error when a record that a test put has no wire form
 */
export const toAnswers = (
  record: ServedRecord,
  name: string,
  cite: (id: DnsLedgerId) => void,
): DnsAnswer[] => {
  if (record.ttl === 1) cite('dns.ttl-automatic')
  const ttl = record.ttl === 1 ? automaticTtl : record.ttl
  if (record.proxied && record.proxiable) {
    cite('dns.proxied')
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
      requireForm(record)
      return [{ type: record.type, name, ttl, data: record.content }]
    case 'TXT':
      return [{ type: 'TXT', name, ttl, data: textStrings(record.content) }]
    default: {
      const answer = toStructured(record, { name, ttl })
      return answer === undefined ? [] : [answer]
    }
  }
}
