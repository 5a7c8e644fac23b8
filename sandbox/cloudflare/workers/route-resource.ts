import { type Outcome, success } from '../envelope.ts'
import { type Refusal, refuse } from '../errors.ts'
import { isWithin } from '../names.ts'
import { parseBody } from '../request-body.ts'
import type { Route, ZoneCall } from '../route.ts'
import { scriptMissing } from './errors.ts'
import { hostOfPattern } from './pattern.ts'
import type { WorkerRoute } from './workers.ts'

/** Returns a route as served. */
const routeView = ({ id, pattern, script }: WorkerRoute) => ({
  id,
  pattern,
  ...(script === null ? {} : { script }),
})

// assumed: A request for a route that does not exist gets 404 with code 10007. [no source says]
const missing: Refusal = refuse(404, {
  code: 10007,
  message: 'This route does not exist.',
})

const invalid = (pattern: string): Refusal =>
  // assumed: A request with an invalid pattern, or with a pattern for another zone, gets 400 with code 10022. [the code is from
  // memory]
  refuse(400, {
    code: 10022,
    message: `Pattern '${pattern}' is not valid for this zone. Use a host in the zone and a path, with * only at the start or end.`,
  })

/** Handles POST …/workers/routes. */
function createRoute({ body, zone, parts: { workers, ids } }: ZoneCall): Outcome {
  // documented: A route has a pattern and an optional script. [API reference, Workers Routes; types of npm cloudflare 7.3.0]
  const { pattern = '', script = null } = parseBody(body) as { pattern?: string; script?: string | null }
  const host = hostOfPattern(pattern)
  if (host === null || !isWithin(host, zone.name)) return invalid(pattern)
  if (script !== null && !workers.scripts.has(script)) return scriptMissing
  const route: WorkerRoute = { id: ids.id(), zoneId: zone.id, pattern, script }
  workers.routes.set(route.id, route)
  return success(routeView(route))
}

/** Handles GET …/workers/routes. */
function listRoutes({ zone, parts: { workers } }: ZoneCall): Outcome {
  // documented: All routes of a zone are listed on one page. [API reference, Workers Routes; types of npm cloudflare 7.3.0]
  const routes = [...workers.routes.values()].filter(({ zoneId }) => zoneId === zone.id)
  return success(routes.map(routeView))
}

/** Handles DELETE …/workers/routes/{id}. */
function deleteRoute({ zone, params, parts: { workers } }: ZoneCall): Outcome {
  // documented: DELETE deletes a route and returns its id. [API reference, Workers Routes; types of npm cloudflare 7.3.0]
  const route = workers.routes.get(params['route'] ?? '')
  if (route?.zoneId !== zone.id) return missing
  workers.routes.delete(route.id)
  return success({ id: route.id })
}

const collection = '/zones/:zone/workers/routes'
const reading = { method: 'GET', on: 'zone', requires: 'workersRoutesRead' } as const
const writing = { on: 'zone', requires: 'workersRoutesWrite' } as const

export const workerRouteRoutes: readonly Route[] = [
  { ...reading, pattern: collection, handle: listRoutes },
  { ...writing, method: 'POST', pattern: collection, handle: createRoute },
  { ...writing, method: 'DELETE', pattern: `${collection}/:route`, handle: deleteRoute },
]
