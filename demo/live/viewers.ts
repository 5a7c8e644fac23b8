import type { ServerResponse } from 'node:http'

/** Browsers open six connections to a host, so more viewers than this are not people. */
const maxViewers = 32
const reconnectMs = 2000
/** Many times what all parts take. */
const maxBacklogBytes = 1024 * 1024

/** Sends the parts of a page to everybody who watches it, as server-sent events. */
export class Viewers {
  /** The events that show the newest version of each part, by name. */
  readonly #events = new Map<string, string>()
  readonly #viewers = new Set<ServerResponse>()

  get size(): number {
    return this.#viewers.size
  }

  /** Adds a viewer and sends every part. Returns false, with the response untouched, if there are too many. */
  add(response: ServerResponse): boolean {
    if (this.size >= maxViewers) return false
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
    response.write(`retry: ${reconnectMs}\n\n${[...this.#events.values()].join('')}`)
    this.#viewers.add(response)
    response.on('close', () => this.#viewers.delete(response))
    return true
  }

  /** Updates the parts, and sends those that have changed. */
  show(parts: Readonly<Record<string, string>>): void {
    for (const [name, html] of Object.entries(parts)) {
      // JSON has no line breaks, which would end the data of an event.
      const event = `event: ${name}\ndata: ${JSON.stringify(html)}\n\n`
      if (this.#events.get(name) === event) continue
      this.#events.set(name, event)
      for (const viewer of this.#viewers) {
        // A viewer who is too slow starts again: the browser connects by itself.
        if (viewer.writableLength > maxBacklogBytes) viewer.destroy()
        else viewer.write(event)
      }
    }
  }
}
