/** Returns an error's code, such as ECONNREFUSED or SQLSTATE 42P01, which is safe to log; a message may hold data. */
export function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' && /^[A-Z0-9_]{3,40}$/.test(code) ? code : undefined
}
