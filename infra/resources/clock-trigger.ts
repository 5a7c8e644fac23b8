import { exchange, requireSafeUrl } from '../http.ts'
import { fieldOf } from '../json.ts'
import { clockCrons, types } from '../stack-facts.ts'
import { defaultAccess } from './cloudflare-access.ts'
import { readOwnState } from './own-state.ts'
import { cronsIn } from './push-bindings.ts'

/**
 * Returns the cron triggers to declare; null if the stack needs no such resource. The provider never reads what it sent, and its
 * delete sends nothing (seen with cloudflare 5.22). So a run without a clock empties them, and a run whose Worker lacks them
 * declares them in another notation, which makes the provider send them again.
 */
export async function clockSchedules(isClock: boolean): Promise<readonly string[] | null> {
  const [first, other] = clockCrons
  const trigger = (await readOwnState().catch(() => [])).find(({ type }) => type === types.trigger)
  if (!trigger) return isClock ? [first] : null
  if (!isClock) return []
  const wanted = cronsIn(trigger.outputs).join() === other ? other : first
  const found = await readCrons(trigger.outputs)
  if (found === null || found.join() === wanted) return [wanted]
  return [wanted === first ? other : first]
}

/** Asks the service what fires a Worker. Returns nothing for one that is gone, and null if there is no answer. */
async function readCrons(trigger: unknown): Promise<readonly string[] | null> {
  const { baseUrl, apiToken } = defaultAccess()
  const [account, script] = ['accountId', 'scriptName'].map(name =>
    encodeURIComponent(String(fieldOf(trigger, name))),
  )
  const root = requireSafeUrl(baseUrl, 'cloudflare:baseUrl')
  const { status, ...answer } = await exchange(
    `${root}/accounts/${account}/workers/scripts/${script}/schedules`,
    { headers: { authorization: `Bearer ${apiToken}` } },
  )
  if (status === 404) return []
  return status === 200 && 'body' in answer ? cronsIn(fieldOf(answer.body, 'result')) : null
}
