import { canonicalHostname } from '../hostname.ts'
import { type Problem, type Reading, unhandledError } from '../problem.ts'
import { type DnsApi, readPath } from './dns-api.ts'
import { isObject, readWholeList } from './envelope.ts'
import type { Attempt } from './problems.ts'

/** Looks up the ID of a zone by its name, which is canonical. Costs one request, for which the token must be allowed to read zones. */
export async function lookUpZoneId(api: DnsApi, zoneName: string): Promise<Reading<string>> {
  const attempt: Attempt = { what: `find zone ${zoneName}`, zoneId: null, zoneName, writes: false }
  const failed = (reason: Problem['reason'], message: string) => ({ problem: { reason, message } })
  try {
    const read = await readPath(api, `zones?name=${encodeURIComponent(zoneName)}`, attempt)
    if (read.kind !== 'read') return { problem: read.problem }
    const { result, resultInfo } = read.envelope
    const zones =
      Array.isArray(result) && result.every(isZone)
        ? readWholeList(result, resultInfo)
        : { problem: 'the response contains no list of zones' }
    if ('problem' in zones)
      return failed('unexpected', `Failed to ${attempt.what}: ${zones.problem}. Check base-url.`)
    // The API returns names in Unicode, and may return others: it does not promise what the filter matches.
    const found = zones.value.filter(({ name }) => canonicalHostname(name) === zoneName)
    const [zone, ...others] = found
    if (zone && others.length === 0) return { value: zone.id }
    const message = zone
      ? `The token sees ${found.length} zones with the name ${zoneName} (${found.map(({ id }) => id).join(', ')}). Set zone-id ` +
        'to one of them, instead of zone.'
      : `The token sees no zone with the name ${zoneName}. Check its spelling, or set zone-id instead of zone: a token from the ` +
        'template "Edit zone DNS" may not look up zones by their name.'
    return failed('zone-not-found', message)
  } catch (error) {
    return { problem: unhandledError(error, 'It wrote nothing') }
  }
}

function isZone(value: unknown): value is { readonly id: string; readonly name: string } {
  return (
    isObject(value) &&
    typeof value['name'] === 'string' &&
    typeof value['id'] === 'string' &&
    /^[0-9a-f]{32}$/.test(value['id'])
  )
}
