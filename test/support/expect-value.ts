/** Returns what was read. @throws Error with the problem if there is one instead */
export function expectValue<Value>(
  reading: { readonly value: Value } | { readonly problem: unknown },
): Value {
  if ('problem' in reading) throw new Error(JSON.stringify(reading.problem))
  return reading.value
}
