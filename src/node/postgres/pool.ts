import { hash } from 'node:crypto'
import pg from 'pg'
import { waitForAddresses } from '../../../lib/connect.ts'
import type { FullReading } from '../../../lib/reading.ts'
import { refuse } from '../../../lib/settings/readers.ts'
import { isLoopback } from '../../../lib/url.ts'
import { storeTimeoutMs } from '../../employees/employee-store.ts'
import { codeOf } from '../../http/error-code.ts'
import { type Connections, isAboutStart, openConnections, type Repeats, type Result } from './connections.ts'

/** A statement. */
export interface PoolQuery {
  readonly text: string
  readonly values?: readonly unknown[]
  /** Whether each connection plans it once. */
  readonly prepared?: boolean
  /** By default, it is never sent again. */
  readonly repeats?: Repeats
}

export interface Pool {
  query(statement: PoolQuery): Promise<Result>
  /**
   * Runs statements in order on one connection, all or none. Learns nothing from errors: send a query first.
   * @throws CommitFailure if it is unknown whether they were made
   */
  transaction(statements: readonly PoolQuery[]): Promise<void>
  end(): Promise<void>
}

/** The end of a transaction was sent, and its answer is an error or none. */
export class CommitFailure extends Error {}

/** Connections that a handler keeps. The one with which it finds out whether these are dead is the tenth. */
const maxConnections = 9

/** How long an idle connection is kept, in milliseconds. Firewalls forget what was idle for longer, many after some minutes. */
const keptMs = 50_000

/** Time after which the system asks an idle peer whether it is still there, in milliseconds. */
const keepAliveMs = 20_000

const limit = { query_timeout: storeTimeoutMs }

/** SQLSTATE for a start-up parameter that a pooler does not support. */
const protocolViolation = '08P01'

/** SQLSTATEs for a prepared statement that a connection lacks, or already has. With either, the statement did not run. */
const preparedErrors = ['26000', '42P05']

/** SQLSTATEs for a plan from before a column of the employees had another type. The statement did not run. */
const outdatedPlanErrors = ['42883', '0A000']

/** Reads the URL of a database. A problem continues the setting's name, and does not repeat the URL: it holds a password. */
export function readDatabaseUrl(text: string): FullReading<string> {
  if (!/^postgres(ql)?:\/\/./.test(text))
    return refuse('does not start with postgresql://. Set it to the employees’ database.')
  // Its parser drops line breaks, and would connect to another database.
  if (/\s/.test(text)) return refuse('has white space inside. Write a blank in a password as %20.')
  if (/^\w+:\/\/([^@/]*@)?[^@/?]*,|[?&]host=[^&]*(,|%2c)/i.test(text))
    return refuse(
      'names several hosts. Name one that always leads to the primary, such as a virtual address.',
    )
  // These end the part that has the password.
  const cut = /^\w+:\/\/[^/?#]*[/?#].*@/.test(text)
    ? 'has one of / ? # before an @. In a password, write / as %2F, ? as %3F, # as %23 and @ as %40.'
    : null
  try {
    const { host, ssl } = new pg.Client({ connectionString: text })
    const stated = /[?&](ssl|sslmode)=/.test(text)
    if (ssl || stated || isThisMachine(host)) return { value: text }
    return refuse(
      cut ??
        'connects to another machine without TLS. Add ?sslmode=verify-full, or ?sslmode=disable if the network is your own.',
    )
  } catch (error) {
    const code = codeOf(error) ?? 'not a URL'
    return refuse(cut ?? `cannot be used (${code}). Check its host, port, parameters and files.`)
  }
}

/** Whether a host of a connection is this machine's: a socket's folder, or a loopback name or address. */
function isThisMachine(host: string): boolean {
  return host.startsWith('/') || isLoopback(host.includes(':') ? `[${host}]` : host)
}

/**
 * Creates a pool that limits every wait, so that a hanging database does not hang the handler. It learns from errors what
 * a pooler does not support: PgBouncer refuses `statement_timeout` as a start-up parameter and, before 1.21 or if its
 * settings say so, runs a transaction on a connection that lacks the prepared statements.
 */
export function createPool(databaseUrl: string): Pool {
  waitForAddresses()
  const limited = openPool(databaseUrl, { statement_timeout: storeTimeoutMs })
  let pool = limited
  let prepares = true

  function send({ text, values = [], prepared, repeats = 'never' }: PoolQuery): Promise<Result> {
    const name = prepared && prepares ? { name: nameOf(text) } : {}
    return pool.query({ ...name, text, values: [...values] }, repeats)
  }

  async function query(statement: PoolQuery): Promise<Result> {
    const used = pool
    try {
      return await send(statement)
    } catch (error) {
      const code = codeOf(error) ?? ''
      if (used === limited && code === protocolViolation && isAboutStart(error)) {
        // Ending the refused pool would leave requests that wait for a connection of it without an answer.
        if (pool === limited) pool = openPool(databaseUrl, {})
        // The same pooler may refuse the prepared statement next.
        return await query(statement)
      }
      const isUnprepared = statement.prepared && preparedErrors.includes(code)
      if (isUnprepared) prepares = false
      const isOutdated = statement.prepared && outdatedPlanErrors.includes(code)
      if (!isUnprepared && !isOutdated) throw error
      return await send({ ...statement, prepared: false })
    }
  }

  return {
    query,
    async transaction(statements) {
      const client = await pool.connect()
      // Unlike `pool.query`, a connection in use reports its end by an event as well, which nobody else listens to.
      const ignore = () => undefined
      client.on('error', ignore)
      let unfinished = true
      try {
        await client.query({ text: 'BEGIN', ...limit })
        for (const { text, values = [] } of statements)
          await client.query({ text, values: [...values], ...limit })
        await client.query({ text: 'COMMIT', ...limit }).catch(error => {
          throw new CommitFailure(error.message, { cause: error })
        })
        unfinished = false
      } finally {
        client.off('error', ignore)
        // Closing the connection rolls back what was not committed.
        client.release(unfinished)
      }
    },
    end: () => pool.end(),
  }
}

function openPool(connectionString: string, limits: pg.PoolConfig): Connections {
  const options = {
    connectionString,
    max: maxConnections,
    connectionTimeoutMillis: storeTimeoutMs,
    idleTimeoutMillis: keptMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveMs,
    application_name: 'homeport',
    ...limits,
  }
  return openConnections(options, storeTimeoutMs)
}

/**
 * Returns the name of a statement, made from its text: a pooler can share connections between versions of the handler, and
 * none may run another's statement.
 */
function nameOf(text: string): string {
  return `homeport-${hash('sha256', text, 'base64url').slice(0, 16)}`
}
