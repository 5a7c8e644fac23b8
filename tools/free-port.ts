import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** Below the ports that Linux, macOS and Windows give to whoever connects or asks for any. */
const [lowest, beyond] = [15_000, 32_000]
const attempts = 50

/**
 * A port of loopback that is free, for what must know its address before it starts. Outside the range from which the
 * system itself gives ports, so that none of its connections takes it meanwhile.
 */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const port = randomInt(lowest, beyond)
    if (await isFree(port)) return port
  }
  throw new Error(`No port of loopback between ${lowest} and ${beyond} is free.`)
}

function isFree(port: number): Promise<boolean> {
  const server = createServer()
  return new Promise(resolve => {
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
