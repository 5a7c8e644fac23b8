import { formatInstant } from '../../http/clock.ts'
import { isObject, type JsonObject } from '../../http/validation.ts'
import { type Outcome, success } from '../envelope.ts'
import { pageOf } from '../paging.ts'
import type { ApiParts, Call } from '../route.ts'
import { type Database, type Jurisdiction, jurisdictions } from './databases.ts'
import { databaseMissing, malformed, nameTaken } from './errors.ts'
import { query } from './query.ts'

const pageSize = { default: 100, max: 10_000 }
const nameRule = /^[a-zA-Z0-9][a-zA-Z0-9_-]{0,62}$/
/** The only current version of databases. */
const version = 'production'

const listed = ({ uuid, name, createdAt, jurisdiction }: Database) => ({
  uuid,
  name,
  created_at: createdAt,
  version,
  jurisdiction,
})

/** Returns a single database as served. Unlike a list, it includes read_replication. */
const databaseView = (database: Database) => ({
  ...listed(database),
  read_replication: { mode: database.replication },
})

function readReplication(sent: JsonObject, current: Database['replication']): Database['replication'] {
  const replication = sent['read_replication']
  if (replication === undefined) return current
  const mode = isObject(replication) ? replication['mode'] : null
  if (mode !== 'auto' && mode !== 'disabled') throw malformed('invalid read_replication')
  return mode
}

/** Returns null if none was sent. */
function readJurisdiction({ jurisdiction: sent }: JsonObject): Jurisdiction | null {
  if (sent === undefined) return null
  const jurisdiction = jurisdictions.find(known => known === sent)
  if (!jurisdiction) throw malformed('invalid jurisdiction')
  return jurisdiction
}

/** Handles POST …/database. */
function createDatabase({ sent, parts }: Call): Outcome {
  // documented: POST creates a database by name and returns its uuid. [API reference, D1; types of npm cloudflare 7.3.0]
  const { workers, runtime, clock, ids } = parts
  const name = sent?.['name']
  if (sent === null || typeof name !== 'string' || !nameRule.test(name)) throw malformed('invalid name')
  if (find(parts, name)) throw nameTaken
  const replication = readReplication(sent, 'disabled')
  const jurisdiction = readJurisdiction(sent)
  // documented: A database created with jurisdiction eu, fedramp or us keeps it; every response shows it, or null. An update
  // ignores it. Assumed: another value is refused as malformed. [API reference, D1; types of npm cloudflare 7.3.0; changelog of
  // D1, 2025-11: a jurisdiction can only be set at creation]
  const createdAt = formatInstant(clock.now())
  const database: Database = { uuid: ids.uuid(), name, createdAt, replication, jurisdiction }
  workers.databases.set(database.uuid, database)
  runtime.outdate()
  return success(databaseView(database))
}

/** Handles GET …/database. */
function listDatabases({ query, parts: { workers } }: Call): Outcome {
  // documented: Databases are listed by page and part of the name, without replication. [API reference, D1; types of npm
  // cloudflare 7.3.0]
  const name = query.get('name')
  const found = [...workers.databases.values()].filter(
    database => name === null || database.name.includes(name),
  )
  return pageOf(found.map(listed), query, pageSize)
}

/** Returns the database with a uuid or a name. */
const find = ({ workers: { databases } }: ApiParts, named: string): Database | null =>
  databases.get(named) ?? [...databases.values()].find(({ name }) => name === named) ?? null

/** Returns a handler that passes on the database in the path, or refuses the request if there is none. */
const withDatabase =
  <Result>(handle: (call: Call, database: Database) => Result) =>
  (call: Call): Result => {
    const named = call.params['database'] ?? ''
    const database = find(call.parts, named)
    if (database === null) throw databaseMissing(named)
    return handle(call, database)
  }

/** Handles GET …/database/{uuid}. */
function getDatabase(_call: Call, database: Database): Outcome {
  // tried: GET returns a database with read_replication, which is "disabled" by default. A program that does not declare it
  // plans a change. The name works in place of the uuid, as wrangler 4 sends it. [Terraform provider 5.19 and 5.22, run against
  // an emulator]
  return success(databaseView(database))
}

/** Handles PUT …/database/{uuid}. The providers also send the name, which must be the current one. */
function updateDatabase({ sent, parts }: Call, database: Database): Outcome {
  // documented: PUT changes read_replication. Assumed: if a name is sent, it must be the current one. [API reference,
  // D1; types of npm cloudflare 7.3.0]
  if (sent === null) throw malformed('invalid body')
  const replication = readReplication(sent, database.replication)
  if (sent['name'] !== undefined && sent['name'] !== database.name) throw malformed('the name cannot change')
  const changed: Database = { ...database, replication }
  parts.workers.databases.set(changed.uuid, changed)
  return success(databaseView(changed))
}

/** Handles DELETE …/database/{uuid}. */
function deleteDatabase({ parts: { workers, runtime } }: Call, { uuid }: Database): Outcome {
  // documented: DELETE deletes a database and its contents. [API reference, D1; types of npm cloudflare 7.3.0]
  workers.databases.delete(uuid)
  runtime.outdate()
  return success(null)
}

export const databaseRoutes = {
  'GET /d1/database': listDatabases,
  'POST /d1/database': createDatabase,
  'GET /d1/database/*database': withDatabase(getDatabase),
  'PUT /d1/database/*database': withDatabase(updateDatabase),
  'DELETE /d1/database/*database': withDatabase(deleteDatabase),
  'POST /d1/database/*database/query': withDatabase(query),
}
