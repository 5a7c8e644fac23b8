import { getOrCreate } from '../../lib/get-or-create.ts'
import { canonicalHostname } from '../../lib/hostname.ts'
import { isObject } from '../../lib/json.ts'
import type { Problem, Reading } from '../problem.ts'
import { type DnsApi, readPath } from './dns-api.ts'
import { isId, whyIncomplete } from './envelope.ts'
import { unreadable } from './list.ts'
import type { Attempt } from './problems.ts'

/** A zone that was found by its name. */
export interface NamedZone {
  readonly id: string
  /** Canonical. */
  readonly name: string
  /** Set if its records may not be served yet, or no longer. Safe to print. */
  readonly warning?: string
}

/** What Cloudflare says of a zone that is not served, or not yet (API reference, zone `status`). */
const unservedStatuses: readonly unknown[] = ['pending', 'moved', 'deactivated']

/**
 * Creates a function that finds the zone of a name: the longest suffix of the name, down to two labels, that the token sees as a zone.
 * Costs one request for each suffix, and none for what is in `known`, to which it adds. The token must be able to read zones.
 */
export function createZoneFinder(api: DnsApi, known: Map<string, NamedZone>) {
  const lookUps = new Map<string, ReturnType<typeof lookUpZone>>()
  return async (hostname: string): Promise<Reading<NamedZone>> => {
    const found = known.get(hostname)
    if (found) return { value: found }
    const suffixes = suffixesOf(hostname)
    for (const suffix of suffixes) {
      const zone = await getOrCreate(lookUps, suffix, () => lookUpZone(api, suffix))
      if ('problem' in zone) return zone
      if (!zone.value) continue
      known.set(hostname, zone.value)
      return { value: zone.value }
    }
    return failed(
      `The token sees no zone for ${hostname}. Most likely it may not list zones. If it may, there is no zone with the name ` +
        `${suffixes.join(' or ')}: check the spelling.`,
    )
  }
}

/** Returns the names that the zone of a hostname can have, the longest first. */
export function suffixesOf(hostname: string): readonly string[] {
  const labels = hostname.replace(/^\*\./, '').split('.')
  return labels.slice(0, -1).map((_, start) => labels.slice(start).join('.'))
}

/** Looks up a zone by its name; null if the token sees none. */
async function lookUpZone(api: DnsApi, zoneName: string): Promise<Reading<NamedZone | null>> {
  const attempt: Attempt = { what: `find zone ${zoneName}`, zoneId: null, zoneName, writes: false }
  const path = `zones?name=${encodeURIComponent(zoneName)}`
  const read = await readPath(api, path, attempt)
  if ('problem' in read) return read
  const { result, resultInfo } = read.value
  if (!Array.isArray(result) || !result.every(isZone))
    return unreadable(attempt, 'the response contains no list of zones')
  const why = whyIncomplete(result.length, resultInfo)
  if (why) return unreadable(attempt, why)
  // The API returns names in Unicode, and may return others: it does not promise what the filter matches.
  const found = result.filter(({ name }) => canonicalHostname(name) === zoneName)
  const [zone, ...others] = found
  if (others.length === 0) return { value: zone ? namedZone(zone, zoneName) : null }
  const ids = found.map(({ id }) => id).join(', ')
  return failed(`The token sees ${found.length} zones with the name ${zoneName} (${ids}).`)
}

function namedZone({ id, status }: ListedZone, name: string): NamedZone {
  if (!unservedStatuses.includes(status)) return { id, name }
  const warning =
    `Cloudflare says that the zone ${name} is ${status}, so its records may be served to nobody. At the registrar of the domain, ` +
    'check that it has the name servers that Cloudflare shows on the overview page of the zone.'
  return { id, name, warning }
}

function failed(message: string): { readonly problem: Problem } {
  return { problem: { reason: 'zone-not-found', message, setting: 'zone-id' } }
}

interface ListedZone {
  readonly id: string
  readonly name: string
  readonly status?: unknown
}

function isZone(value: unknown): value is ListedZone {
  return isObject(value) && typeof value['name'] === 'string' && isId(value['id'])
}
