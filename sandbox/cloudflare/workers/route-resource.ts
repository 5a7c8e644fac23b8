import { type Outcome, success } from '../envelope.ts'
import type { ZoneCall } from '../route.ts'

/** Handles GET …/workers/routes. */
export function listRoutes({ zone, parts: { workers } }: ZoneCall): Outcome {
  // documented: All routes of a zone are listed on one page, with a pattern and an optional script. [API reference, Workers Routes;
  // types of npm cloudflare 7.3.0]
  const routes = workers.routes.filter(({ zoneId }) => zoneId === zone.id)
  return success(
    routes.map(({ id, pattern, script }) => ({ id, pattern, ...(script === null ? {} : { script }) })),
  )
}
