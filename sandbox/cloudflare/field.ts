import type { RecordProblem } from './errors.ts'

/** The value of a field, or its problems. */
export type Read<T> = { readonly value: T } | { readonly invalid: readonly RecordProblem[] }

export const value = <T>(given: T): Read<T> => ({ value: given })

export const invalid = (problem: RecordProblem['problem'], pointer?: string): Read<never> => ({
  invalid: [pointer === undefined ? { problem } : { problem, pointer }],
})
