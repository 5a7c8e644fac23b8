/** One thing that is not as declared, and how to fix it: sentences for the operator. */
export interface Difference {
  /** `warning` if it still works. Both are differences. */
  readonly level: 'error' | 'warning'
  readonly text: string
  readonly cure: string
}
