import { startSandbox } from '../../../sandbox/sandbox.ts'

/**
 * A sandbox in its own process. It sends its description to the parent, and for each message the size of its heap in
 * bytes after garbage collection. Start it with --expose-gc.
 */
const sandbox = await startSandbox({ seed: 7 })

/** Collects garbage until the heap stops shrinking, because closed sockets are freed a few turns later. */
async function settledHeap(): Promise<number> {
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
