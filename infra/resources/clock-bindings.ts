import { fieldOf, listOf } from '../json.ts'
import type { Binding } from './worker-bindings.ts'

/** When the clock starts its workflow: every five minutes, in two notations. See `clockCron`. */
export const clockCrons = ['*/5 * * * *', '0,5,10,15,20,25,30,35,40,45,50,55 * * * *'] as const

/** Returns everything that is bound to the clock, sorted by name. */
export function clockBindings<Value>(workflow: string, token: Value): readonly Binding<Value | string>[] {
  return [
    { name: 'WORKFLOW', type: 'plain_text', text: workflow },
    { name: 'WORKFLOW_TOKEN', type: 'secret_text', text: token },
  ]
}

/** Returns the cron expressions in a Worker's schedules, which the API and the state have in one form. */
export const cronsIn = (value: unknown): readonly string[] =>
  listOf(fieldOf(value, 'schedules')).map(one => String(fieldOf(one, 'cron')))
