import { domainToASCII } from 'node:url'
import { isInDomain } from '../../lib/url.ts'
import { exchange, reasonOf, requireSafeUrl } from '../http.ts'
import { fieldOf, listOf, valueAt } from '../json.ts'
import { Refusal } from '../program.ts'
import { shown } from '../shown.ts'
import type { DeclaredRecord } from '../stack-facts.ts'
import type { CloudflareAccess } from './cloudflare-access.ts'

/** More records than one name can have, so that one page is the whole list. */
const perPage = 1000

/** Returns the name of a zone in Punycode; Cloudflare says it in Unicode. Null if it does not say it. */
export function zoneNameIn(zone: unknown): string | null {
  const name = fieldOf(zone, 'name')
  return typeof name === 'string' ? domainToASCII(name) : null
}

/**
 * Refuses to create a record outside its zone, where Cloudflare would put it below the zone, or if its name has one already:
 * name servers would answer with both addresses.
 * @param isSingle whether the stack declares no other record
 * @throws Refusal if the name is outside the zone or has a record, or if the records cannot be listed
 */
export async function checkCreation(
  zoneId: string,
  { name, type }: DeclaredRecord,
  isSingle: boolean,
  { baseUrl, apiToken }: CloudflareAccess,
): Promise<void> {
  if (apiToken === null) {
    throw new Refusal(
      `Cannot look for records of ${name} before creating one, because there is no API token. Set CLOUDFLARE_API_TOKEN to a token with the permission DNS Write for zone ${zoneId}.`,
    )
  }
  const root = requireSafeUrl(baseUrl, 'The base URL of the DNS service')
  const read = (path: string) =>
    exchange(`${root}/zones/${zoneId}${path}`, { headers: { authorization: `Bearer ${apiToken}` } })
  const answer = await read(`/dns_records?${new URLSearchParams({ name, per_page: `${perPage}` })}`)
  const found = answer.status === 200 ? fieldOf(answer.body, 'result') : null
  if (!Array.isArray(found)) {
    const reason = reasonOf(answer)
    throw new Refusal(
      `Cannot look for records of ${name} before creating one: ${reason}. The token that deploys needs the permission DNS Write for zone ${zoneId}.`,
    )
  }
  // Whether a token that edits DNS may read its zone is disputed, so a refusal says nothing.
  const answered = await read('')
  const zone = answered.status === 200 ? zoneNameIn(valueAt(answered.body, 'result')) : null
  if (zone !== null && !isInDomain(name, zone)) {
    throw new Refusal(
      `${name} is not in the zone ${shown(zone)}: Cloudflare would create ${name}.${zone}. Correct hostname or zoneId.`,
    )
  }
  const present = listOf(found).filter(one => String(fieldOf(one, 'name')).toLowerCase() === name)
  const idsOf = (wanted: string) =>
    present.filter(one => fieldOf(one, 'type') === wanted).map(one => String(fieldOf(one, 'id')))
  const problems = existingProblems({ name, type }, isSingle, idsOf(type), idsOf('CNAME'))
  if (problems.length > 0) throw new Refusal(problems.join(' '))
}

/** Finds what keeps the record from being created. A name has at most one CNAME. */
function existingProblems(
  { name, type }: Pick<DeclaredRecord, 'name' | 'type'>,
  isSingle: boolean,
  same: readonly string[],
  aliases: readonly string[],
): readonly string[] {
  const [first] = same
  if (first !== undefined) {
    const many = same.length > 1
    const text = `${name} already has ${many ? `${same.length} ${type} records` : `an ${type} record`}: ${same.map(shown).join(', ')}. With another one, name servers would answer with all addresses. To adopt ${many ? 'the one to keep' : 'it'} with its address, run ${adoption(many ? null : first, isSingle ? null : `${name} ${type}`)}`
    return [text]
  }
  return aliases.map(
    alias =>
      `${name} has a CNAME record (${shown(alias)}), so it cannot have an ${type} record. ${aliasFix(type)}`,
  )
}

/** Says what to do about a CNAME. It can be what people use, so no advice is to delete it. */
export function aliasFix(type: string): string {
  return `Choose another hostname. If nothing needs the CNAME, replace it with an ${type} record in the dashboard, and set importRecordId to the id of that record.`
}

/**
 * Returns the commands that adopt a record.
 * @param id null if the operator must choose one
 * @param title `NAME TYPE` of the record; null if the stack declares no other one
 */
export function adoption(id: string | null, title: string | null = null): string {
  const argument = id !== null && /^[0-9a-f]{32}$/.test(id) ? id : 'RECORD_ID'
  return `pulumi config set --plaintext importRecordId ${title === null ? argument : `'${title} ${argument}'`}, then pulumi up, then pulumi config rm importRecordId.`
}
