import type { StringAnswer } from 'dns-packet'
import { isWithin } from '../cloudflare/names.ts'
import type { Store } from '../cloudflare/store.ts'
import { builtIn, type DnsAnswer, soaOf, toAnswers } from './served.ts'
import { emptyReply, type Reply } from './wire.ts'

/** The maximum number of CNAMEs to follow. */
const maxAliases = 8

const isAlias = (answer: DnsAnswer): answer is StringAnswer => answer.type === 'CNAME'

/**
 * Answers a question authoritatively from the zones, and refuses other zones.
 * @param question the name in the case of the query, which answers keep
 * @param type the name of the type
 */
export function lookup(store: Store, question: string, type: string): Reply {
  const zone = store.zoneOf(question.toLowerCase())
  // documented: Queries for other zones are answered with REFUSED. [RFC 1035 section 4.1.1]
  if (zone === null) return emptyReply('REFUSED')
  const zoneRecords = store.records(zone)
  const soa = soaOf(zone, store.revision())
  const answers: DnsAnswer[] = []
  const whole = (rcode: Reply['rcode'], authorities: readonly DnsAnswer[]): Reply => ({
    rcode,
    authoritative: true,
    answers,
    authorities,
  })
  let owner = question
  for (let aliases = maxAliases; aliases >= 0; aliases -= 1) {
    const name = owner.toLowerCase()
    const own = builtIn(zone, soa, name)
    // documented: For a missing name, the answer is NXDOMAIN; for a missing type, it is empty. Both carry the SOA. [RFC 2308]
    if (!zoneRecords.hasNode(name) && own.length === 0) return whole('NXDOMAIN', [soa])
    // assumed: NS records at the apex are stored and not served. The name servers are those of the zone. [documentation of DNS:
    // apex NS records are ignored without custom name servers]
    // documented: A CNAME at the apex is not served. Its name has the addresses of the target instead. Here it has none.
    // [documentation of DNS, CNAME flattening]
    const records = zoneRecords
      .named(name)
      .filter(({ type: its }) => name !== zone.name || (its !== 'NS' && its !== 'CNAME'))
    const here = [
      ...own.map(answer => ({ ...answer, name: owner })),
      ...records.flatMap(record => toAnswers(record, owner)),
    ]
    const matching = here.filter(answer => answer.type === type)
    answers.push(...matching)
    // documented: The answer has the records with the queried name and type, their ttl and the AA flag. [RFC 1035]
    if (matching.length > 0) return whole('NOERROR', [])
    const alias = here.find(isAlias)
    if (alias === undefined) return whole('NOERROR', [soa])
    // documented: A CNAME is returned, and followed if its target is in the same zone. [RFC 1034 section 3.6.2]
    answers.push(alias)
    if (!isWithin(alias.data.toLowerCase(), zone.name)) break
    owner = alias.data
  }
  return whole('NOERROR', [])
}
