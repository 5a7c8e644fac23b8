import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { Load } from './contest.ts'

/** A user who is signed in. */
export interface Visitor {
  readonly person: string
  /** The session cookie, as a browser sends it. */
  readonly cookie: string
}

/** What a proxy asks, and the answer to a visitor who is signed in. */
export interface Check {
  readonly path: string
  readonly status: number
  /** A line of the answer's head that names the person, in lower case. */
  header(person: string): string
}

const endOfHead = '\r\n\r\n'

/**
 * Checks visitors' sessions over several connections at once, as a proxy does. A check counts if its answer has the status and names
 * the visitor. It speaks HTTP over bare sockets: node:http would take more of the other core than PostgreSQL.
 */
export async function driveChecks(
  origin: string,
  { path, status, header }: Check,
  connections: number,
  visitors: readonly Visitor[],
  durationMs: number,
): Promise<Load> {
  const { hostname, port } = new URL(origin)
  const requests = visitors.map(({ person, cookie }) => ({
    text: `GET ${path} HTTP/1.1\r\nhost: ${hostname}:${port}\r\ncookie: ${cookie}${endOfHead}`,
    expected: `\r\n${header(person)}\r\n`,
  }))
  let next = 0
  let done = 0
  let failed = 0
  let firstFailure = ''
  const sockets = await Promise.all(
    Array.from({ length: connections }, async () => {
      const socket = connect(Number(port), hostname).setNoDelay(true).setEncoding('latin1')
      await once(socket, 'connect')
      return socket
    }),
  )
  const started = performance.now()
  const until = started + durationMs
  async function connection(socket: Socket): Promise<void> {
    while (performance.now() < until) {
      const request = requests[next++ % requests.length]
      if (!request) return
      const head = await exchange(socket, request.text)
      if (head.startsWith(`HTTP/1.1 ${status} `) && head.toLowerCase().includes(request.expected)) done += 1
      else {
        failed += 1
        firstFailure ||= head.slice(0, 200)
        // What follows may be a body.
        return
      }
    }
  }
  await Promise.all(sockets.map(connection))
  const elapsedMs = performance.now() - started
  for (const socket of sockets) socket.destroy()
  return { done, failed, firstFailure, elapsedMs }
}

/** Sends a request and returns the head of the answer, or the part of it that arrived before the connection ended. */
function exchange(socket: Socket, request: string): Promise<string> {
  return new Promise(resolve => {
    let head = ''
    function finish() {
      socket.off('data', collect).off('close', finish).off('error', finish)
      resolve(head)
    }
    function collect(chunk: string) {
      head += chunk
      if (head.includes(endOfHead)) finish()
    }
    socket.on('data', collect).once('close', finish).once('error', finish)
    socket.write(request)
  })
}
