import type { EchoSource } from './echo.ts'
import { countVotes, type Vote } from './quorum.ts'

/** How long a source may still dissent once the others have agreed. */
export const dissentGraceMs = 500

/**
 * Asks every source at once and gives their votes in the configured order. Once the quorum is reached the rest have
 * `graceMs` more: enough for dissent to be seen, too little for one slow service to hold up every run.
 */
export async function collectVotes(
  sources: readonly EchoSource[],
  quorum: number,
  ask: (source: EchoSource, signal: AbortSignal) => Promise<Vote>,
  graceMs: number,
): Promise<readonly Vote[]> {
  const votes = new Map<EchoSource, Vote>()
  const stop = new AbortController()
  let grace: NodeJS.Timeout | undefined
  await Promise.all(
    sources.map(async source => {
      votes.set(source, await ask(source, stop.signal))
      if (countVotes([...votes.values()], quorum).kind === 'agreed') {
        grace ??= setTimeout(() => stop.abort(), graceMs)
      }
    }),
  )
  clearTimeout(grace)
  return sources.flatMap(source => votes.get(source) ?? [])
}
