import type { StringAnswer } from 'dns-packet'
import type { DnsLedgerId } from './ledger.ts'
import { builtIn, type DnsAnswer, soaOf, toAnswers } from './served.ts'
import type { Reply } from './wire.ts'
import type { ServedRecord, ServedZone, ZoneView } from './zone-view.ts'

/** A chain of aliases is followed so far; then the client gets what was found. */
const mostAliases = 8

const parentOf = (name: string): string => name.slice(name.indexOf('.') + 1)

const exists = (zone: ServedZone, name: string): boolean =>
  zone.hasNode(name) || builtIn(zone, name).length > 0

/** The records that answer for a name: its own, or a wildcard's when the name does not exist (RFC 4592). */
const recordsFor = (
  zone: ServedZone,
  name: string,
  cite: (id: DnsLedgerId) => void,
): readonly ServedRecord[] | undefined => {
  if (exists(zone, name)) return zone.named(name)
  let encloser = parentOf(name)
  while (encloser !== zone.name && !exists(zone, encloser)) encloser = parentOf(encloser)
  const wildcards = zone.named(`*.${encloser}`)
  if (wildcards.length === 0) return undefined
  cite('dns.wildcard')
  return wildcards
}

/** The NS records that hand a name, or one above it, to other servers: those nearest to the apex. */
const delegationOf = (zone: ServedZone, name: string): readonly ServedRecord[] => {
  let nearest: readonly ServedRecord[] = []
  for (let at = name; at !== zone.name; at = parentOf(at)) {
    const cut = zone.named(at).filter(({ type }) => type === 'NS')
    if (cut.length > 0) nearest = cut
  }
  return nearest
}

const referral = (
  zone: ServedZone,
  cut: readonly ServedRecord[],
  answers: readonly DnsAnswer[],
  cite: (id: DnsLedgerId) => void,
): Reply => {
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
 * Answers a question from the zones, with authority in its zones and not at all elsewhere.
 * @param asked the name in the case of the question, which answers keep
 * @param type by its name, `ANY` included; transfers are refused
 */
export const lookup = (
  view: ZoneView,
  asked: string,
  type: string,
  cite: (id: DnsLedgerId) => void,
): Reply => {
  const zone = view.zoneOf(asked.toLowerCase())
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
  let owner = asked
  for (let aliases = 0; aliases <= mostAliases; aliases += 1) {
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
