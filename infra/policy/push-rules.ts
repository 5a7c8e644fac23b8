import { fieldOf, listOf } from '../json.ts'
import { clockBindings } from '../resources/clock-bindings.ts'
import { pushBindings } from '../resources/push-bindings.ts'
import { clockNames, pushNames, types } from '../stack-facts.ts'
import type { ResourceRule } from './rule.ts'

const secrets = { apiToken: '', hosts: '' }
interface Named {
  readonly name: string
  readonly type: string
}

const typeOf = ({ name, type }: Named) => `${name} (${type})`

/** What the endpoint and the clock need, and what they may have: the endpoint another base URL. */
const needed: Readonly<Record<string, readonly string[]>> = {
  [pushNames.script]: pushBindings('', null, secrets).map(typeOf),
  [clockNames.script]: clockBindings('', '').map(typeOf),
}
const allowed: Readonly<Record<string, readonly Named[]>> = {
  [pushNames.script]: pushBindings('', 'https://api.example.com/client/v4', secrets),
  [clockNames.script]: clockBindings('', ''),
}

/** Returns the texts that the Worker of the endpoint or of the clock can show; undefined for another one. */
export const publicTextsOf = (name: string): readonly string[] | undefined =>
  allowed[name]?.filter(({ type }) => type === 'plain_text').map(binding => binding.name)

export const pushBindingsExact: ResourceRule = {
  name: 'push-bindings-exact',
  description:
    'The push endpoint has its token and its hosts as secrets, a limit for wrong passwords, its zone, and nothing else. The clock has its workflow and the token for it.',
  types: [types.script],
  check({ name, props }) {
    const own = needed[name]
    if (!own) return []
    const found = listOf(props['bindings']).map(
      binding => `${String(fieldOf(binding, 'name'))} (${String(fieldOf(binding, 'type'))})`,
    )
    const missing = own.filter(one => !found.includes(one))
    const more = found.filter(one => !allowed[name]?.map(typeOf).includes(one))
    const [what, file] =
      name === clockNames.script ? ['clock', 'clock-bindings.ts'] : ['endpoint', 'push-bindings.ts']
    return [
      ...missing.map(one => `has no binding ${one}. Declare the bindings of ${file}.`),
      ...more.map(one => `binds ${one}, which the ${what} does not use. Remove it.`),
    ]
  },
}
