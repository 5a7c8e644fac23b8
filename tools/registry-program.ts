import { setTimeout } from 'node:timers/promises'
import { CommandError } from '../lib/command.ts'
import { fromCache } from './cache.ts'

/** How long one attempt may take. A cold build of Traefik on two busy cores took a quarter of an hour. */
export const installTimeoutMs = 40 * 60 * 1000
const pauseMs = 5000

/**
 * Returns the path of a program that is installed or built once, with what a registry has. Tries three times, because a registry
 * can be out for a moment, unless a program is missing.
 * @param needs what must be on this machine, for the message
 * @param install as `make` of `fromCache`
 * @throws CommandError with one sentence if it cannot be installed
 */
export async function installed(
  name: string,
  program: string,
  needs: string,
  install: (work: string) => Promise<string>,
): Promise<string> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await fromCache(name, program, install)
    } catch (cause) {
      const { code, message } = cause as NodeJS.ErrnoException
      if (attempt === 3 || code === 'ENOENT') {
        const reason = message.trim().split('\n').at(-1)
        const fix = `It needs ${needs}, and access to its registry.`
        throw new CommandError(`${name} cannot be installed (${reason}). ${fix}`, { cause })
      }
      await setTimeout(pauseMs)
    }
  }
}
