/** One thing that is not as declared, and how to fix it: sentences for the operator. */
export interface Difference {
  /** `warning` if it still works. Both are differences. */
  readonly level: 'error' | 'warning'
  readonly text: string
  readonly cure: string
}

/** Returns the commands that replace the DNS token and hand the new one over. The minute lets them work twice a day. */
export const rotateToken = (): string =>
  `pulumi config set --plaintext tokenRotation ${new Date().toISOString().slice(0, 16)}, then pulumi up`
