import type { ServerResponse } from 'node:http'

const reconnectMs = 2000

/** Sends the parts of a page to everybody who watches it, as server-sent events. */
export class Viewers {
  /** The events that show the newest version of each part, by name. */
  readonly #events = new Map<string, string>()
  readonly #viewers = new Set<ServerResponse>()

  get size(): number {
    return this.#viewers.size
  }

  /** Adds a viewer and sends every part. */
  add(response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
    response.write(`retry: ${reconnectMs}\n\n${[...this.#events.values()].join('')}`)
    this.#viewers.add(response)
    response.on('close', () => this.#viewers.delete(response))
  }

  /** Updates the parts, and sends those that have changed. */
  show(parts: Readonly<Record<string, string>>): void {
    for (const [name, html] of Object.entries(parts)) {
      // JSON has no line breaks, which would end the data of an event.
      const event = `event: ${name}\ndata: ${JSON.stringify(html)}\n\n`
      if (this.#events.get(name) === event) continue
      this.#events.set(name, event)
      for (const viewer of this.#viewers) viewer.write(event)
    }
  }
}
