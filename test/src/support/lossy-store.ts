import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import type { Database } from './databases.ts'

/** What happens to the first request that matches a pattern. */
export type Loss =
  /** The store never gets it. */
  | 'request'
  /** The store runs it, and the client never hears of it. */
  | 'answer'
  /** The store gets it when `deliver` is called. */
  | 'held'

/** A way to a database that loses what a test says. */
export interface LossyStore {
  /** Environment of the employees command that takes this way. */
  readonly env: Readonly<Record<string, string>>
  /** Loses the next request whose text matches. With `forever`, everything after it is lost as well, until `recover`. */
  lose(pattern: RegExp, loss: Loss, forever?: 'forever'): void
  /** Resolves when a request is held. */
  held(): Promise<void>
  deliver(): void
  recover(): void
  close(): Promise<void>
}

export async function openLossyStore(database: Database): Promise<LossyStore> {
  let next: { readonly pattern: RegExp; readonly loss: Loss; readonly forever: boolean } | undefined
  let down = false
  let release: (() => void) | undefined
  let holding = Promise.withResolvers<void>()
  const sockets = new Set<Socket>()

  /** Decides about a request. Returns how it is lost; null when it is not. */
  function judge(text: string): Loss | null {
    if (down) return 'request'
    if (!next?.pattern.test(text)) return null
    const { loss, forever } = next
    next = undefined
    down = forever
    return loss
  }

  function hold(run: () => void): void {
    release = run
    holding.resolve()
  }

  const { DATABASE_URL: databaseUrl, CLOUDFLARE_API_URL: apiUrl = '' } = database.env
  const server = databaseUrl ? postgresWay(new URL(databaseUrl)) : d1Way(apiUrl)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const own = databaseUrl
    ? { DATABASE_URL: Object.assign(new URL(databaseUrl), { host: `127.0.0.1:${port}` }).href }
    : { CLOUDFLARE_API_URL: `http://127.0.0.1:${port}/client/v4` }
  return {
    env: { ...database.env, ...own },
    lose(pattern, loss, forever) {
      holding = Promise.withResolvers()
      next = { pattern, loss, forever: forever !== undefined }
    },
    held: () => holding.promise,
    deliver: () => release?.(),
    recover() {
      down = false
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise(resolve => server.close(resolve))
    },
  }

  function d1Way(target: string): Server {
    return createHttpServer(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      const loss = judge(body)
      if (loss === 'request') return void request.socket.destroy()
      if (loss === 'held') await new Promise<void>(resolve => hold(resolve))
      const answer = await fetch(new URL(request.url ?? '', target), {
        method: 'POST',
        headers: { authorization: request.headers.authorization ?? '' },
        body,
      })
      const text = await answer.text()
      if (loss === 'answer') return void request.socket.destroy()
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text)
    }).on('connection', socket => void sockets.add(socket))
  }

  function postgresWay({ hostname, port: target }: URL): Server {
    return createServer(client => {
      const database = connect(Number(target), hostname)
      for (const socket of [client, database]) sockets.add(socket.on('error', () => undefined))
      let loss: Loss | null = null
      /** What the client sent since `lose`, for a pattern over several statements. */
      let sent = ''
      client.on('data', data => {
        sent = next ? sent + data.toString('latin1') : ''
        loss ??= judge(sent)
        if (loss === 'request') client.destroy()
        else if (loss === 'held') {
          hold(() => {
            loss = null
            database.write(data)
          })
        } else database.write(data)
      })
      database.on('data', data => (loss === 'answer' ? client.destroy() : client.write(data)))
      client.on('close', () => database.destroy())
      database.on('close', () => client.destroy())
    })
  }
}
