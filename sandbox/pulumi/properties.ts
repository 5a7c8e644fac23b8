/** Any value that JSON can express. */
export type Json = null | boolean | number | string | readonly Json[] | Properties

/** Properties of a resource, by the names that programs use. */
export interface Properties {
  readonly [key: string]: Json
}

function isProperties(value: Json | undefined): value is Properties {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns a value as properties, which are empty if it is not an object. */
export function asProperties(value: Json | undefined): Properties {
  return isProperties(value) ? value : {}
}

/** Returns a value as a list, or an empty list if it is not one. */
export function asList(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : []
}

/** Returns a value as text, or an empty text if it is not one. */
export function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}

/** Whether a value is more than empty. */
export function isSet(value: Json | undefined): boolean {
  return (
    value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0)
  )
}

/** Whether two values are equal. The order of keys does not matter. */
export function isEqual(one: Json | undefined, other: Json | undefined): boolean {
  if (one === other) return true
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((element, at) => isEqual(element, other[at]))
  }
  return isProperties(one) && isProperties(other) && changedKeys(one, other).length === 0
}

/** Returns the keys whose values differ, including the keys that only one side has. */
export function changedKeys(one: Properties, other: Properties): string[] {
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].filter(
    key => !isEqual(one[key], other[key]),
  )
}

/** Returns properties limited to the given keys. */
export function pick(properties: Properties, keys: readonly string[]): Properties {
  return Object.fromEntries(
    keys.flatMap(key => {
      const value = properties[key]
      return value === undefined ? [] : [[key, value]]
    }),
  )
}

/**
 * Returns inputs with the ignored ones taken from the state. The engine does this before it calls a provider
 * (`processIgnoreChanges`), and the bridge does it again (`ApplyIgnoreChanges` in pulumi-terraform-bridge).
 */
export function withIgnored(inputs: Properties, state: Properties, ignored: readonly string[]): Properties {
  const declared = Object.entries(inputs).filter(([key]) => !ignored.includes(key))
  return { ...Object.fromEntries(declared), ...pick(state, ignored) }
}

/** Renames keys at every depth: `requestIp` becomes `request_ip`. */
export function toSnake(value: Json): Json {
  return rename(value, key => key.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`))
}

/** Renames keys at every depth: `request_ip` becomes `requestIp`. */
export function toCamel(value: Json): Json {
  return rename(value, key => key.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()))
}

function rename(value: Json, name: (key: string) => string): Json {
  if (Array.isArray(value)) return value.map(element => rename(element, name))
  if (!isProperties(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [name(key), rename(inner, name)]))
}
