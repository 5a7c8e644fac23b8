import { malformedTokenCodes, type ServiceError } from '../../lib/cloudflare.ts'
import { quote } from '../../lib/quote.ts'
import type { Problem, ProblemSetting, Reason } from '../problem.ts'
import {
  type Difference,
  type DnsRecord,
  type RecordLookup,
  tokenLink,
  type Wanted,
  type ZonedTarget,
} from './record.ts'

/** What was attempted, as a message says it: "list the records of home.example.com". */
export interface Attempt {
  readonly what: string
  /** Null while the zone is looked up by its name. */
  readonly zoneId: string | null
  /** Set while the zone is looked up by its name. */
  readonly zoneName?: string
  readonly writes: boolean
}

/** Codes that concern the credential. They were seen with statuses from 400 to 403. */
const credentialCodes = [6003, 6103, 6111, 9106, 9109, 10000]
const routingCode = 7003
const recordGoneCode = 81044
const conflictCodes = [81053, 81054]
const duplicateCodes = [81057, 81058]
/** Since 2020, no token writes records below .cf, .ga, .gq, .ml and .tk. It was seen with 403. */
const freeDomainCode = 1038

/** What 9109 says about a token that may be used from some addresses only. */
const elsewhere = /cannot use the access token from location/i

/** Returns whether Cloudflare rejects the token itself, for whatever it is used. */
export function isTokenRejected(status: number, errors: readonly ServiceError[]): boolean {
  return (
    status === 401 ||
    errors.some(
      ({ code, message }) =>
        malformedTokenCodes.includes(code) ||
        /invalid access token|cannot use the access token/i.test(message),
    )
  )
}

/** Explains that an attempt failed. What happened, and what to do, are safe to print. */
export function failedTo(
  { what }: Attempt,
  reason: Reason,
  happened: string,
  advice = '',
  setting?: ProblemSetting,
): Problem {
  return {
    reason,
    message: `Failed to ${what}: ${happened}. ${advice}`.trim(),
    ...(setting && { setting }),
  }
}

/**
 * Explains an error response other than of the rate limiter. The order matters: the codes of the zone count at any status, 401 and
 * 403 mean the credential even without a code, and only then do the codes of the record count.
 */
export function explainErrors(status: number, errors: readonly ServiceError[], attempt: Attempt): Problem {
  const has = (codes: readonly number[]) => errors.some(({ code }) => codes.includes(code))
  const response = describeResponse(status, errors)
  const zone = attempt.zoneName ?? attempt.zoneId
  const failed = (reason: Reason, advice?: string, setting?: ProblemSetting) =>
    failedTo(attempt, reason, response, advice, setting)

  if (has([routingCode])) {
    return failed('zone-not-found', `Cloudflare has no zone ${zone}.`, 'zone-id')
  }
  if (has([freeDomainCode])) return failed('write-rejected', 'Nothing was written. Use another domain.')
  if (status === 401 || status === 403 || has(credentialCodes)) {
    if (errors.some(({ message }) => elsewhere.test(message))) {
      const advice =
        'The token has an IP address filter. It locks an updater out for good when the address changes: remove the filter.'
      return failed('token-rejected', advice)
    }
    const isAboutZone = !isTokenRejected(status, errors)
    if (isAboutZone && attempt.zoneName) {
      const advice = 'The token may not find zones by their name, or it is wrong, expired or revoked.'
      return failed('zone-not-found', advice, 'zone-id')
    }
    const zoneAdvice = isAboutZone
      ? 'Check the zone ID first: Cloudflare responds the same way to a mistyped one. '
      : ''
    const front =
      errors.length === 0 ? 'Either something in front of the API, such as a proxy, refused it, or: ' : ''
    const advice =
      `${front}${zoneAdvice}The token is wrong, expired or revoked, or it does not cover ` +
      `${attempt.zoneName ? 'the zone' : `zone ${zone}`}. Paste it again. If that does not help, create one with ${tokenLink} (select ` +
      'this zone only there), and store it in place of the old one.'
    return failed('token-rejected', advice, isAboutZone ? 'zone-id' : undefined)
  }
  if (attempt.writes && (status === 404 || has([recordGoneCode]))) {
    const advice =
      'Something else deleted the record after it was read. Let only one program update the hostname.'
    return failed('record-missing', advice)
  }
  if (attempt.writes && has(conflictCodes)) {
    const advice = 'Another record at this name prevents it. If you no longer need that record, delete it.'
    return failed('record-conflict', advice)
  }
  if (attempt.writes && has(duplicateCodes)) {
    const advice =
      'Something else wrote the same record in the meantime. Let only one program update the hostname.'
    return failed('write-rejected', advice)
  }
  if (status >= 500) return failed('service-unavailable')
  return attempt.writes
    ? failed('write-rejected', 'Nothing was written. Check the setting that Cloudflare names.')
    : failed('unexpected', '', 'base-url')
}

/** Explains that the rate limiter refused, with a wait that does not fit into this run. */
export function rateLimited(attempt: Attempt, response: string): Problem {
  const advice =
    'The limit counts all requests with the tokens, keys and dashboard of this account. Run less often, or find what else ' +
    'sends requests.'
  return failedTo(attempt, 'rate-limited', response, advice)
}

/** Describes a response by its status and errors, safe to print: `Cloudflare returned 403, code 10000 "…"`. */
export function describeResponse(status: number, errors: readonly ServiceError[]): string {
  const codes = errors.map(error => `code ${error.code} ${quote(error.message)}`)
  return [`Cloudflare returned ${status}`, ...codes].join(', ')
}

/** Explains why a name is left alone, and what to do about it. */
export function explainRefusal(
  found: Exclude<RecordLookup, { kind: 'one' }> | { readonly kind: 'read-only' },
  { hostname, type }: Wanted,
): Problem {
  switch (found.kind) {
    case 'cname':
      return {
        reason: 'record-conflict',
        message:
          `${hostname} is a CNAME, which cannot be combined with an ${type} record. Delete the CNAME, or do not update ` +
          'this name: a CNAME to a name that already follows the address needs no update.',
      }
    case 'several':
      return {
        reason: 'record-ambiguous',
        message: `${hostname} has ${nameRecords(found.records)}. Homeport does not choose between them. Delete all but one.`,
      }
    case 'none': {
      const only =
        found.types.length === 0 ? '' : ` ${type} record, only ${found.types.map(quote).join(', ')}`
      return {
        reason: 'record-missing',
        message:
          `${hostname} has no${only || ' record'} in this zone. Check its spelling and the zone ID first. If both are right, create the ` +
          `${type} record once (\`pulumi up\` or the dashboard).`,
        setting: 'create',
      }
    }
    case 'read-only':
      return {
        reason: 'record-read-only',
        message: `The ${type} record of ${hostname} is managed by another product of Cloudflare, so it cannot be edited. Change it in that product.`,
      }
  }
}

/** Explains why a name cannot be created in a zone whose records all end with `zoneSuffix`. */
export function explainOutside({ hostname, zoneId }: ZonedTarget, zoneSuffix: string): Problem {
  return {
    reason: 'record-missing',
    message:
      `${hostname} does not belong to zone ${zoneId}, whose records all end with ${quote(zoneSuffix)}. Cloudflare would ` +
      'create a name below that. Nothing was written. Check the spelling of the name.',
    setting: 'zone-id',
  }
}

/** Explains that NS records hide a record, which Cloudflare stores and nobody is served. */
export function explainHidden({ name, type, content, hiddenBy }: DnsRecord): Problem {
  const [first, ...others] = hiddenBy
  const ids = others.length > 0 ? `${first} and ${others.length} more` : first
  return {
    reason: 'not-served',
    message:
      `Cloudflare stores ${content} for ${name} (${type}), but nobody is served it: NS records at this name or above it ` +
      `(id ${ids}) delegate the name to other name servers. Delete these NS records, or update ${name} in the zone of those ` +
      'servers, or use a name that is not below the NS records.',
  }
}

/** Explains that Cloudflare created a record under another name. */
export function explainMisplaced({ hostname, zoneId }: ZonedTarget, created: DnsRecord): Problem {
  return {
    reason: 'write-unconfirmed',
    message:
      `Cloudflare created ${quote(created.name)} (id ${created.id}) instead of ${hostname}, because ${hostname} does not ` +
      `belong to zone ${zoneId}. Delete the record ${created.id}. Then check the spelling of the name.`,
    setting: 'zone-id',
  }
}

/** Lists records of one type with their ids, safe to print: `2 A records: id ("content"), id ("content")`. */
export function nameRecords(records: readonly DnsRecord[]): string {
  const named = records.map(({ id, content }) => `${id} (${quote(content)})`).join(', ')
  return `${records.length} ${records[0]?.type} records: ${named}`
}

/** Lists differences with both values, safe to print: `ttl "300" instead of 120`. */
export function nameDifferences(differences: readonly Difference[]): string {
  return differences.map(({ field, found, sent }) => `${field} ${quote(found)} instead of ${sent}`).join(', ')
}
