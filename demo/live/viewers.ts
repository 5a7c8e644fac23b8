import type { ServerResponse } from 'node:http'

/** Browsers open six connections to a host, so more viewers than this are not people. */
const maxViewers = 32
const reconnectMs = 2000

/**
 * Sends the parts of a page to everybody who watches it, as server-sent events. A slow viewer skips versions of a part:
 * only the names of parts are queued for a viewer, never their text.
 */
export class Viewers {
  /** The events that show the newest version of each part, by name. */
  readonly #events = new Map<string, string>()
  /** The parts that each viewer has yet to be sent. */
  readonly #pending = new Map<ServerResponse, Set<string>>()

  get size(): number {
    return this.#pending.size
  }

  /** Adds a viewer and sends every part. Returns false, with the response untouched, if there are too many. */
  add(response: ServerResponse): boolean {
    if (this.size >= maxViewers) return false
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
    response.write(`retry: ${reconnectMs}\n\n`)
    const pending = new Set(this.#events.keys())
    this.#pending.set(response, pending)
    response.on('drain', () => send(response, pending, this.#events))
    response.on('close', () => this.#pending.delete(response))
    send(response, pending, this.#events)
    return true
  }

  /** Updates the parts, and sends those that have changed. */
  show(parts: Readonly<Record<string, string>>): void {
    for (const [name, html] of Object.entries(parts)) {
      // JSON has no line breaks, which would end the data of an event.
      const event = `event: ${name}\ndata: ${JSON.stringify(html)}\n\n`
      if (this.#events.get(name) === event) continue
      this.#events.set(name, event)
      for (const pending of this.#pending.values()) pending.add(name)
    }
    for (const [response, pending] of this.#pending) send(response, pending, this.#events)
  }
}

function send(response: ServerResponse, pending: Set<string>, events: ReadonlyMap<string, string>): void {
  for (const name of pending) {
    if (response.writableNeedDrain) return
    pending.delete(name)
    response.write(events.get(name) ?? '')
  }
}
