import { type ListRules, list, type ParseEntry, type Reader, refuse } from '../../../lib/settings/readers.ts'

/** What separates entries that can have blanks and commas. */
export const lines = /[\r\n;]+/

/** Makes a reader of a list that is not empty: somebody who sets a limit wants one. */
export function someOf<Value>(
  parse: ParseEntry<Value>,
  rules?: ListRules<Value>,
): Reader<readonly [Value, ...Value[]]> {
  const read = list(parse, rules)
  return text => {
    const reading = read(text)
    if ('problems' in reading) return reading
    const [first, ...others] = reading.value
    return first === undefined
      ? refuse('is an empty list. Fill it, or remove the key.')
      : { value: [first, ...others] }
  }
}
