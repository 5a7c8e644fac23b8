import { recordRoutes } from './record-resource.ts'
import type { Route } from './route.ts'
import { tokenRoutes } from './token-resource.ts'
import { zoneRoutes } from './zone-resource.ts'

/** Everything that the API can do. An area has its own table, and its place here. */
export const routes: readonly Route[] = [...zoneRoutes, ...recordRoutes, ...tokenRoutes]
