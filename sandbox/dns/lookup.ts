import type { StringAnswer } from 'dns-packet'
import type { DnsLedgerId } from './ledger.ts'
import { builtIn, type DnsAnswer, soaOf, toAnswers } from './served.ts'
import type { Reply } from './wire.ts'
import type { ServedRecord, ServedZone, ZoneView } from './zone-view.ts'

/** The maximum number of CNAMEs to follow. */
const maxAliases = 8

const parentOf = (name: string): string => name.slice(name.indexOf('.') + 1)

const exists = (zone: ServedZone, name: string): boolean =>
  zone.hasNode(name) || builtIn(zone, name).length > 0

/** Returns the records of a name, or of a matching wildcard if the name does not exist (RFC 4592). */
function recordsFor(
  zone: ServedZone,
  name: string,
  cite: (id: DnsLedgerId) => void,
): readonly ServedRecord[] | undefined {
  if (exists(zone, name)) return zone.named(name)
  let encloser = parentOf(name)
  while (encloser !== zone.name && !exists(zone, encloser)) encloser = parentOf(encloser)
  const wildcards = zone.named(`*.${encloser}`)
  if (wildcards.length === 0) return undefined
  cite('dns.wildcard')
  return wildcards
}

/** Returns the NS records that delegate a name or one of its parents, taking those closest to the apex. */
function delegationOf(zone: ServedZone, name: string): readonly ServedRecord[] {
  let topmost: readonly ServedRecord[] = []
  for (let at = name; at !== zone.name; at = parentOf(at)) {
    const cut = zone.named(at).filter(({ type }) => type === 'NS')
    if (cut.length > 0) topmost = cut
  }
  return topmost
}

function referral(
  zone: ServedZone,
  cut: readonly ServedRecord[],
  answers: readonly DnsAnswer[],
  cite: (id: DnsLedgerId) => void,
): Reply {
  cite('dns.referral')
  const glue = cut.flatMap(({ content }) => zone.named(content))
  return {
    rcode: 'NOERROR',
    authoritative: answers.length > 0,
    answers,
    authorities: cut.flatMap(record => toAnswers(record, record.name, cite)),
    additionals: glue.flatMap(record =>
      record.type === 'A' || record.type === 'AAAA' ? toAnswers(record, record.name, cite) : [],
    ),
  }
}

const refused: Reply = {
  rcode: 'REFUSED',
  authoritative: false,
  answers: [],
  authorities: [],
  additionals: [],
}

/**
 * Answers a question authoritatively from the zones, and refuses other zones and transfers.
 * @param question the name in the case of the query, which answers keep
 * @param type the name of the type, or `ANY`
 */
export function lookup(
  view: ZoneView,
  question: string,
  type: string,
  cite: (id: DnsLedgerId) => void,
): Reply {
  const zone = view.zoneOf(question.toLowerCase())
  if (zone === undefined || type === 'AXFR' || type === 'IXFR') {
    cite('dns.refused')
    return refused
  }
  const answers: DnsAnswer[] = []
  const whole = (rcode: Reply['rcode'], authorities: readonly DnsAnswer[]): Reply => ({
    rcode,
    authoritative: true,
    answers,
    authorities,
    additionals: [],
  })
  let owner = question
  for (let aliases = 0; aliases <= maxAliases; aliases += 1) {
    const name = owner.toLowerCase()
    const cut = delegationOf(zone, name)
    if (cut.length > 0) return referral(zone, cut, answers, cite)
    const records = recordsFor(zone, name, cite)
    if (records === undefined) {
      cite('dns.negative')
      return whole('NXDOMAIN', [soaOf(zone)])
    }
    const here = [
      ...builtIn(zone, name).map(answer => ({ ...answer, name: owner })),
      ...records.flatMap(record => toAnswers(record, owner, cite)),
    ]
    const matching = here.filter(answer => type === 'ANY' || answer.type === type)
    answers.push(...matching)
    if (matching.length > 0) {
      cite('dns.answer')
      return whole('NOERROR', [])
    }
    const alias = here.find((answer): answer is StringAnswer => answer.type === 'CNAME')
    if (alias === undefined) {
      cite('dns.negative')
      return whole('NOERROR', [soaOf(zone)])
    }
    cite('dns.cname')
    answers.push(alias)
    if (!zone.contains(alias.data.toLowerCase())) break
    owner = alias.data
  }
  return whole('NOERROR', [])
}
