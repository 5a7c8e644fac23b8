import { Agent, type IncomingHttpHeaders, request } from 'node:http'
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
    send: (method, path, cookie) =>
      new Promise((resolve, reject) => {
        const headers = { 'sec-fetch-site': 'same-origin', ...(cookie ? { cookie } : {}) }
        const sent = request({ agent, hostname, port, method, path, headers }, response => {
          let text = ''
          response.setEncoding('utf8')
          response.on('data', chunk => {
            text += chunk
          })
          response.on('end', () =>
            resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
          )
        })
        sent.once('error', reject)
        sent.end()
      }),
    close: () => agent.destroy(),
  }
}

/** Returns the cookie of a reply whose name contains a word, as a browser sends it back; empty without one. */
export function cookieOf({ headers }: Reply, word: string): string {
  const pairs = (headers['set-cookie'] ?? []).map(text => text.split(';', 1)[0] ?? '')
  return pairs.find(pair => pair.split('=', 1)[0]?.includes(word)) ?? ''
}

/**
 * Signs a person in as a browser does, without visiting the provider: login-url, then the callback with that URL's state and
 * a code that names the person. Returns the callback's reply.
 */
export async function signIn({ send }: Client, person: string): Promise<Reply> {
  const begun = await send('GET', '/api/auth/login-url')
  const { url } = JSON.parse(begun.text) as { url: string }
  const state = encodeURIComponent(new URL(url).searchParams.get('state') ?? '')
  return send('GET', `/api/auth/callback?code=${person}&state=${state}`, cookieOf(begun, 'transaction'))
}

/** Signs people in over several connections at once. */
export async function driveSignIns(
  origin: string,
  connections: number,
  people: readonly string[],
  durationMs: number,
): Promise<Load> {
  const client = openClient(origin, connections)
  let next = 0
  let done = 0
  let failed = 0
  let firstFailure = ''
  const started = performance.now()
  const until = started + durationMs
  async function connection(): Promise<void> {
    while (performance.now() < until) {
      const person = people[next++ % people.length] ?? ''
      const ended = await signIn(client, person)
      if (ended.status === 200 && ended.text.includes(person) && cookieOf(ended, 'session') !== '') done += 1
      else {
        failed += 1
        firstFailure ||= `${ended.status} ${ended.text.slice(0, 200)}`
      }
    }
  }
  await Promise.all(Array.from({ length: connections }, connection))
  const elapsedMs = performance.now() - started
  client.close()
  return { done, failed, firstFailure, elapsedMs }
}
