import { type Outcome, success } from '../envelope.ts'
import { type Refusal, refuse } from '../errors.ts'
import { isWithin } from '../names.ts'
import { parseBody } from '../request-body.ts'
import type { Route, ZoneCall } from '../route.ts'
import { scriptMissing } from './errors.ts'
import { hostOfPattern } from './pattern.ts'
import type { WorkerRoute } from './workers.ts'

/** Returns a route as served. */
export const routeView = ({ id, pattern, script }: WorkerRoute) => ({
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

// assumed: A request to add a pattern that the zone has already gets 409 with code 10020. [code and wording from memory of
// client reports]
const duplicate: Refusal = refuse(409, {
  code: 10020,
  message: 'A route with the same pattern already exists.',
})

/** Validates a route and stores it under an id. */
function store({ body, zone, parts: { workers } }: ZoneCall, id: string): Outcome {
  const sent = parseBody(body)
  const pattern = typeof sent?.['pattern'] === 'string' ? sent['pattern'] : ''
  const host = hostOfPattern(pattern)
  if (host === null || !isWithin(host, zone.name)) return invalid(pattern)
  const script = typeof sent?.['script'] === 'string' && sent['script'] !== '' ? sent['script'] : null
  if (script !== null && !workers.scripts.has(script)) return scriptMissing
  const others = [...workers.routes.values()].filter(route => route.id !== id)
  if (others.some(route => route.zoneId === zone.id && route.pattern === pattern)) return duplicate
  const route: WorkerRoute = { id, zoneId: zone.id, pattern, script }
  workers.routes.set(id, route)
  return success(routeView(route))
}

function find({ zone, params, parts: { workers } }: ZoneCall): WorkerRoute | null {
  const route = workers.routes.get(params['route'] ?? '')
  return route?.zoneId === zone.id ? route : null
}

/** Handles POST …/workers/routes. */
function createRoute(call: ZoneCall): Outcome {
  // documented: A route has a pattern and an optional script. [API reference, Workers Routes; types of npm cloudflare 7.3.0]
  return store(call, call.parts.ids.id())
}

/** Handles GET …/workers/routes. */
function listRoutes({ zone, parts: { workers } }: ZoneCall): Outcome {
  // documented: All routes of a zone are listed on one page. [API reference, Workers Routes; types of npm cloudflare 7.3.0]
  const routes = [...workers.routes.values()].filter(({ zoneId }) => zoneId === zone.id)
  return success(routes.map(routeView))
}

/** Handles GET …/workers/routes/{id}. */
function getRoute(call: ZoneCall): Outcome {
  // documented: GET returns one route. [API reference, Workers Routes; types of npm cloudflare 7.3.0]
  const route = find(call)
  return route === null ? missing : success(routeView(route))
}

/** Handles PUT …/workers/routes/{id}. */
function putRoute(call: ZoneCall): Outcome {
  // documented: PUT replaces a route. [API reference, Workers Routes; types of npm cloudflare 7.3.0]
  const route = find(call)
  return route === null ? missing : store(call, route.id)
}

/** Handles DELETE …/workers/routes/{id}. */
function deleteRoute(call: ZoneCall): Outcome {
  // documented: DELETE deletes a route and returns its id. [API reference, Workers Routes; types of npm cloudflare 7.3.0]
  const route = find(call)
  if (route === null) return missing
  call.parts.workers.routes.delete(route.id)
  return success({ id: route.id })
}

const collection = '/zones/:zone/workers/routes'
const reading = { method: 'GET', on: 'zone', requires: 'workersRoutesRead' } as const
const writing = { on: 'zone', requires: 'workersRoutesWrite', outside: true } as const

export const workerRouteRoutes: readonly Route[] = [
  { ...reading, pattern: collection, handle: listRoutes },
  { ...writing, method: 'POST', pattern: collection, handle: createRoute },
  { ...reading, pattern: `${collection}/:route`, handle: getRoute },
  { ...writing, method: 'PUT', pattern: `${collection}/:route`, handle: putRoute },
  { ...writing, method: 'DELETE', pattern: `${collection}/:route`, handle: deleteRoute },
]
