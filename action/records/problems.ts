import type { Problem } from '../problem.ts'
import type { Refusal } from '../reconcile.ts'
import { quote } from '../report/quote.ts'
import type { ServiceError } from './envelope.ts'
import type { Difference, DnsRecord, Target, Wanted } from './record.ts'

/** What was attempted, in the words of a message: "list the records of home.example.com". */
export interface Attempt {
  readonly what: string
  readonly target: Target
  readonly writes: boolean
}

/** Codes that mean the credential, whatever the HTTP status: seen from 400 to 403. */
const credentialCodes = new Set([6003, 6103, 6111, 9106, 9109, 10000])
const routingCode = 7003
const rateLimitCodes = new Set([971, 10100, 10429])
const recordGoneCode = 81044
const conflictCodes = new Set([81053, 81054])
const duplicateCodes = new Set([81057, 81058])
const freeDomainCode = 1038

/** Whether the answer is the rate limiter's. */
export function isRateLimit(status: number, errors: readonly ServiceError[]): boolean {
  return status === 429 || errors.some(error => rateLimitCodes.has(error.code))
}

/**
 * What a refusal means and what to do about it. The order matters: the routing code names the zone at any status,
 * 401 and 403 are the credential's even without a code, and only then do the codes of the record itself count.
 */
export function explainErrors(status: number, errors: readonly ServiceError[], attempt: Attempt): Problem {
  const has = (codes: Set<number>) => errors.some(error => codes.has(error.code))
  const said = saidBy(status, errors)
  const failed = `Failed to ${attempt.what}: ${said}.`

  if (errors.some(error => error.code === routingCode)) {
    return {
      reason: 'zone-not-found',
      message: `${failed} The service knows no zone ${attempt.target.zoneId}. Copy zone-id from the zone's overview page.`,
    }
  }
  if (status === 401 || status === 403 || has(credentialCodes)) {
    const freeDomain = errors.some(error => error.code === freeDomainCode)
      ? ' Code 1038 says that the interface does not serve free domains (.tk, .ml, .ga, .cf, .gq).'
      : ''
    return {
      reason: 'token-rejected',
      message:
        `${failed} Either the token is wrong, expired or revoked, or zone ${attempt.target.zoneId} is outside its scope. ` +
        `Create a token from the template "Edit zone DNS" for this one zone, and store it as api-token's secret.${freeDomain}`,
    }
  }
  if (isRateLimit(status, errors)) return rateLimited(attempt, said)
  if (attempt.writes && (status === 404 || errors.some(error => error.code === recordGoneCode))) {
    return {
      reason: 'record-missing',
      message: `${failed} The record was deleted after it was read. Run again to see what is at the name now.`,
    }
  }
  if (attempt.writes && has(conflictCodes)) {
    return {
      reason: 'record-conflict',
      message: `${failed} Another record at the name excludes an A record. Delete it by hand if it is no longer needed.`,
    }
  }
  if (attempt.writes && has(duplicateCodes)) {
    return {
      reason: 'write-rejected',
      message: `${failed} Something else wrote the same record meanwhile. Let only one workflow own the hostname.`,
    }
  }
  if (status >= 500) {
    return { reason: 'service-unavailable', message: failed }
  }
  return attempt.writes
    ? { reason: 'write-rejected', message: `${failed} Nothing was written.` }
    : { reason: 'unexpected', message: `${failed} Check that base-url is the DNS service's address.` }
}

/** The limiter said no, and its wait does not fit into this run. */
export function rateLimited(attempt: Attempt, said: string): Problem {
  return {
    reason: 'rate-limited',
    message:
      `Failed to ${attempt.what}: ${said}. The limit counts everything done with this account's tokens, keys and ` +
      'dashboard; check less often, or find what else is calling.',
  }
}

/** Status and codes with their messages, safe to print: `403, code 10000 "Authentication error"`. */
export function saidBy(status: number, errors: readonly ServiceError[]): string {
  const codes = errors.map(error => `code ${error.code} ${quote(error.message)}`)
  return [`the service answered ${status}`, ...codes].join(', ')
}

/** What was found at a name that is left alone, and what to do about it. */
export function explainRefusal(refusal: Refusal, { hostname, type }: Wanted): Problem {
  return { reason: refusal.reason, message: messageFor(refusal, hostname, type) }
}

function messageFor(refusal: Refusal, hostname: string, type: string): string {
  switch (refusal.reason) {
    case 'record-conflict':
      return (
        `${hostname} is a CNAME, which excludes an ${type} record. Delete the CNAME, or leave the name to it: a CNAME ` +
        'to a name that already follows the address needs no action at all.'
      )
    case 'record-ambiguous':
      return `${hostname} has ${nameRecords(refusal.records)}. Homeport does not choose; leave exactly one.`
    case 'record-missing': {
      const { types } = refusal
      const found =
        types.length === 0 ? 'no record' : `no ${type} record, only ${types.map(quote).join(', ')}`
      return (
        `${hostname} has ${found} in this zone. Create the ${type} record once (\`pulumi up\` or the dashboard), or set ` +
        'create: true.'
      )
    }
    case 'record-read-only':
      return `The ${type} record of ${hostname} is managed by another product of the DNS service and cannot be edited.`
  }
}

/** Several records of one type with their ids, safe to print: `2 A records: id ("content"), id ("content")`. */
export function nameRecords(records: readonly DnsRecord[]): string {
  const named = records.map(({ id, content }) => `${id} (${quote(content)})`).join(', ')
  return `${records.length} ${records[0]?.type} records: ${named}`
}

/** Differences with both values, safe to print: `ttl "300" instead of 120`. */
export function nameDifferences(differences: readonly Difference[]): string {
  return differences.map(({ field, found, sent }) => `${field} ${quote(found)} instead of ${sent}`).join(', ')
}
