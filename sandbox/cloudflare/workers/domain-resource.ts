import { formatInstant } from '../../http/clock.ts'
import type { JsonObject } from '../../http/validation.ts'
import { type Outcome, success } from '../envelope.ts'
import { type Refusal, refuse } from '../errors.ts'
import { isWithin } from '../names.ts'
import { makeRecord, plainFields } from '../records/record.ts'
import type { ApiParts, Call } from '../route.ts'
import type { Zone } from '../store.ts'
import { bodyUnreadable, scriptMissing } from './errors.ts'
import type { Domain } from './workers.ts'

/** An address in the discard prefix (RFC 6666), used for hosts without an origin. */
const originless = '100::'
const addressTypes = ['A', 'AAAA', 'CNAME']

/** Returns a custom domain as served. */
const domainView = ({ id, hostname, service, zoneId, zoneName, certificateId }: Domain) => ({
  id,
  hostname,
  service,
  environment: 'production',
  zone_id: zoneId,
  zone_name: zoneName,
  cert_id: certificateId,
})

// assumed: A request for a custom domain that does not exist gets 404 with code 0. [no source says]
const missing: Refusal = refuse(404, {
  code: 0,
  message: 'This custom domain does not exist.',
})

const conflictingRecords = (hostname: string): Refusal =>
  // observed: If the hostname has an A, AAAA or CNAME record, a request to add a custom domain gets 409 with code 100117.
  // [vm0-ai/vm0 PR 33406, 2026-09; workers-sdk issue 9878]
  refuse(409, {
    code: 100117,
    message: `Hostname '${hostname}' already has externally managed DNS records (A, CNAME, etc). Delete them first or try a different hostname.`,
  })

const usedByAnother = (hostname: string): Refusal =>
  // observed: If another script has the custom domain, the request gets 409 with code 100116. [alchemy-run/alchemy-async PR
  // 1384, 2026-04]
  refuse(409, {
    code: 100116,
    message: `Hostname '${hostname}' already in use by other custom domain. Either delete it, try a different hostname, or use the option 'override_existing_origin' to override.`,
  })

function text(sent: JsonObject, name: string): string | null {
  const value = sent[name]
  return typeof value === 'string' && value !== '' ? value : null
}

function zoneFor({ store }: ApiParts, sent: JsonObject, hostname: string): Zone | null {
  const zone = store.zone(text(sent, 'zone_id') ?? '')
  return zone && isWithin(hostname, zone.name) ? zone : null
}

function create(parts: ApiParts, zone: Zone, hostname: string, service: string): Domain {
  const { store, workers, ids, clock } = parts
  const draft = { ...plainFields, name: hostname, type: 'AAAA', content: originless, proxied: true }
  const record = makeRecord(ids.id(), draft, formatInstant(clock.now()))
  store.put(zone, { ...record, meta: { ...record.meta, read_only: true } })
  const domain: Domain = {
    id: ids.id(),
    hostname,
    service,
    zoneId: zone.id,
    zoneName: zone.name,
    certificateId: ids.uuid(),
    recordId: record.id,
  }
  workers.domains.set(domain.id, domain)
  return domain
}

/** Handles PUT …/domains. A hostname keeps its id. */
function putDomain(call: Call): Outcome {
  const { sent, parts } = call
  const { store, workers } = parts
  // observed: A custom domain has one id per hostname, kept when it is put again. It adds a proxied AAAA record 100::, which
  // cannot be changed directly. [DNSControl issue 2509 and PR 4907, 2026-09; the Terraform provider replaces by PUT and then
  // DELETE]
  const sentHostname = sent && text(sent, 'hostname')
  const service = sent && text(sent, 'service')
  if (sent === null || sentHostname === null || service === null) throw bodyUnreadable
  const hostname = sentHostname.toLowerCase()
  if (!workers.scripts.has(service)) throw scriptMissing
  const zone = zoneFor(parts, sent, hostname)
  if (zone === null) {
    // assumed: A request with a hostname outside the given zone gets 400 with code 0. [no source says]
    throw refuse(400, {
      code: 0,
      message: `Hostname '${hostname}' is not in the given zone.`,
    })
  }
  const existing = workers.domainOf(hostname)
  if (existing && existing.service !== service) throw usedByAnother(hostname)
  const others = existing ? [] : store.records(zone).named(hostname)
  if (others.some(({ type }) => addressTypes.includes(type))) throw conflictingRecords(hostname)
  return success(domainView(existing ?? create(parts, zone, hostname, service)))
}

/** Handles GET …/domains. */
function listDomains({ parts: { workers } }: Call): Outcome {
  // documented: All custom domains are listed. Filters are ignored here. [API reference, Workers Domains]
  return success([...workers.domains.values()].map(domainView))
}

function find({ params, parts: { workers } }: Call): Domain {
  const domain = workers.domains.get(params['domain'] ?? '')
  if (domain === undefined) throw missing
  return domain
}

/** Handles GET …/domains/{id}. */
function getDomain(call: Call): Outcome {
  // documented: GET returns one custom domain. [API reference, Workers Domains; types of npm cloudflare 7.3.0]
  return success(domainView(find(call)))
}

/** Removes a custom domain and its record. */
export function removeDomain({ store, workers }: ApiParts, { id, zoneId, recordId }: Domain): void {
  workers.domains.delete(id)
  const zone = store.zone(zoneId)
  if (zone) store.remove(zone, recordId)
}

/** Handles DELETE …/domains/{id}. */
function deleteDomain(call: Call): Outcome {
  // tried: DELETE deletes a custom domain and its record. The result is null, which the provider accepts. [Terraform provider
  // 5.19 and 5.22, run against an emulator]
  removeDomain(call.parts, find(call))
  return success(null)
}

export const domainRoutes = {
  'GET /workers/domains': listDomains,
  'PUT /workers/domains': putDomain,
  'GET /workers/domains/:domain': getDomain,
  'DELETE /workers/domains/:domain': deleteDomain,
}
