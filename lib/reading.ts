/** What was read, or why it was not: the end of a sentence about it, safe to print, unless a room has another type of problem. */
export type Reading<Value, Problem = string> = { readonly value: Value } | { readonly problem: Problem }

/** What was read, or every problem with it, so that fixing one does not reveal the next. */
export type FullReading<Value, Problem = string> =
  | { readonly value: Value }
  | { readonly problems: readonly Problem[] }
