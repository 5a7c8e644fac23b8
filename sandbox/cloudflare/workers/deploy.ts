import { formatInstant } from '../../http/clock.ts'
import type { Call } from '../route.ts'
import type { Script } from './script.ts'

/**
 * Starts a script and stores it.
 * @param attempt returns the script to start, called when it is this change's turn
 * @returns the script as it was started
 */
export async function deploy(
  { parts: { workers, databases, runtime } }: Call,
  script: Script,
  attempt = () => script,
): Promise<Script> {
  let started = script
  await runtime.deploy(
    () => {
      started = attempt()
      return workers.deployment(databases, started)
    },
    () => void workers.scripts.set(started.name, started),
  )
  return started
}

/** Deploys a script with changes, as a new version. `alter` gets the script as it is at that time. */
export function deployChange(
  call: Call,
  script: Script,
  alter: (current: Script) => Partial<Script>,
): Promise<Script> {
  const { workers, clock, ids } = call.parts
  const attempt = () => {
    const current = workers.scripts.get(script.name) ?? script
    return { ...current, ...alter(current), modifiedOn: formatInstant(clock.now()), versionId: ids.uuid() }
  }
  return deploy(call, script, attempt)
}
