import { fieldOf, listOf } from '../json.ts'
import type { Binding } from './worker-bindings.ts'

/** Returns everything that is bound to the clock, sorted by name. */
export function clockBindings<Value>(workflow: string, token: Value): readonly Binding<Value | string>[] {
  return [
    { name: 'WORKFLOW', type: 'plain_text', text: workflow },
    { name: 'WORKFLOW_TOKEN', type: 'secret_text', text: token },
  ]
}

/** Returns what fires a Worker, as the API and the state have it. */
export const cronsIn = (value: unknown): readonly string[] =>
  listOf(fieldOf(value, 'schedules')).map(one => String(fieldOf(one, 'cron')))
