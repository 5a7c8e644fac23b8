import type { DnsRecord } from './record.ts'

/**
 * Warns about AAAA records that this run does not manage at a name whose A record changes: the host has moved, and
 * clients prefer IPv6 (RFC 6724).
 */
export function staleIpv6Notes(listed: readonly DnsRecord[], hostname: string): readonly string[] {
  const stale = listed.filter(({ name, type }) => name === hostname && type === 'AAAA')
  if (stale.length === 0) return []
  const contents = stale.map(({ content }) => content).join(', ')
  return [
    `${hostname} also has an AAAA record (${contents}), which this run does not manage. Most clients try it first, so it ` +
      'must not be out of date: check it, delete it, or set record-type: A,AAAA.',
  ]
}
