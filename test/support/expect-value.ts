/** Returns what was read. @throws Error with the problems if there are some instead */
export function expectValue<Value>(
  reading: { readonly value: Value } | { readonly problem: unknown } | { readonly problems: unknown },
): Value {
  if ('value' in reading) return reading.value
  throw new Error(JSON.stringify(reading))
}
