import { setTimeout } from 'node:timers/promises'

/**
 * Does what needs the network, up to three times with a pause, because a registry can be out for a moment. A program that
 * is not installed is not tried again.
 * @throws what the last attempt threw
 */
export async function threeTimes<T>(fetch: () => Promise<T>, pauseMs = 5000): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await fetch()
    } catch (error) {
      if (attempt === 3 || (error as NodeJS.ErrnoException).code === 'ENOENT') throw error
      await setTimeout(pauseMs)
    }
  }
}
