import { type Json, type Properties, pick, text, toCamel, toSnake } from '../../properties.ts'
import type { Resource } from '../resource.ts'
import type { Cloudflare } from './client.ts'

const collection = (inputs: Properties) => `/accounts/${text(inputs['accountId'])}/d1/database`

const replicationOf = (database: Properties): Properties =>
  database['read_replication'] === undefined ? {} : { readReplication: toCamel(database['read_replication']) }

/** Null, which the service returns for none, is left out like any input that is not declared. */
const jurisdictionOf = ({ jurisdiction }: Properties): Properties =>
  jurisdiction === undefined || jurisdiction === null ? {} : { jurisdiction }

const stateOf = (inputs: Properties, database: Properties): Properties => ({
  ...inputs,
  id: database['uuid'] ?? null,
  uuid: database['uuid'] ?? null,
  createdAt: database['created_at'] ?? null,
  version: database['version'] ?? null,
})

const bodyOf = (inputs: Properties, names: readonly string[]) => toSnake(pick(inputs, names))

/** Splits an id. That of an import also contains the account (d1_database/resource.go, ImportState). */
function splitId(sent: string, state: Properties): readonly [id: string, accountId: Json] {
  const [first = '', second] = sent.split('/')
  return second === undefined ? [first, state['accountId'] ?? null] : [second, first]
}

/**
 * A database. The service always returns `read_replication`, so the first refresh plans an update of a program that does not
 * declare it (observed with the real provider).
 */
export const d1Database: Resource<Cloudflare> = {
  // d1_database/schema.go: these are RequiresReplace; read_replication is Optional.
  replaceOn: ['accountId', 'name', 'jurisdiction'],
  computed: ['id', 'uuid', 'createdAt', 'version'],
  create: async (client, inputs) => {
    const json = bodyOf(inputs, ['name', 'jurisdiction', 'readReplication'])
    const database = await client.call({ method: 'POST', path: collection(inputs), json })
    return { id: text(database['uuid']), state: stateOf(inputs, database) }
  },
  path: (sent, state) => {
    const [id, accountId] = splitId(sent, state)
    return `${collection({ accountId })}/${id}`
  },
  read: (database, sent, { inputs, state }) => {
    const [id, accountId] = splitId(sent, state)
    const { jurisdiction: _, ...kept } = inputs
    const refreshed = {
      ...kept,
      accountId,
      name: database['name'] ?? null,
      ...jurisdictionOf(database),
      ...replicationOf(database),
    }
    return { id, inputs: refreshed, state: stateOf({ ...state, ...refreshed }, database) }
  },
  update: async (client, id, inputs, { state }) => {
    const json = bodyOf(inputs, ['name', 'readReplication'])
    const path = `${collection(state)}/${id}`
    return stateOf(inputs, await client.call({ method: 'PUT', path, json }))
  },
}
