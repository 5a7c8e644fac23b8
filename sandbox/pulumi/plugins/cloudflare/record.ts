import { isSet, type Properties, pick, text } from '../../properties.ts'
import type { Resource } from '../resource.ts'
import type { Cloudflare } from './client.ts'

const sent = ['name', 'type', 'content', 'ttl', 'proxied', 'comment', 'priority', 'data', 'settings', 'tags']
const served = [...sent, 'proxiable']

const collection = (zoneId: string) => `/zones/${zoneId}/dns_records`

/** Returns the outputs. As in every schema of the real provider, `id` is one of them (its source). */
const stateOf = (zoneId: string, inputs: Properties, record: Properties): Properties => ({
  ...inputs,
  id: record['id'] ?? null,
  ...pick(record, served),
  zoneId,
  createdOn: record['created_on'] ?? null,
  modifiedOn: record['modified_on'] ?? null,
})

/** An import takes the comment and tags into the inputs if they are set (observed with the real provider). */
const importedIfSet = ['comment', 'tags']

/** Returns the declared inputs with the service's values. During an import, returns all inputs. */
function inputsOf(zoneId: string, known: Properties, record: Properties): Properties {
  if (Object.keys(known).length > 0) return { ...pick(record, Object.keys(known)), zoneId }
  const names = importedIfSet.filter(name => isSet(record[name]))
  return { ...pick(record, ['name', 'type', 'content', 'ttl', 'proxied', ...names]), zoneId }
}

/** Splits an id. That of an import also contains the zone. */
function splitId(id: string, state: Properties): readonly [zoneId: string, recordId: string] {
  const [first = '', second] = id.split('/')
  return second === undefined ? [text(state['zoneId']), first] : [first, second]
}

/**
 * A record. An update is a PUT of the whole record. If the program ignores changes of a field, the PUT contains its value in
 * the state, which is that of the last refresh.
 */
export const dnsRecord: Resource<Cloudflare> = {
  // dns_record/schema.go: zone_id and type are RequiresReplace; comment is Optional, and tags are Computed too.
  replaceOn: ['zoneId', 'type'],
  removedUnlessDeclared: ['comment'],
  computed: ['id', 'proxiable', 'createdOn', 'modifiedOn'],
  create: async (client, inputs) => {
    const zoneId = text(inputs['zoneId'])
    const json = { proxied: false, ...pick(inputs, sent) }
    const record = await client.call({ method: 'POST', path: collection(zoneId), json })
    return { id: text(record['id']), state: stateOf(zoneId, inputs, record) }
  },
  path: (id, state) => {
    const [zoneId, recordId] = splitId(id, state)
    return `${collection(zoneId)}/${recordId}`
  },
  read: (record, id, { inputs, state }) => {
    const [zoneId, recordId] = splitId(id, state)
    const refreshed = inputsOf(zoneId, inputs, record)
    return { id: recordId, state: stateOf(zoneId, refreshed, record), inputs: refreshed }
  },
  update: async (client, id, inputs, { state }) => {
    const zoneId = text(state['zoneId'])
    const json = { settings: {}, tags: [], proxied: false, ...pick(inputs, sent) }
    const record = await client.call({ method: 'PUT', path: `${collection(zoneId)}/${id}`, json })
    return stateOf(zoneId, inputs, record)
  },
}
