/** A value that JSON can say, as the engine sends properties. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

/** The properties of a resource, by the names that programs give them. */
export interface Fields {
  readonly [key: string]: Json
}

/** What stands for a value that is known only when the resource is there (Pulumi SDK, `rpc.unknownValue`). */
export const unknownValue = '04da6b54-80e4-46f7-96ec-b56ff0331ba9'

const isFields = (value: Json | undefined): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether two values say the same; the order of an object's keys does not count. */
export function isEqual(one: Json | undefined, other: Json | undefined): boolean {
  if (one === other) return true
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((element, at) => isEqual(element, other[at]))
  }
  if (!isFields(one) || !isFields(other)) return false
  const keys = Object.keys(one)
  return keys.length === Object.keys(other).length && keys.every(key => isEqual(one[key], other[key]))
}

/** The keys whose values differ, those that only one side has among them. */
export const differing = (one: Fields, other: Fields): string[] =>
  [...new Set([...Object.keys(one), ...Object.keys(other)])].filter(key => !isEqual(one[key], other[key]))

/** Some keys of an object, those that it has. */
export const pick = (fields: Fields, keys: readonly string[]): Fields =>
  Object.fromEntries(
    keys.flatMap(key => {
      const value = fields[key]
      return value === undefined ? [] : [[key, value]]
    }),
  )

/** A property as text; empty when it is none. */
export const text = (value: Json | undefined): string => (typeof value === 'string' ? value : '')

export const fieldsOf = (value: Json | undefined): Fields => (isFields(value) ? value : {})

export const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : [])

function renamed(value: Json, name: (key: string) => string): Json {
  if (Array.isArray(value)) return value.map(element => renamed(element, name))
  if (!isFields(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [name(key), renamed(inner, name)]))
}

/** `requestIp` to `request_ip`, at every depth. */
export const toSnake = (value: Json): Json =>
  renamed(value, key => key.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`))

/** `request_ip` to `requestIp`, at every depth. */
export const toCamel = (value: Json): Json =>
  renamed(value, key => key.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()))
