import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { listen } from '../support/listen.ts'

/** A proxy in front of the DNS service that can hold requests back, which lets tests choose when each of them arrives. */
export interface Gate {
  readonly baseUrl: string
  /** Holds back requests with these methods from now on. */
  hold(...methods: readonly string[]): void
  /** Resolves once held requests are what the test waits for: their bodies, by arrival. */
  until(isReached: (held: readonly string[]) => boolean): Promise<void>
  /** Lets the held requests with a method arrive one after the other, and holds back no more of them. */
  release(method: string): Promise<void>
  close(): void
}

interface Held {
  readonly method: string
  readonly body: string
  readonly pass: () => Promise<void>
}

export async function startGate(target: string): Promise<Gate> {
  let methods: readonly string[] = []
  let held: readonly Held[] = []
  let look = () => {}

  async function forward({ url, method, headers }: IncomingMessage, body: Buffer, to: ServerResponse) {
    const { host: _, connection: __, 'content-length': ___, ...others } = headers
    const answer = await fetch(`${target}${url}`, {
      method: method ?? 'GET',
      headers: others as Record<string, string>,
      body: body.length > 0 ? new Uint8Array(body) : null,
    })
    const text = await answer.text()
    to.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' }).end(text)
  }

  const server = createServer(async (request, response) => {
    const body = await buffer(request)
    const { method = '' } = request
    const pass = () => forward(request, body, response)
    if (!methods.includes(method)) return void pass()
    held = [...held, { method, body: body.toString(), pass }]
    look()
  })
  return {
    baseUrl: await listen(server),
    hold: (...more) => {
      methods = [...methods, ...more]
    },
    until: isReached =>
      new Promise(resolve => {
        look = () => {
          if (isReached(held.map(({ body }) => body))) resolve()
        }
        look()
      }),
    release: async method => {
      methods = methods.filter(other => other !== method)
      const released = held.filter(one => one.method === method)
      held = held.filter(one => one.method !== method)
      for (const { pass } of released) await pass()
    },
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
