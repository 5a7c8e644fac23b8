import { fieldOf, listOf } from '../json.ts'
import { clockBindings, pushBindings } from '../resources/push-bindings.ts'
import { pushNames, types } from '../stack-facts.ts'
import type { ResourceRule } from './rule.ts'

const secrets = { apiToken: '', hosts: '', clock: null }
const typeOf = ({ name, type }: { readonly name: string; readonly type: string }) => `${name} (${type})`

/** What the endpoint needs, and what it may have besides: another base URL, and a workflow to start. */
const needed: readonly string[] = pushBindings('', null, secrets).map(typeOf)
const clock = { workflow: '', token: '' }
const clockAlone: readonly string[] = clockBindings(clock).map(typeOf)
const allowed = pushBindings('', 'https://api.example.com/client/v4', {
  ...secrets,
  clock,
})

/** Texts that the endpoint's Worker can show. */
export const publicPushNames: readonly unknown[] = allowed
  .filter(({ type }) => type === 'plain_text')
  .map(({ name }) => name)

export const pushBindingsExact: ResourceRule = {
  name: 'push-bindings-exact',
  description:
    'The push endpoint has its token and its hosts as secrets, a limit for wrong passwords, its zone, a workflow to start, and nothing else. A clock alone has the workflow and its token.',
  types: [types.script],
  check({ name, props }) {
    if (name !== pushNames.script) return []
    const found = listOf(props['bindings']).map(
      binding => `${String(fieldOf(binding, 'name'))} (${String(fieldOf(binding, 'type'))})`,
    )
    if (found.length === clockAlone.length && clockAlone.every(one => found.includes(one))) return []
    const missing = needed.filter(one => !found.includes(one))
    const more = found.filter(one => !allowed.map(typeOf).includes(one))
    return [
      ...missing.map(one => `has no binding ${one}. Declare the bindings of push-bindings.ts.`),
      ...more.map(one => `binds ${one}, which the endpoint does not use. Remove it.`),
    ]
  },
}
