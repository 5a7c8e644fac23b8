import pg from 'pg'
import type { Row } from '../../employees/rows.ts'
import { codeOf } from '../../http/error-code.ts'

export type Result = pg.QueryResult<Row>

/**
 * Whether a statement is sent once more if its connection is lost or silent: a read changes nothing, and a write of this kind does no
 * harm twice. The silent connection of a write is left alone.
 */
export type Repeats = 'never' | 'read' | 'write'

type Done = (error: Error | null, result?: Result) => void

export interface Connections {
  /** Sends a statement, once more at most. */
  query(config: pg.QueryConfig, repeats: Repeats): Promise<Result>
  /** Takes a connection that was not found dead. The caller releases it. */
  connect(): Promise<pg.PoolClient>
  end(): Promise<void>
}

/** How long a connection can be silent before it is suspected to be dead, in milliseconds. */
const silentMs = 1000

/** Codes of a connection that was closed: by an administrator, a crash, the network, or a pooler whose server was lost. */
const lostConnectionErrors = ['57P01', '57P02', '57P05', '08003', '08006', '08P01', 'ECONNRESET', 'EPIPE']

/**
 * Opens connections, and detects dead ones: a firewall that dropped an idle connection answers its next packet with a reset, or
 * not at all. It has probably dropped the others, too, so once one is found dead, none that was opened before is used again.
 * @param limitMs time for an answer, in milliseconds. The driver's own limit would be a second timer for each statement
 */
export function openConnections(options: pg.PoolConfig, limitMs: number): Connections {
  const pool = new pg.Pool(options)
  // The next statement replaces a broken idle connection, or fails.
  pool.on('error', () => undefined)
  /** Counts the times that connections were found dead. Those from before the last time are not used again. */
  let generation = 0
  const born = new WeakMap<pg.ClientBase, number>()
  pool.on('connect', client => born.set(client, generation))
  /** Whether silence means a slow database: the last statement that was sent again got no quick answer either. */
  let isSlow = false
  /** Whether the one statement that was sent again gets a quick answer; null if none was. */
  let shown: Promise<boolean> | null = null

  function take(use: (error: Error | undefined, client: pg.PoolClient | undefined) => void): void {
    pool.connect((error, client) => {
      if (client === undefined || born.get(client) === generation) return use(error, client)
      const { stream } = client.connection
      client.release(true)
      // Its end would wait for an answer.
      stream.destroy()
      take(use)
    })
  }

  /** @param onSilence gets a function that closes the connection */
  function send(config: pg.QueryConfig, done: Done, onSilence?: (close: () => void) => void): void {
    take((failure, client) => {
      if (client === undefined) return done(failure ?? null)
      let isOver = false
      let isLate = false
      const close = () => finish(new Error('The connection does not answer.'))
      function doubt(): void {
        if (isOver) return
        isLate = true
        timer = setTimeout(close, limitMs - silentMs)
        onSilence?.(close)
      }
      // What arrived while this process was busy is read before `setImmediate`.
      let timer = setTimeout(() => setImmediate(doubt), silentMs)
      function finish(error: Error | null, result?: Result): void {
        if (isOver) return
        isOver = true
        clearTimeout(timer)
        client?.off('error', finish)
        client?.release(error ?? undefined)
        if (result && onSilence) isSlow = isLate
        if (isLost(error) && client && born.get(client) === generation) generation += 1
        done(error, result)
      }
      client.once('error', finish)
      try {
        void client.query<Row>(config, finish)
      } catch (error) {
        finish(error as Error)
      }
    })
  }

  const sendOnce = (config: pg.QueryConfig) =>
    new Promise<Result>((resolve, reject) =>
      send(config, (error, result) => (result ? resolve(result) : reject(error))),
    )

  /** Sends a statement on a connection of its own. `isQuick` does not count the time to connect. */
  function sendAlone(config: pg.QueryConfig) {
    const client = new pg.Client({ ...options, query_timeout: limitMs })
    client.on('error', () => undefined)
    const connected = client.connect()
    const answer = connected.then(() => client.query<Row>(config))
    const end = () => void client.end().catch(() => undefined)
    answer.then(end, end)
    const isSilent = connected.then(() => new Promise(resolve => setTimeout(resolve, silentMs).unref()))
    const isQuick = Promise.race([answer.then(() => true), isSilent.then(() => false)]).catch(() => false)
    return { answer, isQuick }
  }

  /** Sends a statement again, or resolves to null if that does not help. */
  async function sendAgain(config: pg.QueryConfig, close: () => void): Promise<Result | null> {
    if (isSlow) return null
    if (shown) {
      if (!(await shown)) return null
      close()
      return sendOnce(config)
    }
    const { answer, isQuick } = sendAlone(config)
    shown = isQuick
    void isQuick.then(found => {
      shown = null
      isSlow = !found
      if (!found) return
      generation += 1
      close()
    })
    return answer
  }

  return {
    query(config, repeats) {
      if (repeats === 'never') return sendOnce(config)
      return new Promise((resolve, reject) => {
        let again: Promise<Result | null> | undefined
        const onSilence = (close: () => void) => {
          again = sendAgain(config, repeats === 'read' ? close : () => undefined)
          // Whichever answers first. If this fails, the first can still answer.
          again.then(
            result => result && resolve(result),
            () => undefined,
          )
        }
        function done(error: Error | null, result?: Result): void {
          if (result) {
            resolve(result)
            return
          }
          again ??= isLost(error) ? sendOnce(config) : undefined
          if (again === undefined) reject(error)
          else
            again.then(
              other => (other ? resolve(other) : reject(error)),
              () => reject(error),
            )
        }
        send(config, done, onSilence)
      })
    },
    connect: () =>
      new Promise((resolve, reject) => take((error, client) => (client ? resolve(client) : reject(error)))),
    end: () => pool.end(),
  }
}

/** Whether an error says that a connection ended. The driver's own errors have no code, and a timeout is not sent again. */
function isLost(error: unknown): boolean {
  if (error === null) return false
  const code = codeOf(error) ?? ''
  if (code !== '') return lostConnectionErrors.includes(code) && !isAboutStart(error)
  return error instanceof Error && /terminated unexpectedly|not queryable/.test(error.message)
}

/** Whether a pooler refuses a start-up parameter. */
export function isAboutStart(error: unknown): boolean {
  return error instanceof Error && /startup parameter/i.test(error.message)
}
