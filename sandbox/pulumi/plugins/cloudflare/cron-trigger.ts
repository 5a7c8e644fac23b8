import { asList, asProperties, type Properties, pick, text, toCamel } from '../../properties.ts'
import type { Resource } from '../resource.ts'
import { unlessGone } from '../rest.ts'
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
  read: async (client, id, { inputs, state }) => {
    const found = await unlessGone(client.call({ method: 'GET', path: path({ ...state, scriptName: id }) }))
    if (found === null) return null
    const schedules = asList(found['schedules']).map(one => pick(asProperties(one), ['cron']))
    const now = { ...inputs, schedules }
    return { id, inputs: now, state: { ...state, ...now } }
  },
  update: (client, _, inputs) => put(client, inputs),
  // workers_cron_trigger/resource.go, 5.0: Delete sends nothing, so the triggers stay until the script is deleted.
  delete: async () => {},
}
