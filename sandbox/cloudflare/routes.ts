import { databaseRoutes } from './d1/database-resource.ts'
import { recordRoutes } from './records/resource.ts'
import type { Call, Handler, Route, ZoneCall } from './route.ts'
import type { Permission } from './tokens/permission-groups.ts'
import { tokenRoutes, verify } from './tokens/resource.ts'
import { domainRoutes } from './workers/domain-resource.ts'
import { scriptMissing } from './workers/errors.ts'
import type { Script } from './workers/script.ts'
import { deleteScript, getContent, getService, listScripts, putScript } from './workers/script-resource.ts'
import {
  getSchedules,
  getSettings,
  getSubdomain,
  patchScriptSettings,
  postSubdomain,
  putSchedules,
  putSecret,
} from './workers/settings-resource.ts'
import { getZone, listRoutes, listZones } from './zones/resource.ts'

type Method = Route['method']
/** Handlers by method and path. */
type Rows<Handle> = Readonly<Record<`${Method} /${string}`, Handle>>
/** What permissions are for, without `Read` or `Write`. */
type Area<Name = Permission> = Name extends `${infer About}Read` ? About : never

function rowsOf<C extends Call>(base: '' | `/${string}`, rows: Rows<Handler<C>>) {
  return Object.entries<Handler<C>>(rows).map(([key, handle]) => {
    const [method, path = ''] = key.split(' ')
    return { method: method as Method, pattern: `${base}${path}` as `/${string}`, handle }
  })
}

/** Returns the permission that a method requires: to read for GET, to write for every other. */
const permissionFor = (area: Area, method: Method) =>
  `${area}${method === 'GET' ? 'Read' : 'Write'}` as Permission

const onSelf = (rows: Rows<Handler<Call>>): Route[] => rowsOf('', rows).map(row => ({ ...row, on: 'self' }))

const onZone = (area: Area, rows: Rows<Handler<ZoneCall>>): Route[] =>
  rowsOf('/zones/:zone', rows).map(row => ({ ...row, on: 'zone', requires: permissionFor(area, row.method) }))

const on = (owner: 'user' | 'account', area: Area, rows: Rows<Handler<Call>>): Route[] =>
  rowsOf(owner === 'user' ? '/user' : '/accounts/:account', rows).map(row => ({
    ...row,
    on: owner,
    requires: permissionFor(area, row.method),
  }))

/** Returns a handler that passes on the script in the path, or refuses the request if there is none. */
const withScript =
  (handle: (call: Call, script: Script) => ReturnType<Handler<Call>>): Handler<Call> =>
  call => {
    const script = call.parts.workers.scripts.get(call.params['script'] ?? '')
    if (script === undefined) throw scriptMissing
    return handle(call, script)
  }

/** All routes of the API. The first that matches answers. */
export const routes: readonly Route[] = [
  ...onSelf({
    'GET /zones': listZones,
    'GET /user/tokens/verify': verify,
    'GET /accounts/:account/tokens/verify': verify,
  }),
  {
    method: 'GET',
    pattern: '/zones/:zone',
    on: 'zone',
    requires: 'zoneRead',
    or: 'dnsRead',
    handle: getZone,
  },
  ...onZone('dns', recordRoutes),
  ...onZone('workersRoutes', { 'GET /workers/routes': listRoutes }),
  ...on('user', 'userTokens', tokenRoutes),
  ...on('account', 'accountTokens', tokenRoutes),
  ...on('account', 'd1', databaseRoutes),
  ...on('account', 'workersScripts', domainRoutes),
  ...on('account', 'workersScripts', {
    'GET /workers/services/*script': withScript(getService),
    'GET /workers/scripts': listScripts,
    'PUT /workers/scripts/*script': putScript,
    'GET /workers/scripts/*script': withScript(getContent),
    'DELETE /workers/scripts/*script': deleteScript,
    'GET /workers/scripts/*script/content/v2': withScript(getContent),
    'GET /workers/scripts/*script/settings': withScript(getSettings),
    'PATCH /workers/scripts/*script/script-settings': withScript(patchScriptSettings),
    'PUT /workers/scripts/*script/secrets': withScript(putSecret),
    'GET /workers/scripts/*script/schedules': withScript(getSchedules),
    'PUT /workers/scripts/*script/schedules': withScript(putSchedules),
    'GET /workers/scripts/*script/subdomain': withScript(getSubdomain),
    'POST /workers/scripts/*script/subdomain': withScript(postSubdomain),
  }),
]
