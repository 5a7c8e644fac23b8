import type { Outcome } from '../envelope.ts'
import type { Call } from '../route.ts'
import { scriptMissing } from './errors.ts'
import type { Script } from './script.ts'

type ScriptHandler = (call: Call, script: Script) => Outcome | Promise<Outcome>

/** Returns a handler that passes on the script in the path, or refuses the request if there is none. */
export const withScript = (handle: ScriptHandler) => (call: Call) => {
  const script = call.parts.workers.scripts.get(call.params['script'] ?? '')
  return script === undefined ? scriptMissing : handle(call, script)
}
