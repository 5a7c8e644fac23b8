import { type Outcome, success } from '../envelope.ts'
import type { Route, ZoneCall } from '../route.ts'

/** Handles GET …/workers/routes. */
function listRoutes({ zone, parts: { workers } }: ZoneCall): Outcome {
  // documented: All routes of a zone are listed on one page, with a pattern and an optional script. [API reference, Workers Routes;
  // types of npm cloudflare 7.3.0]
  const routes = workers.routes.filter(({ zoneId }) => zoneId === zone.id)
  return success(
    routes.map(({ id, pattern, script }) => ({ id, pattern, ...(script === null ? {} : { script }) })),
  )
}

export const workerRouteRoutes: readonly Route[] = [
  {
    method: 'GET',
    on: 'zone',
    requires: 'workersRoutesRead',
    pattern: '/zones/:zone/workers/routes',
    handle: listRoutes,
  },
]
