import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** Below the ephemeral ports of Linux, macOS and Windows, so that no connection takes one meanwhile. */
const minPort = 15_000
const portLimit = 32_000
const attempts = 50

/**
 * How many processes look for a port in ranges of their own, by the number that vitest gives to each of its workers: two
 * could otherwise find the same port, before the server of either listens.
 */
const ranges = 17
const size = (portLimit - minPort) / ranges
const first = minPort + (Number(process.env['VITEST_POOL_ID'] ?? 0) % ranges) * size
let next = randomInt(size)

/** Returns a free loopback port, for a server that must know its address before it starts. It is another one each time. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    next = (next + 1) % size
    if (await isFree(first + next)) return first + next
  }
  throw new Error(`No loopback port from ${first} to ${first + size - 1} is free.`)
}

function isFree(port: number): Promise<boolean> {
  const server = createServer()
  return new Promise(resolve => {
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
