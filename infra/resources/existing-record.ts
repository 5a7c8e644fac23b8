import { domainToASCII } from 'node:url'
import { CommandError } from '../../lib/command.ts'
import { isInDomain } from '../../lib/hostname.ts'
import { quoteValue } from '../../lib/quote.ts'
import { type CloudflareAccess, connectCloudflare, reasonOf, resultOf, type Send } from '../http.ts'
import { fieldOf, listOf, textOf, valueAt } from '../json.ts'
import type { DeclaredRecord } from './record-arguments.ts'
import type { DomainPlace } from './worker-arguments.ts'

/** Resolves to the records of a name. */
const recordsOf = (zoneId: string, name: string, send: Send) =>
  // More than one name can have, so that one page is the whole list.
  send(`/zones/${zoneId}/dns_records?${new URLSearchParams({ name, per_page: '1000' })}`)

/**
 * Resolves to the name of the zone, in Punycode, if a name is not in it, else to null. Whether a token that edits DNS may read its zone
 * is disputed, so a refusal says nothing.
 */
async function otherZone(zoneId: string, name: string, send: Send): Promise<string | null> {
  // Cloudflare returns it in Unicode.
  const zone = domainToASCII(textOf(resultOf(await send(`/zones/${zoneId}`)), 'name') ?? '')
  return zone === '' || isInDomain(name, zone) ? null : zone
}

/** What keeps a record or a host from being declared, and what to do about it. */
interface NameProblem {
  readonly text: string
  readonly fix: string
  /** Set if there is a record that the stack can adopt. */
  readonly isAdoptable?: true
}

/**
 * Refuses to create a record outside its zone, where Cloudflare would put it below the zone, or if its name has one already:
 * name servers would answer with both addresses.
 * @param isSingle whether the stack declares no other record
 * @throws CommandError if the name is outside the zone or has a record, or if the records cannot be listed
 */
export async function checkCreation(
  zoneId: string,
  record: DeclaredRecord,
  isSingle: boolean,
  access: CloudflareAccess,
): Promise<void> {
  const problem =
    access.apiToken === null
      ? unlisted(record.name, 'there is no API token in CLOUDFLARE_API_TOKEN', accessFix(zoneId))
      : await findCreationProblem(zoneId, record, isSingle, connectCloudflare(access))
  if (problem) throw new CommandError(`${problem.text} ${problem.fix}`)
}

/** Finds what keeps a record from being created, null for nothing. @param send a GET to a path of the API */
export async function findCreationProblem(
  zoneId: string,
  { name, type }: DeclaredRecord,
  isSingle: boolean,
  send: Send,
): Promise<NameProblem | null> {
  const answer = await recordsOf(zoneId, name, send)
  const found = resultOf(answer)
  if (!Array.isArray(found))
    return unlisted(name, reasonOf(answer), answer.status === null ? reachFix : accessFix(zoneId))
  const zone = await otherZone(zoneId, name, send)
  if (zone !== null)
    return {
      text: `${name} is not in the zone ${quoteValue(zone)}: Cloudflare would create ${name}.${zone}.`,
      fix: 'Correct hostname or zoneId.',
    }
  const present = listOf(found).filter(one => String(fieldOf(one, 'name')).toLowerCase() === name)
  const idsOf = (wanted: string) =>
    present.filter(one => fieldOf(one, 'type') === wanted).map(one => String(fieldOf(one, 'id')))
  const [alias] = idsOf('CNAME')
  const same = idsOf(type)
  const [first] = same
  if (first !== undefined) {
    const many = same.length > 1
    return {
      text: `${name} already has ${many ? `${same.length} ${type} records` : `an ${type} record`}: ${same.map(quoteValue).join(', ')}. With another one, name servers would answer with all addresses.`,
      fix: `To adopt ${many ? 'the one to keep' : 'it'} with its address, run ${adoption(many ? null : first, isSingle ? null : `${name} ${type}`)}`,
      isAdoptable: true,
    }
  }
  if (alias === undefined) return null
  return {
    text: `${name} has a CNAME record (${quoteValue(alias)}), so it cannot have an ${type} record.`,
    // It can be what people use, so no advice is to delete it.
    fix: `Choose another hostname. If nothing needs the CNAME, replace it with an ${type} record in the dashboard, and set importRecordId to the id of that record.`,
  }
}

/**
 * Finds an adoption that would rename a record, since an import takes any record of the zone. Returns null if the record has the name and
 * type that are declared. @param send a GET to a path of the API
 */
export async function findAdoptionProblem(
  zoneId: string,
  id: string,
  { name, type }: DeclaredRecord,
  send: Send,
): Promise<NameProblem | null> {
  const answer = await send(`/zones/${zoneId}/dns_records/${id}`)
  const found = resultOf(answer)
  if (found === null)
    return {
      text: `importRecordId is ${id}, but that record cannot be read: ${reasonOf(answer)}.`,
      fix: `Copy the ID of the ${type} record of ${name}. ${answer.status === null ? reachFix : accessFix(zoneId)}`,
    }
  const [itsName, itsType] = [String(fieldOf(found, 'name')), String(fieldOf(found, 'type'))]
  if (domainToASCII(itsName) === name && itsType === type) return null
  return {
    text: `importRecordId is ${id}, which is the record ${quoteValue(`${itsName} ${itsType}`)}: adopting it would change it to ${name} ${type}.`,
    fix: `Use the ID of the ${type} record of ${name}, or run pulumi config rm importRecordId.`,
  }
}

/** Refuses to create a custom domain over a record. @throws CommandError */
export async function checkHost(place: DomainPlace, access: CloudflareAccess): Promise<void> {
  const problem = await findHostProblem(place, connectCloudflare(access))
  if (problem) throw new CommandError(`${problem.text} ${problem.fix}`)
}

/**
 * Finds what keeps a host from becoming a custom domain: another zone, or a record, since Cloudflare creates one of its own there. The
 * provider repeats the refusal for three minutes before it shows it (seen with cloudflare 5.22). Returns null for nothing, and if it
 * cannot be read.
 */
export async function findHostProblem(
  { accountId, zoneId, hostname: host }: DomainPlace,
  send: Send,
): Promise<NameProblem | null> {
  const zone = await otherZone(zoneId, host, send)
  if (zone !== null)
    return {
      text: `${host} is not in the zone ${quoteValue(zone)}, so it cannot be the custom domain of a Worker.`,
      fix: 'Use a host of that zone.',
    }
  const query = new URLSearchParams({ hostname: host })
  const domains = resultOf(await send(`/accounts/${accountId}/workers/domains?${query}`))
  // A custom domain has its own record.
  if (!Array.isArray(domains) || domains.some(one => fieldOf(one, 'hostname') === host)) return null
  const records = listOf(resultOf(await recordsOf(zoneId, host, send)))
  // Such as the record of a custom domain that is being removed. Nobody can delete it by itself.
  const others = records.filter(one => valueAt(one, 'meta.read_only') !== true)
  const type = ['A', 'AAAA', 'CNAME'].find(wanted => others.some(one => fieldOf(one, 'type') === wanted))
  if (type === undefined) return null
  const record = others.find(one => fieldOf(one, 'type') === type)
  return {
    text: `${host} has ${type === 'CNAME' ? 'a' : 'an'} ${type} record (${quoteValue(textOf(record, 'id'))}), so it cannot be the custom domain of a Worker.`,
    fix: 'If nothing needs the record, delete it in the dashboard, under DNS. Otherwise choose another host.',
  }
}

function unlisted(name: string, reason: string, fix: string): NameProblem {
  return { text: `Cannot look for records of ${name} before creating one: ${reason}.`, fix }
}

const accessFix = (zoneId: string) =>
  `Compare the zone ID ${zoneId} with the zone's overview page. If it is right, the token that deploys needs the permission DNS Write for it.`

/** If the API itself did not answer, zone and token can be right. */
const reachFix = 'Run pulumi up again. If it stays, find what is between this machine and the API.'

/**
 * Returns the commands that adopt a record. With several, each adds its line to the others.
 * @param id null if the operator must choose one
 * @param title `NAME TYPE` of the record; null if the stack declares no other one
 */
export function adoption(id: string | null, title: string | null = null): string {
  const argument = id !== null && /^[0-9a-f]{32}$/.test(id) ? id : 'RECORD_ID'
  const value =
    title === null
      ? argument
      : `"$(pulumi config get importRecordId 2> /dev/null); ${title} ${argument}", for each record that exists`
  return `pulumi config set --plaintext importRecordId ${value}, then pulumi up, then pulumi config rm importRecordId.`
}
