import * as cloudflare from '@pulumi/cloudflare'
import * as pulumi from '@pulumi/pulumi'
import { connectCloudflare, resultOf } from '../http.ts'
import { fieldOf } from '../json.ts'
import { clockNames, logicalNames } from '../resource-names.ts'
import { clockBindings, clockCrons, cronsIn } from './clock-bindings.ts'
import { defaultAccess } from './cloudflare-access.ts'
import { type Own, triggerIn } from './own-state.ts'
import { declareScript, type WorkerArgs } from './worker-script.ts'

export interface WorkflowClockArgs extends WorkerArgs {
  /** The workflow to start, as `owner/repository/file.yml[@branch]`. */
  readonly workflow: string
  /** Secret. */
  readonly token: pulumi.Output<string>
  /** What fires the Worker. */
  readonly cron: string
}

/** A clock for a workflow at GitHub: a Worker without a host that a cron trigger fires. */
export class WorkflowClock extends pulumi.ComponentResource {
  constructor(name: string, args: WorkflowClockArgs, options?: pulumi.ComponentResourceOptions) {
    super('homeport:infra:WorkflowClock', name, {}, options)
    const { accountId, workflow, token, cron } = args
    const bindings = clockBindings<pulumi.Input<string>>(workflow, pulumi.secret(token))
    const { scriptName } = declareScript(name, this, args, bindings)
    const trigger = { accountId, scriptName, schedules: [{ cron }] }
    new cloudflare.WorkersCronTrigger(logicalNames(name).trigger, trigger, { parent: this })
    this.registerOutputs()
  }
}

/**
 * Returns the trigger to declare. The provider asks for the schedules, but keeps those that it sent (seen with cloudflare 5.22). So a
 * run whose Worker lacks them declares them in another notation, which makes the provider send them again. A Worker that is gone, too,
 * lacks them: it is created again before its trigger is refreshed (seen with 3.259.0).
 * @param state the resources of the last run
 */
export async function clockCron(state: readonly Own[]): Promise<string> {
  const [first, other] = clockCrons
  const trigger = triggerIn(state, clockNames.trigger)
  if (!trigger) return first
  const wanted = cronsIn(trigger).join() === other ? other : first
  const found = await readCrons(trigger)
  if (found === null || found.join() === wanted) return wanted
  return wanted === first ? other : first
}

/** Asks Cloudflare what fires a Worker. Returns nothing for one that is gone, and null if there is no answer. */
async function readCrons(trigger: unknown): Promise<readonly string[] | null> {
  const [account, script] = ['accountId', 'scriptName'].map(name =>
    encodeURIComponent(String(fieldOf(trigger, name))),
  )
  const send = connectCloudflare(defaultAccess())
  const answer = await send(`/accounts/${account}/workers/scripts/${script}/schedules`)
  if (answer.status === 404) return []
  const found = resultOf(answer)
  return found === null ? null : cronsIn(found)
}
