import type { Outcome } from '../envelope.ts'
import { type Refusal, refuse } from '../errors.ts'
import { isWithin } from '../names.ts'
import { parseBody } from '../request-body.ts'
import type { Route, ZoneCall } from '../route.ts'
import { scriptMissing } from './errors.ts'
import { hostOfPattern } from './pattern.ts'
import type { WorkerRoute } from './workers.ts'

/** A route as it is served. */
export const routeView = ({ id, pattern, script }: WorkerRoute) => ({
  id,
  pattern,
  ...(script === undefined ? {} : { script }),
})

const missing: Refusal = refuse(404, 'workers.route.missing', {
  code: 10007,
  message: 'This route does not exist.',
})

const invalid = (pattern: string): Refusal =>
  refuse(400, 'workers.route.invalid', {
    code: 10022,
    message: `Pattern '${pattern}' is no route of this zone: a host in it, then a path, with * first or last only.`,
  })

const duplicate: Refusal = refuse(409, 'workers.route.duplicate', {
  code: 10020,
  message: 'A route with the same pattern already exists.',
})

/** Checks what was sent, and keeps it under an id. */
const keep = ({ body, zone, parts: { workers } }: ZoneCall, id: string): Outcome => {
  const sent = parseBody(body)
  const pattern = typeof sent?.['pattern'] === 'string' ? sent['pattern'] : ''
  const host = hostOfPattern(pattern)
  if (host === undefined || !isWithin(host, zone.name)) return invalid(pattern)
  const script = typeof sent?.['script'] === 'string' && sent['script'] !== '' ? sent['script'] : undefined
  if (script !== undefined && !workers.scripts.has(script)) return scriptMissing
  const others = [...workers.routes.values()].filter(route => route.id !== id)
  if (others.some(route => route.zoneId === zone.id && route.pattern === pattern)) return duplicate
  const route: WorkerRoute = { id, zoneId: zone.id, pattern, script }
  workers.routes.set(id, route)
  return { ok: true, result: routeView(route) }
}

const found = ({ zone, params, parts: { workers } }: ZoneCall): WorkerRoute | undefined => {
  const route = workers.routes.get(params['route'] ?? '')
  return route?.zoneId === zone.id ? route : undefined
}

/** POST …/workers/routes */
const createRoute = (call: ZoneCall): Outcome => {
  call.cite('workers.route.post')
  return keep(call, call.parts.ids.id())
}

/** GET …/workers/routes */
const listRoutes = ({ cite, zone, parts: { workers } }: ZoneCall): Outcome => {
  cite('workers.route.list')
  const routes = [...workers.routes.values()].filter(({ zoneId }) => zoneId === zone.id)
  return { ok: true, result: routes.map(routeView) }
}

/** GET …/workers/routes/{id} */
const getRoute = (call: ZoneCall): Outcome => {
  call.cite('workers.route.get')
  const route = found(call)
  return route === undefined ? missing : { ok: true, result: routeView(route) }
}

/** PUT …/workers/routes/{id} */
const putRoute = (call: ZoneCall): Outcome => {
  call.cite('workers.route.put')
  const route = found(call)
  return route === undefined ? missing : keep(call, route.id)
}

/** DELETE …/workers/routes/{id} */
const deleteRoute = (call: ZoneCall): Outcome => {
  call.cite('workers.route.delete')
  const route = found(call)
  if (route === undefined) return missing
  call.parts.workers.routes.delete(route.id)
  return { ok: true, result: { id: route.id } }
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
