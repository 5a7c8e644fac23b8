import { azuread } from './azuread/package.ts'
import { cloudflare } from './cloudflare/package.ts'
import { github } from './github/package.ts'
import type { Fields, Json } from './json.ts'
import { type Operator, operator, UnknownType } from './operate.ts'

/** Resources made in this process, without an engine: for one that only captures what a program declares. */
export interface ResourceProvider {
  /** @throws RestError when the service refuses, UnknownType for a type that is not in the table */
  create(type: string, inputs: Json): Promise<{ id: string; outputs: Json }>
  /** Looks something up. @throws as `create` does */
  invoke(token: string, args: Json): Promise<Json>
}

/** The settings of each provider, by the names of their configuration; the environment fills in for them. */
export interface ProviderSettings {
  readonly cloudflare?: Fields
  readonly azuread?: Fields
  readonly github?: Fields
}

/**
 * From a type of resource to the calls that the real provider makes for it.
 * @param environment what providers read besides their settings
 */
export function resourceProvider(
  settings: ProviderSettings,
  environment: NodeJS.ProcessEnv = {},
): ResourceProvider {
  const operators: Readonly<Record<string, Operator>> = {
    cloudflare: operator(cloudflare, settings.cloudflare ?? {}, environment),
    azuread: operator(azuread, settings.azuread ?? {}, environment),
    github: operator(github, settings.github ?? {}, environment),
  }
  const operatorFor = (token: string): Operator => {
    const [name = ''] = token.split(':')
    const found = Object.hasOwn(operators, name) ? operators[name] : undefined
    if (found === undefined) throw new UnknownType(`No stand-in provider is called "${name}" (${token}).`)
    return found
  }
  return {
    create: async (type, inputs) => {
      const { id, state } = await operatorFor(type).create(type, inputs as Fields)
      return { id, outputs: state }
    },
    invoke: (token, args) => operatorFor(token).lookUp(token, args as Fields),
  }
}
