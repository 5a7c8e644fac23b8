/** Runs work for a name after other work for it has ended, also if that failed. */
export type Queue = <Result>(name: string, work: () => Promise<Result>) => Promise<Result>

export function createQueue(): Queue {
  const last = new Map<string, Promise<unknown>>()
  return (name, work) => {
    const done = last.get(name)?.then(work, work) ?? work()
    last.set(name, done)
    return done
  }
}
