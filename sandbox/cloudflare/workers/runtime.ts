import { request as httpRequest, type IncomingMessage } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import type { Miniflare } from 'miniflare'
import {
  type ConsoleLine,
  type Deployment,
  databaseWorker,
  type Listeners,
  miniflareOptions,
} from './runtime-options.ts'

/** A request on its way to a Worker. */
export type WorkerRequest = {
  readonly method: string
  /** Whole, as the Worker is to see it. */
  readonly url: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | undefined
}

export type WorkerResponse = {
  readonly status: number
  /** A name that stands several times, as Set-Cookie may, has several values. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly body: Buffer
}

/** One statement and the values of its parameters. */
export type Statement = { readonly sql: string; readonly params: readonly unknown[] }

/** Rows as objects, or columns once and rows as lists. */
export type ResultForm = 'ARRAY_OF_OBJECTS' | 'ROWS_AND_COLUMNS'

/** What a statement did. */
export type StatementResult = {
  readonly success: boolean
  readonly meta: Readonly<Record<string, unknown>>
  readonly results: unknown
}

export type QueryOutcome =
  | { readonly ok: true; readonly results: readonly StatementResult[] }
  | { readonly ok: false; readonly message: string }

/** A Worker that cannot be started. The message is the runtime's own, about the script. */
export class WorkerStartError extends Error {
  override readonly name = 'WorkerStartError'
}

const mostConsoleLines = 1000
/** So long a change waits for the requests that Workers are still answering. */
const mostPatienceMs = 5000
const mostAnswerBytes = 64 * 1024 * 1024
/** They concern one connection only (RFC 9110 section 7.6.1), or are written anew. */
const hopByHop =
  /^(connection|keep-alive|proxy-connection|te|trailer|transfer-encoding|upgrade|expect|content-length)$/

const endingSignals = ['SIGINT', 'SIGTERM'] as const

/**
 * Does something, and takes away the handlers that it added for signals which were handled already: miniflare ends the
 * process at once, before whoever else waits for the signal has ended anything in order.
 */
const keepingSignals = <T>(act: () => T): T => {
  const before = endingSignals.map(signal => [signal, process.listeners(signal)] as const)
  const done = act()
  for (const [signal, present] of before) {
    if (present.length === 0) continue
    for (const listener of process.listeners(signal)) {
      if (!present.includes(listener)) process.off(signal, listener)
    }
  }
  return done
}

/** What of miniflare's message is about the script: below a heading stand the runtime's lines, as JSON. */
const reasonOf = (error: Error): string => {
  const [, lines] = /Runtime stderr:\n(.*)/s.exec(error.message) ?? []
  const messages = (lines ?? '').split('\n').flatMap(line => {
    try {
      return [String(JSON.parse(line).message)]
    } catch {
      return []
    }
  })
  const reason = messages.find(message => message.startsWith('service core:user:')) ?? messages[0]
  return (reason ?? error.message).replace(/^service core:user:\S+ /, '').trim()
}

const readAnswer = async (answer: IncomingMessage): Promise<WorkerResponse> => {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > mostAnswerBytes) throw new Error(`A Worker answered with more than ${mostAnswerBytes} bytes.`)
    chunks.push(chunk)
  }
  const headers = Object.entries(answer.headersDistinct).flatMap(([name, values = []]) => {
    if (hopByHop.test(name)) return []
    const [only, ...more] = values
    return only === undefined ? [] : [[name, more.length === 0 ? only : values] as const]
  })
  return {
    status: answer.statusCode ?? 502,
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
    sent.once('response', answer => readAnswer(answer).then(resolve, reject))
    sent.once('error', reject)
    sent.end(body)
  })

/**
 * Runs Workers and their databases in workerd, the service's own runtime. Nothing is started before something is to run
 * or to be asked; there is one process at most.
 */
export class WorkersRuntime {
  readonly #deployment: () => Deployment
  #miniflare: Miniflare | undefined
  #listeners: Listeners | undefined
  #outdated = false
  #closed = false
  #last: Promise<unknown> = Promise.resolve()
  readonly #unanswered = new Set<Promise<void>>()
  readonly #lines: ConsoleLine[] = []

  /** @param deployment tells what is to run, whenever that is asked */
  constructor(deployment: () => Deployment) {
    this.#deployment = deployment
  }

  /** What Workers wrote to their console, oldest first; beyond 1000 lines the oldest are forgotten. */
  console(): readonly ConsoleLine[] {
    return this.#lines
  }

  /** Says that something else is to run from the next request on. */
  outdate(): void {
    this.#outdated = true
  }

  /**
   * Tries a change out, one at a time.
   * @param attempt tells what would run; asked when it is this change's turn
   * @param commit makes it what is to run
   * @throws WorkerStartError when a Worker cannot be started; then everything goes on as it was
   */
  deploy(attempt: () => Deployment, commit: () => void): Promise<void> {
    return this.#inTurn(async () => {
      const started = this.#miniflare !== undefined
      try {
        await this.#run(attempt())
      } catch (error) {
        await this.#goBack(started)
        throw new WorkerStartError(reasonOf(error as Error), { cause: error })
      }
      commit()
    })
  }

  /** Hands a request to a Worker that is deployed. */
  async fetch(worker: string, request: WorkerRequest): Promise<WorkerResponse> {
    return this.#send(worker, request)
  }

  /** Runs statements, all or none of them, on a database that is deployed. */
  async query(databaseId: string, statements: readonly Statement[], form: ResultForm): Promise<QueryOutcome> {
    const answer = await this.#send(databaseWorker, {
      method: 'POST',
      url: 'http://databases/',
      headers: { host: 'databases', 'content-type': 'application/json' },
      body: Buffer.from(JSON.stringify({ databaseId, statements, form })),
    })
    const told = JSON.parse(answer.body.toString()) as { results: StatementResult[] } | { error: string }
    return 'error' in told
      ? { ok: false, message: told.error.replace(/^D1_ERROR: /, '') }
      : { ok: true, results: told.results }
  }

  /** Ends the process, if one was started. */
  close(): Promise<void> {
    this.#closed = true
    return this.#inTurn(async () => {
      await this.#miniflare?.dispose()
      this.#miniflare = undefined
    })
  }

  async #send(worker: string, request: WorkerRequest): Promise<WorkerResponse> {
    // In turn it is only sent: several are answered at once.
    const { answer } = await this.#inTurn(async () => {
      const miniflare = await this.#catchUp()
      const sent = forward(await miniflare.unsafeGetDirectURL(worker), request)
      const done = () => {
        this.#unanswered.delete(settled)
      }
      const settled: Promise<void> = sent.then(done, done)
      this.#unanswered.add(settled)
      return { answer: sent }
    })
    return answer
  }

  /** Does one thing after the other: the options of a runtime that is still starting must not change. */
  #inTurn<T>(act: () => Promise<T>): Promise<T> {
    const done = this.#last.then(act)
    this.#last = done.catch(() => undefined)
    return done
  }

  async #catchUp(): Promise<Miniflare> {
    return this.#miniflare && !this.#outdated ? this.#miniflare : this.#run(this.#deployment())
  }

  async #run(deployment: Deployment): Promise<Miniflare> {
    if (this.#closed) throw new Error('The sandbox has ended.')
    // Before anything is awaited: what changes meanwhile outdates this again.
    this.#outdated = false
    await Promise.race([Promise.all(this.#unanswered), setTimeout(mostPatienceMs, undefined, { ref: false })])
    try {
      if (this.#miniflare) await this.#miniflare.setOptions(miniflareOptions(deployment, this.#listening()))
      else this.#miniflare = await this.#start(deployment)
      await this.#miniflare.ready
      return this.#miniflare
    } catch (error) {
      this.#outdated = true
      throw error
    }
  }

  /** Runs again what ran before a failure. */
  async #goBack(started: boolean): Promise<void> {
    if (started) {
      await this.#run(this.#deployment())
      return
    }
    // It ends what it had started, and then repeats why it had failed, which is known.
    await this.#miniflare?.dispose().catch(() => undefined)
    this.#miniflare = undefined
  }

  async #start(deployment: Deployment): Promise<Miniflare> {
    // Not before it is needed, since it takes half a second.
    const { Miniflare, Log, LogLevel } = await import('miniflare')
    const listeners = { line: (line: ConsoleLine) => this.#note(line), silence: new Log(LogLevel.NONE) }
    this.#listeners = listeners
    return keepingSignals(() => new Miniflare(miniflareOptions(deployment, listeners)))
  }

  #listening(): Listeners {
    if (this.#listeners === undefined) throw new Error('The runtime has not been started.')
    return this.#listeners
  }

  #note(line: ConsoleLine): void {
    this.#lines.push(line)
    if (this.#lines.length > mostConsoleLines) this.#lines.shift()
  }
}
