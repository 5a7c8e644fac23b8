import { databaseRoutes } from './d1/database-resource.ts'
import { queryRoutes } from './d1/query-resource.ts'
import { recordRoutes } from './records/resource.ts'
import type { Route } from './route.ts'
import { tokenRoutes } from './tokens/resource.ts'
import { contentRoutes } from './workers/content-resource.ts'
import { domainRoutes } from './workers/domain-resource.ts'
import { workerRouteRoutes } from './workers/route-resource.ts'
import { scheduleRoutes } from './workers/schedule-resource.ts'
import { scriptRoutes } from './workers/script-resource.ts'
import { settingsRoutes } from './workers/settings-resource.ts'
import { subdomainRoutes } from './workers/subdomain-resource.ts'
import { zoneRoutes } from './zones/resource.ts'

/** All routes of the API. */
export const routes: readonly Route[] = [
  ...zoneRoutes,
  ...recordRoutes,
  ...tokenRoutes,
  ...scriptRoutes,
  ...contentRoutes,
  ...settingsRoutes,
  ...subdomainRoutes,
  ...scheduleRoutes,
  ...domainRoutes,
  ...workerRouteRoutes,
  ...databaseRoutes,
  ...queryRoutes,
]
