import type { Queue } from './handler.ts'

/** Creates a queue in which work for one name waits for earlier work for it, also if that fails. */
export function createQueue(): Queue {
  const last = new Map<string, Promise<unknown>>()
  return async (name, work) => {
    const before = last.get(name) ?? null
    const done = before === null ? work() : before.then(work, work)
    last.set(name, done)
    try {
      return await done
    } finally {
      if (last.get(name) === done) last.delete(name)
    }
  }
}
