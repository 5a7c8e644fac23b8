import { startSandbox } from '../../../sandbox/sandbox.ts'

/**
 * A sandbox in a process of its own, which tells its parent where it is and, when asked, how many bytes its heap holds
 * behind a collection. Started with --expose-gc.
 */
const sandbox = await startSandbox({ seed: 7 })

/** Collects until there is nothing left to collect: what is closed is let go of a few turns later. */
const settledHeap = async (): Promise<number> => {
  let least = Number.POSITIVE_INFINITY
  for (let unchanged = 0; unchanged < 3; ) {
    globalThis.gc?.()
    await new Promise(resolve => setTimeout(resolve, 50))
    const { heapUsed } = process.memoryUsage()
    unchanged = heapUsed < least * 0.999 ? 0 : unchanged + 1
    least = Math.min(least, heapUsed)
  }
  return least
}

process.on('message', () => {
  settledHeap().then(
    heap => process.send?.({ heap }),
    () => process.exit(1),
  )
})
process.on('disconnect', () => process.exit())
process.send?.({ description: sandbox.description })
