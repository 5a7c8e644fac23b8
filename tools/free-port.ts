import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** Below the ephemeral ports of Linux, macOS and Windows, so that no connection takes one meanwhile. */
const [minPort, portLimit] = [15_000, 32_000]
const attempts = 50

/** Returns a free loopback port, for a server that must know its address before it starts. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const port = randomInt(minPort, portLimit)
    if (await isFree(port)) return port
  }
  throw new Error(`No loopback port from ${minPort} to ${portLimit - 1} is free.`)
}

function isFree(port: number): Promise<boolean> {
  const server = createServer()
  return new Promise(resolve => {
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
