import { once } from 'node:events'
import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Load } from './contest.ts'

interface Reply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** A client of one origin that keeps its connections. */
export interface Client {
  send(method: 'GET' | 'POST', path: string, cookie?: string): Promise<Reply>
  close(): void
}

/** Opens a client that sends requests as a page of the origin would. */
export function openClient(origin: string, connections: number): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const { hostname, port } = new URL(origin)
  return {
    async send(method, path, cookie) {
      const headers = { 'sec-fetch-site': 'same-origin', ...(cookie ? { cookie } : {}) }
      const sent = request({ agent, hostname, port, method, path, headers }).end()
      const [response] = (await once(sent, 'response')) as [IncomingMessage]
      return { status: response.statusCode ?? 0, headers: response.headers, text: await text(response) }
    },
    close: () => agent.destroy(),
  }
}

/** Returns the cookie of a reply with such a name, as a browser sends it back; empty without one. */
export function cookieOf({ headers }: Reply, name: RegExp): string {
  const pairs = (headers['set-cookie'] ?? []).map(text => text.split(';', 1)[0] ?? '')
  return pairs.find(pair => name.test(pair.split('=', 1)[0] ?? '')) ?? ''
}

/**
 * Signs a person in as a browser does, without visiting the provider: login-url, then the callback with that URL's state and
 * a code that names the person. Returns the callback's reply.
 */
export async function signIn({ send }: Client, person: string): Promise<Reply> {
  const begun = await send('GET', '/api/auth/login-url')
  const { url } = JSON.parse(begun.text) as { url: string }
  const state = encodeURIComponent(new URL(url).searchParams.get('state') ?? '')
  return send('GET', `/api/auth/callback?code=${person}&state=${state}`, cookieOf(begun, /transaction/))
}

/**
 * Does something again and again over several connections at once.
 * @param run resolves to whether it went well, and to what was answered
 * @throws Error with the first answer that is wrong
 */
async function load<Connection>(
  connections: readonly Connection[],
  durationMs: number,
  run: (connection: Connection) => Promise<readonly [isRight: boolean, answer: string]>,
): Promise<Load> {
  let done = 0
  const started = performance.now()
  async function use(connection: Connection): Promise<void> {
    while (performance.now() < started + durationMs) {
      const [isRight, answer] = await run(connection)
      if (!isRight) throw new Error(`The answer was ${answer.slice(0, 200)}`)
      done += 1
    }
  }
  await Promise.all(connections.map(use))
  return { done, elapsedMs: performance.now() - started }
}

/** Returns a function that returns one element after the other, again and again. */
function inTurn<Value>(values: readonly Value[]): () => Value {
  let next = 0
  return () => values[next++ % values.length] as Value
}

/** Signs people in over several connections at once. */
export async function driveSignIns(
  origin: string,
  connections: number,
  people: readonly string[],
  durationMs: number,
): Promise<Load> {
  const client = openClient(origin, connections)
  const nextPerson = inTurn(people)
  const result = await load(Array(connections).fill(client) as Client[], durationMs, async () => {
    const person = nextPerson()
    const ended = await signIn(client, person)
    const isRight = ended.status === 200 && ended.text.includes(person) && cookieOf(ended, /session/) !== ''
    return [isRight, `${ended.status} ${ended.text}`]
  })
  client.close()
  return result
}

/** A user who is signed in. */
export interface Visitor {
  readonly person: string
  /** The session cookie, as a browser sends it. */
  readonly cookie: string
}

/** What a proxy asks, the answer to a visitor who is signed in, and the path that ends a session. */
export interface Check {
  readonly path: string
  readonly logout: string
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
    bytes: `GET ${path} HTTP/1.1\r\nhost: ${hostname}:${port}\r\ncookie: ${cookie}${endOfHead}`,
    expected: `\r\n${header(person)}\r\n`,
  }))
  const sockets = await Promise.all(
    Array.from({ length: connections }, async () => {
      const socket = connect(Number(port), hostname).setNoDelay(true).setEncoding('latin1')
      await once(socket, 'connect')
      return socket
    }),
  )
  const nextRequest = inTurn(requests)
  const result = await load(sockets, durationMs, async socket => {
    const { bytes, expected } = nextRequest()
    const head = await exchange(socket, bytes)
    const isRight = head.startsWith(`HTTP/1.1 ${status} `) && head.toLowerCase().includes(expected)
    return [isRight, head]
  })
  for (const socket of sockets) socket.destroy()
  return result
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
