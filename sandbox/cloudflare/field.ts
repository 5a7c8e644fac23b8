import type { RecordProblem } from './errors.ts'

/** The value of a field, or its problems. */
export type Reading<T> = { readonly value: T } | { readonly problems: readonly RecordProblem[] }

/** Returns a reading without problems. */
export const value = <T>(given: T): Reading<T> => ({ value: given })

type ValuesOf<Fields> = { [Name in keyof Fields]: Fields[Name] extends Reading<infer T> ? T : never }

/** Returns the values of all fields, or the problems of those that have any, in their order. */
export function allOf<const Fields extends Readonly<Record<string, Reading<unknown>>>>(
  fields: Fields,
): Reading<ValuesOf<Fields>> {
  const read = Object.entries(fields)
  const problems = read.flatMap(([, field]) => ('problems' in field ? field.problems : []))
  if (problems.length > 0) return { problems: [...new Set(problems)] }
  const values = read.map(([name, field]) => [name, 'value' in field ? field.value : undefined])
  return value(Object.fromEntries(values) as ValuesOf<Fields>)
}

/** Returns a reading with one problem. `pointer` is the JSON pointer of the field, if the code does not identify it. */
export const invalid = (problem: RecordProblem['problem'], pointer?: string): Reading<never> => ({
  problems: [pointer === undefined ? { problem } : { problem, pointer }],
})
