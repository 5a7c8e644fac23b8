import { asList, asProperties, type Properties, pick, text, toCamel } from '../../properties.ts'
import type { Resource } from '../resource.ts'
import type { Cloudflare } from './client.ts'

const path = (inputs: Properties) =>
  `/accounts/${text(inputs['accountId'])}/workers/scripts/${text(inputs['scriptName'])}/schedules`

async function put(client: Cloudflare, inputs: Properties): Promise<Properties> {
  const json = asList(inputs['schedules']).map(one => pick(asProperties(one), ['cron']))
  return {
    ...inputs,
    ...asProperties(toCamel(await client.call({ method: 'PUT', path: path(inputs), json }))),
  }
}

/** The cron triggers of a Worker. Its id is the name of the script. */
export const workersCronTrigger: Resource<Cloudflare> = {
  // workers_cron_trigger/schema.go: account_id and script_name are RequiresReplace.
  replaceOn: ['accountId', 'scriptName'],
  computed: [],
  create: async (client, inputs) => ({ id: text(inputs['scriptName']), state: await put(client, inputs) }),
  // Its schedules are `no_refresh`: Read sends nothing, so neither an emptied trigger nor a Worker that is gone shows
  // (observed with the real plugin).
  read: async (_, id, { inputs, state }) => ({ id, inputs, state }),
  update: (client, _, inputs) => put(client, inputs),
  // workers_cron_trigger/resource.go, 5.0: Delete sends nothing, so the triggers stay until the script is deleted.
  delete: async () => {},
}
