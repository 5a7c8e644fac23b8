import { type Properties, pick, text, toCamel, toSnake } from '../../properties.ts'
import type { Resource } from '../resource.ts'
import { unlessGone } from '../rest.ts'
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
  read: async (client, sent, { inputs, state }) => {
    // The id of an import also contains the account (d1_database/resource.go, ImportState).
    const [first = '', second] = sent.split('/')
    const [id, accountId] = second === undefined ? [first, state['accountId'] ?? null] : [second, first]
    const path = `${collection({ accountId })}/${id}`
    const database = await unlessGone(client.call({ method: 'GET', path }))
    if (database === null) return null
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
  // d1_database/resource.go, 5.22: Delete returns the error of a 404, as every one of this provider.
  delete: async (client, id, state) => {
    await client.call({ method: 'DELETE', path: `${collection(state)}/${id}` })
  },
}
