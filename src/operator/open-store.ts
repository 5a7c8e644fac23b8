import { createAgents, type ProxyEnv } from '../../lib/agent.ts'
import { parseEnvelope } from '../../lib/cloudflare.ts'
import { CommandError } from '../../lib/command.ts'
import { explainFailure } from '../../lib/exchange.ts'
import { isObject } from '../../lib/json.ts'
import { createNodeExchange } from '../../lib/node-exchange.ts'
import { printableStart } from '../../lib/quote.ts'
import type { Row } from '../employees/rows.ts'
import { forD1 } from '../employees/statements.ts'
import { codeOf } from '../http/error-code.ts'
import { CommitFailure, createPool, readDatabaseUrl } from '../node/postgres/pool.ts'
import { LostAnswer, type Statement, type Store } from './store.ts'

/** What to do, by the code of a failed connection. */
const cures: ReadonlyMap<string, string> = new Map([
  ['28P01', ' Check the user and the password in DATABASE_URL; ALTER ROLE sets another password.'],
  ['3D000', ' Check the name at the end of DATABASE_URL, or create the database.'],
  ['ECONNREFUSED', ' Start PostgreSQL, or check the host and the port in DATABASE_URL.'],
])

/** Opens PostgreSQL for the operator's command. */
export function openPostgresStore(databaseUrl: string): Store {
  const reading = readDatabaseUrl(databaseUrl)
  if ('problems' in reading) throw new CommandError(`DATABASE_URL ${reading.problems.join(' ')}`)
  const pool = createPool(databaseUrl)
  const url = URL.parse(databaseUrl)
  // Without a name, the database is the user's.
  const place = url
    ? `PostgreSQL database ${url.pathname.slice(1) || url.username} on ${url.host}`
    : 'PostgreSQL'
  const failed = (error: Error) => {
    const Failure = error instanceof CommitFailure ? LostAnswer : CommandError
    const code = codeOf(error) ?? ''
    // A refused connection to several addresses has no message of its own.
    const reason = printableStart(error.message || code || error.name)
    throw new Failure(`${place} failed: ${reason}.${cures.get(code) ?? ''}`, { cause: error })
  }
  return {
    dialect: 'postgres',
    place,
    query: (sql, values = []) => pool.query({ text: sql, values }).then(({ rows }) => rows, failed),
    transaction: statements =>
      pool.transaction(statements.map(({ sql, values = [] }) => ({ text: sql, values }))).catch(failed),
    close: () => pool.end(),
  }
}

interface D1Access {
  /** Base URL of the API, up to `/client/v4`. */
  readonly apiUrl: string
  readonly accountId: string
  readonly databaseId: string
  /** A token with permission to edit D1. */
  readonly token: string
  /** Environment whose `HTTPS_PROXY` and `NO_PROXY`, in either case, apply. */
  readonly proxyEnv?: ProxyEnv
}

const timeoutMs = 30_000
/** Maximum response to read, in bytes: far more than the list of a large company. */
const maxBytes = 256 * 1024 * 1024

/** Opens D1 for the operator's command, by its HTTP API: outside a Worker there is no binding. */
export function openD1Store({ apiUrl, accountId, databaseId, token, proxyEnv = {} }: D1Access): Store {
  const place = `D1 database ${databaseId}`
  const url = `${apiUrl.replace(/\/+$/, '')}/accounts/${encodeURIComponent(accountId)}/d1/database/${encodeURIComponent(databaseId)}/query`
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  // A connection for each request: one that ended while it was idle would look like a lost answer.
  const exchange = createNodeExchange({}, createAgents({}, proxyEnv))
  async function send(content: unknown): Promise<readonly Row[]> {
    const body = JSON.stringify(content)
    const outcome = await exchange({ method: 'POST', url, headers, body, timeoutMs, maxBytes })
    if (outcome.kind !== 'failure') return readResult(outcome.body, outcome.status, place)
    // Without a trusted certificate, nothing was sent.
    const Failure = outcome.cause === 'untrusted' ? CommandError : LostAnswer
    const advice = outcome.fix ? '' : ' Check the network and CLOUDFLARE_API_URL.'
    throw new Failure(`${place} did not answer: ${explainFailure(outcome)}.${advice}`, {
      cause: outcome.error,
    })
  }

  return {
    dialect: 'd1',
    place,
    query: (sql, values = []) => send(bodyOf({ sql, values })),
    // D1 runs a batch as one transaction.
    transaction: async statements => void (await send({ batch: statements.map(bodyOf) })),
    close: async () => undefined,
  }
}

function bodyOf({ sql, values = [] }: Statement) {
  return { sql: forD1(sql), params: values }
}

/**
 * Returns the first statement's rows of an envelope `{success, errors, result: [{results}]}`.
 * @throws CommandError with the envelope's errors; LostAnswer if the statements can have run
 */
function readResult(text: string, status: number, place: string): readonly Row[] {
  const envelope = parseEnvelope(text)
  const Failure = status >= 400 && status < 500 ? CommandError : LostAnswer
  if (!envelope)
    throw new Failure(
      `${place} returned ${status} without an answer of Cloudflare. Check CLOUDFLARE_API_URL, and what is in front of it.`,
    )
  const [result] = listOf(envelope.result)
  if (envelope.success && Array.isArray(result?.['results'])) return listOf(result['results'])
  const errors = envelope.errors.map(({ code, message }) => `${message} (${code})`).join('; ')
  const fix =
    status === 401 || status === 403 ? ' Check that CLOUDFLARE_API_TOKEN can edit D1 in this account.' : ''
  throw new Failure(`${place} returned ${status}: ${printableStart(errors) || 'no reason given'}.${fix}`)
}

function listOf(value: unknown): readonly Row[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}
