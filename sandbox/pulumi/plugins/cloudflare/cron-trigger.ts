import { asList, asProperties, type Properties, pick, text, toCamel } from '../../properties.ts'
import type { Resource } from '../resource.ts'
import type { Cloudflare } from './client.ts'

const pathOf = (inputs: Properties) =>
  `/accounts/${text(inputs['accountId'])}/workers/scripts/${text(inputs['scriptName'])}/schedules`

async function put(client: Cloudflare, inputs: Properties): Promise<Properties> {
  const json = asList(inputs['schedules']).map(one => pick(asProperties(one), ['cron']))
  return {
    ...inputs,
    ...asProperties(toCamel(await client.call({ method: 'PUT', path: pathOf(inputs), json }))),
  }
}

/** The cron triggers of a Worker. Its id is the name of the script. */
export const workersCronTrigger: Resource<Cloudflare> = {
  // workers_cron_trigger/schema.go: account_id and script_name are RequiresReplace.
  replaceOn: ['accountId', 'scriptName'],
  computed: [],
  // workers_cron_trigger/resource.go, ModifyPlan. The bridge prints the detail before the summary (provider_diagnostics.go).
  creationWarning:
    '[WARNING] This resource cannot be destroyed from Terraform. If you create this resource, it will be present in the API until manually deleted.: Resource Destruction Considerations',
  create: async (client, inputs) => ({ id: text(inputs['scriptName']), state: await put(client, inputs) }),
  // observed: Read asks for the schedules and drops the trigger at a 404, so it goes with its Worker. What the answer says is not
  // taken (`no_refresh` in workers_cron_trigger/model.go), so an emptied or changed trigger does not show. [cloudflare 5.22, run
  // against an emulator]
  path: (_, state) => pathOf(state),
  read: (_, id, { inputs, state }) => ({ id, inputs, state }),
  update: (client, _, inputs) => put(client, inputs),
  // workers_cron_trigger/resource.go, 5.0: Delete sends nothing, so the triggers stay until the script is deleted.
  delete: async () => {},
}
