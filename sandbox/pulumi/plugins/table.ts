import type { ResourceProvider } from '../engine/graph.ts'
import type { Properties } from '../properties.ts'
import { azuread } from './azuread/package.ts'
import { cloudflare } from './cloudflare/package.ts'
import { github } from './github/package.ts'
import { type Operator, operator, UnknownType } from './operate.ts'

/**
 * Creates resources in this process by the calls that the real providers make. An explicit provider has its
 * own configuration alone, as with the engine.
 * @param settings configuration of each default provider
 * @param environment variables that the providers read besides their settings
 * @returns a provider that rejects with RestError if a service refuses, or UnknownType for a type it does not have
 */
export function resourceProvider(
  settings: Readonly<Record<string, Properties>>,
  environment: NodeJS.ProcessEnv = {},
): ResourceProvider {
  const operators = new Map<string, Operator>()
  function connect(name: string, configuration: Properties): Operator {
    switch (name) {
      case 'cloudflare':
        return operator(cloudflare, configuration, environment)
      case 'azuread':
        return operator(azuread, configuration, environment)
      case 'github':
        return operator(github, configuration, environment)
      default:
        throw new UnknownType(`No emulated provider is called ${name}.`)
    }
  }
  function operatorFor(token: string, explicit: Properties): Operator {
    const [name = ''] = token.split(':')
    const configuration = Object.keys(explicit).length > 0 ? explicit : (settings[name] ?? {})
    const key = `${name} ${JSON.stringify(configuration)}`
    const found = operators.get(key) ?? connect(name, configuration)
    operators.set(key, found)
    return found
  }
  return {
    async create(type, inputs, { configuration }) {
      const { id, state } = await operatorFor(type, configuration).create(type, inputs)
      return { id, outputs: state }
    },
    async invoke(token, args, { configuration }) {
      return operatorFor(token, configuration).lookUp(token, args)
    },
  }
}
