import { fromCache } from './cache.ts'
import { threeTimes } from './three-times.ts'

/** How long one attempt to install a program may take. */
export const installTimeoutMs = 5 * 60 * 1000

/**
 * Returns the path of a program that is installed once, from a package registry.
 * @param needs what must be on this machine, for the message
 * @param install as `make` of `fromCache`
 * @throws Error with one sentence if it cannot be installed
 */
export async function installed(
  name: string,
  program: string,
  needs: string,
  install: (work: string) => Promise<string>,
): Promise<string> {
  try {
    return await threeTimes(() => fromCache(name, program, install))
  } catch (cause) {
    const reason = (cause as Error).message.trim().split('\n').at(-1)
    throw new Error(
      `${name} cannot be installed (${reason}). It needs ${needs}, and access to its registry.`,
      { cause },
    )
  }
}
