const lookupCode = 'EAI_AGAIN'
const routeCodes = ['ENETUNREACH', 'EHOSTUNREACH']

/** The wait before another attempt, in milliseconds. */
const pauseMs = 250

/**
 * Whether an error says that this machine has no network yet, as after boot or resume, so that nothing was sent. The same
 * code on an open connection says nothing about what was sent before.
 */
export function isOffline(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.every(isOffline)
  if (!(error instanceof Error)) return false
  const { code = '', syscall } = error as { readonly code?: string; readonly syscall?: string }
  if (code === lookupCode) return true
  return syscall === 'connect' && routeCodes.includes(code)
}

/** Repeats an attempt until something other than `isUnsent` comes of it, or the signal aborts. Returns the last outcome. */
export async function whileUnsent<Outcome>(
  attempt: () => Promise<Outcome>,
  isUnsent: (outcome: Outcome) => boolean,
  signal: AbortSignal,
): Promise<Outcome> {
  for (;;) {
    const outcome = await attempt()
    if (!isUnsent(outcome) || signal.aborted) return outcome
    await new Promise<void>(resolve => {
      const timer = setTimeout(resolve, pauseMs)
      signal.addEventListener('abort', () => resolve(clearTimeout(timer)), { once: true })
    })
    if (signal.aborted) return outcome
  }
}
