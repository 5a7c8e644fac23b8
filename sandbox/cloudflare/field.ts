import type { RecordProblem } from './errors.ts'

/** The value of a field, or its problems. */
export type Read<T> = { readonly value: T } | { readonly invalid: readonly RecordProblem[] }

export const value = <T>(given: T): Read<T> => ({ value: given })

type ValuesOf<Fields> = { [Name in keyof Fields]: Fields[Name] extends Read<infer T> ? T : never }

/** Returns the values of all fields, or the problems of those that have any, in their order. */
export function allOf<const Fields extends Readonly<Record<string, Read<unknown>>>>(
  fields: Fields,
): Read<ValuesOf<Fields>> {
  const read = Object.entries(fields)
  const problems = read.flatMap(([, field]) => ('invalid' in field ? field.invalid : []))
  if (problems.length > 0) return { invalid: [...new Set(problems)] }
  const values = read.map(([name, field]) => [name, 'value' in field ? field.value : undefined])
  return value(Object.fromEntries(values) as ValuesOf<Fields>)
}

export const invalid = (problem: RecordProblem['problem'], pointer?: string): Read<never> => ({
  invalid: [pointer === undefined ? { problem } : { problem, pointer }],
})
