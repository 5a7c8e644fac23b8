import { formatInstant } from '../../http/clock.ts'
import type { Refusal } from '../errors.ts'
import type { Call } from '../route.ts'
import { scriptInvalid } from './errors.ts'
import { WorkerStartError } from './runtime.ts'
import type { Script } from './script.ts'

/**
 * Starts a script and stores it.
 * @param attempt returns the script to start, called when it is this change's turn
 * @returns the script as it was started, or a refusal if it does not start
 */
export async function deploy(
  { parts: { workers, databases, runtime } }: Call,
  script: Script,
  attempt = () => script,
): Promise<Script | Refusal> {
  let started = script
  try {
    await runtime.deploy(
      () => {
        started = attempt()
        return workers.deployment(databases, started)
      },
      () => void workers.scripts.set(started.name, started),
    )
    return started
  } catch (error) {
    if (error instanceof WorkerStartError) return scriptInvalid(error.message)
    throw error
  }
}

/** Deploys a script with changes, as a new version. `alter` gets the script as it is at that time. */
export function deployChange(
  call: Call,
  script: Script,
  alter: (current: Script) => Partial<Script>,
): Promise<Script | Refusal> {
  const { workers, clock, ids } = call.parts
  const attempt = () => {
    const current = workers.scripts.get(script.name) ?? script
    return { ...current, ...alter(current), modifiedOn: formatInstant(clock.now()), versionId: ids.uuid() }
  }
  return deploy(call, script, attempt)
}
