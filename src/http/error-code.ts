/**
 * The code of an error, such as ECONNREFUSED or SQLSTATE 42P01, for a log: a message may hold data. Undefined without
 * one.
 */
export function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' && /^[A-Z0-9_]{3,40}$/.test(code) ? code : undefined
}
