import { rows } from '../../src/settings/table.ts'
import type { SignInSettings } from '../settings/stack-settings.ts'
import { type HandlerValues, handlerSettingsOf } from './handler-settings.ts'

/** Rejected codes of one address: 30 a minute at each location of Cloudflare. The namespace is any integer of the account. */
const failedCallbacks = {
  name: 'FAILED_CALLBACKS',
  type: 'ratelimit',
  namespaceId: '4370',
  simple: { limit: 30, period: 60 },
} as const

/** A binding of a Worker. */
export type Binding<Value> =
  | { readonly name: string; readonly type: 'plain_text' | 'secret_text'; readonly text: Value }
  | { readonly name: string; readonly type: 'd1'; readonly databaseId: Value }
  | {
      readonly name: string
      readonly type: 'ratelimit'
      /** Limits with the same namespace share their counters. */
      readonly namespaceId: string
      /** Counts calls with a key: a number of them in a period, which is 10 or 60 seconds. */
      readonly simple: { readonly limit: number; readonly period: number }
    }

export type RateLimit = Extract<Binding<string>, { type: 'ratelimit' }>

/** Returns everything that is bound to the handler, sorted by name so that the order never shows as a change. */
export function handlerBindings<Value>(
  settings: SignInSettings,
  { databaseId, ...values }: HandlerValues<Value> & { readonly databaseId: Value },
): readonly Binding<Value | string>[] {
  const texts = handlerSettingsOf(settings, values)
  const bindings: readonly Binding<Value | string>[] = [
    ...rows.flatMap(([name, { secret }]) => {
      const text = texts[name]
      const type = secret ? ('secret_text' as const) : ('plain_text' as const)
      return text === undefined ? [] : [{ name, type, text }]
    }),
    { name: 'EMPLOYEES', type: 'd1', databaseId },
    failedCallbacks,
  ]
  return bindings.toSorted((one, other) => (one.name < other.name ? -1 : 1))
}
