import type { LiveProvider } from './engine/stack.ts'
import { azuread } from './plugins/azuread/package.ts'
import { cloudflare } from './plugins/cloudflare/package.ts'
import { github } from './plugins/github/package.ts'
import { createProvider, type Provider, UnknownType } from './plugins/provider.ts'
import type { Properties } from './properties.ts'

/**
 * Returns a provider that manages resources in this process with the calls of the real providers. As with the engine, an
 * explicit provider has only its own configuration. Rejects with a RestError if a service refuses, and with an UnknownType
 * for a type that it does not have.
 * @param settings the configuration of each default provider
 * @param environment the variables that providers read besides their settings
 */
export function resourceProvider(
  settings: Readonly<Record<string, Properties>>,
  environment: NodeJS.ProcessEnv = {},
): LiveProvider {
  const providers = new Map<string, Provider>()
  function connect(name: string, configuration: Properties): Provider {
    switch (name) {
      case 'cloudflare':
        return createProvider(cloudflare, configuration, environment)
      case 'azuread':
        return createProvider(azuread, configuration, environment)
      case 'github':
        return createProvider(github, configuration, environment)
      default:
        throw new UnknownType(`There is no emulated provider named ${name}.`)
    }
  }
  function providerFor(token: string, explicit: Properties): Provider {
    const [name = ''] = token.split(':')
    const configuration = Object.keys(explicit).length > 0 ? explicit : (settings[name] ?? {})
    const key = `${name} ${JSON.stringify(configuration)}`
    const found = providers.get(key) ?? connect(name, configuration)
    providers.set(key, found)
    return found
  }
  return {
    async create(type, inputs, { configuration }) {
      const { id, state } = await providerFor(type, configuration).create(type, inputs)
      return { id, outputs: state }
    },
    diff: (type, before, now, ignored, { configuration }) =>
      providerFor(type, configuration).diff(type, before, now, ignored),
    read: (type, id, known, { configuration }) => providerFor(type, configuration).read(type, id, known),
    update: (type, id, inputs, known, ignored, { configuration }) =>
      providerFor(type, configuration).update(type, id, inputs, known, ignored),
    delete: (type, id, state, { configuration }) => providerFor(type, configuration).delete(type, id, state),
    async invoke(token, args, { configuration }) {
      return providerFor(token, configuration).lookUp(token, args)
    },
  }
}
