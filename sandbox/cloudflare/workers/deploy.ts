import { formatInstant } from '../../http/clock.ts'
import type { Call } from '../route.ts'
import type { Script } from './script.ts'

/** Starts a script and stores it. */
export const deploy = (
  { parts: { workers, databases, runtime } }: Pick<Call, 'parts'>,
  script: Script,
): Promise<void> =>
  runtime.deploy(
    () => workers.deployment(databases, script),
    () => void workers.scripts.set(script.name, script),
  )

/** Deploys a script with changes, as a new version. */
export function deployChange(call: Call, script: Script, changes: Partial<Script>): Promise<void> {
  const { clock, ids } = call.parts
  const modifiedOn = formatInstant(clock.now())
  return deploy(call, { ...script, ...changes, modifiedOn, versionId: ids.uuid() })
}
