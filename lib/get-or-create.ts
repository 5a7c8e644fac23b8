/** Returns what a map has for a key, and creates it first if it is missing. */
export function getOrCreate<Key, Value>(map: Map<Key, Value>, key: Key, create: () => Value): Value {
  const value = map.get(key) ?? create()
  map.set(key, value)
  return value
}
