import { request as httpRequest, type IncomingMessage } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import type { Miniflare } from 'miniflare'
import type { Statement } from '../d1/databases.ts'
import { databaseWorker, miniflareOptions } from './runtime-options.ts'
import type { Script } from './script.ts'
import type { Workers } from './workers.ts'

/** A request to a Worker. */
interface WorkerRequest {
  readonly method: string
  /** The full URL that the Worker sees. */
  readonly url: string
  /** With names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | undefined
}

/** The response of a Worker, read to its end. */
export interface WorkerResponse {
  readonly status: number
  /** A repeated header, such as Set-Cookie, has several values. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly body: Buffer
}

/** The result of a statement. */
export interface StatementResult {
  readonly success: boolean
  readonly meta: Readonly<Record<string, unknown>>
  readonly results: unknown
}

/** The results of a query, or the message of SQLite. */
type QueryOutcome = { readonly value: readonly StatementResult[] } | { readonly problem: string }

/** Maximum milliseconds that a change waits for requests in progress. */
const maxDrainMs = 5000
/** Headers of one connection (RFC 9110 section 7.6.1), and those that are set again. */
const hopByHop =
  /^(connection|keep-alive|proxy-connection|te|trailer|transfer-encoding|upgrade|expect|content-length)$/

const exitSignals = ['SIGINT', 'SIGTERM'] as const

/**
 * Runs an action, then removes the signal handlers it added if there already were some. Miniflare's handlers exit
 * immediately, before other handlers can shut down in order.
 */
function withoutNewSignalHandlers<T>(act: () => T): T {
  const before = exitSignals.map(signal => [signal, process.listeners(signal)] as const)
  const done = act()
  for (const [signal, existing] of before) {
    if (existing.length === 0) continue
    for (const listener of process.listeners(signal)) {
      if (!existing.includes(listener)) process.off(signal, listener)
    }
  }
  return done
}

async function readResponse(response: IncomingMessage): Promise<WorkerResponse> {
  const chunks: Buffer[] = []
  for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk)
  const headers = Object.entries(response.headersDistinct).flatMap(([name, values = []]) => {
    if (hopByHop.test(name)) return []
    const [only, ...more] = values
    return only === undefined ? [] : [[name, more.length === 0 ? only : values] as const]
  })
  return {
    status: response.statusCode ?? 502,
    headers: Object.fromEntries(headers),
    body: Buffer.concat(chunks),
  }
}

const forward = (to: URL, { method, url, headers, body }: WorkerRequest): Promise<WorkerResponse> =>
  new Promise((resolve, reject) => {
    const kept = Object.fromEntries(Object.entries(headers).filter(([name]) => !hopByHop.test(name)))
    const sent = httpRequest({
      host: to.hostname,
      port: to.port,
      method,
      path: url,
      headers: { ...kept, ...(body === undefined ? {} : { 'content-length': body.length }) },
      agent: false,
    })
    sent.once('response', response => readResponse(response).then(resolve, reject))
    sent.once('error', reject)
    sent.end(body)
  })

/**
 * Runs Workers and their databases in workerd, the runtime of the real service. It starts one process at most, on first
 * use.
 */
export class WorkersRuntime {
  readonly #workers: Workers
  readonly #authority: string
  #miniflare: Miniflare | undefined
  #outdated = false
  #closed = false
  #last: Promise<unknown> = Promise.resolve()
  readonly #inProgress = new Set<Promise<void>>()

  /** @param authority a certificate that Workers trust besides the public ones, as PEM */
  constructor(workers: Workers, authority: string) {
    this.#workers = workers
    this.#authority = authority
  }

  /** Marks what runs as outdated. The next request updates it. */
  outdate(): void {
    this.#outdated = true
  }

  /**
   * Starts a script in place of the stored one of that name, and stores it. Changes run one at a time. If a Worker does not start,
   * the next request runs what was deployed before.
   */
  deploy(script: Script): Promise<void> {
    return this.#inTurn(async () => {
      await this.#run(script)
      this.#workers.scripts.set(script.name, script)
    })
  }

  /** Runs statements as one transaction on a deployed database. */
  async query(databaseId: string, statements: readonly Statement[]): Promise<QueryOutcome> {
    const response = await this.fetch(databaseWorker, {
      method: 'POST',
      url: 'http://databases/',
      headers: { host: 'databases', 'content-type': 'application/json' },
      body: Buffer.from(JSON.stringify({ databaseId, statements, form: 'ARRAY_OF_OBJECTS' })),
    })
    const outcome = JSON.parse(response.body.toString()) as QueryOutcome
    return 'problem' in outcome ? { problem: outcome.problem.replace(/^D1_ERROR: /, '') } : outcome
  }

  /** Stops the process, if it is running. */
  close(): Promise<void> {
    this.#closed = true
    return this.#inTurn(async () => {
      await this.#miniflare?.dispose()
      this.#miniflare = undefined
    })
  }

  /** Sends a request to a deployed Worker. */
  async fetch(worker: string, request: WorkerRequest): Promise<WorkerResponse> {
    // Only sending is serialized; several requests can be in progress.
    const { response } = await this.#inTurn(async () => {
      const miniflare = await this.#current()
      const response = forward(await miniflare.unsafeGetDirectURL(worker), request)
      const done = () => void this.#inProgress.delete(settled)
      const settled: Promise<void> = response.then(done, done)
      this.#inProgress.add(settled)
      return { response }
    })
    return response
  }

  /** Runs actions one after the other, because the options of a starting runtime must not change. */
  #inTurn<T>(act: () => Promise<T>): Promise<T> {
    const done = this.#last.then(act)
    this.#last = done.catch(() => undefined)
    return done
  }

  /** Returns a runtime with what is stored. */
  async #current(): Promise<Miniflare> {
    return this.#miniflare && !this.#outdated ? this.#miniflare : this.#run()
  }

  async #run(changed?: Script): Promise<Miniflare> {
    if (this.#closed) throw new Error('The sandbox has been closed.')
    // Reset before the first await, so that a later change marks it as outdated again.
    this.#outdated = false
    await Promise.race([Promise.all(this.#inProgress), setTimeout(maxDrainMs, undefined, { ref: false })])
    try {
      // Imported on first use because it takes half a second.
      const { Miniflare, Log, LogLevel } = await import('miniflare')
      const { scripts, databases } = this.#workers
      const all = new Map(scripts)
      if (changed) all.set(changed.name, changed)
      const silence = new Log(LogLevel.NONE)
      const options = miniflareOptions([...all.values()], [...databases.keys()], silence, this.#authority)
      if (this.#miniflare) await this.#miniflare.setOptions(options)
      else this.#miniflare = withoutNewSignalHandlers(() => new Miniflare(options))
      await this.#miniflare.ready
      return this.#miniflare
    } catch (error) {
      this.#outdated = true
      throw error
    }
  }
}
