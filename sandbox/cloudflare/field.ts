import type { RecordProblem } from './errors.ts'

/** A field's value, or what is wrong with it. */
export type Read<T> = { readonly value: T } | { readonly wrong: RecordProblem }

export const value = <T>(given: T): Read<T> => ({ value: given })

export const wrong = (problem: RecordProblem['problem'], pointer?: string): Read<never> => ({
  wrong: pointer === undefined ? { problem } : { problem, pointer },
})
