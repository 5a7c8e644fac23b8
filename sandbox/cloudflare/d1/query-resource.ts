import { isObject, type JsonObject } from '../../http/validation.ts'
import { type Outcome, success } from '../envelope.ts'
import { isRefusal, type Refusal } from '../errors.ts'
import { parseBody } from '../request-body.ts'
import type { Route } from '../route.ts'
import { withDatabase } from './database-resource.ts'
import { malformed, sqlFailed } from './errors.ts'
import { type Statement, splitStatements } from './statements.ts'

function readOne(sent: JsonObject): Statement[] | Refusal {
  const { sql, params = [] } = sent
  if (typeof sql !== 'string') return malformed('sql must be a string')
  if (!Array.isArray(params)) return malformed('params must be an array')
  const split = splitStatements(sql)
  if (split.length === 0) return sqlFailed('No SQL statements detected.')
  if (split.length === 1) return [{ sql: split[0]?.sql ?? '', params }]
  let at = 0
  return split.map(({ sql: text, parameters }) => {
    const own = params.slice(at, at + parameters)
    at += parameters
    return { sql: text, params: own }
  })
}

/** Reads one text with one or more statements, or a batch of such texts. */
function readStatements(sent: JsonObject | null): Statement[] | Refusal {
  if (sent === null) return malformed('invalid body')
  const { batch } = sent
  if (batch === undefined) return readOne(sent)
  if (!Array.isArray(batch) || batch.length === 0) return malformed('batch must be an array of queries')
  const statements: Statement[] = []
  for (const element of batch as readonly unknown[]) {
    const read = isObject(element) ? readOne(element) : malformed('batch must be an array of queries')
    if (isRefusal(read)) return read
    statements.push(...read)
  }
  return statements
}

/** Handles POST …/query. */
const query = withDatabase(async ({ body, parts }, { uuid }): Promise<Outcome> => {
  const statements = readStatements(parseBody(body))
  if (isRefusal(statements)) return statements
  // documented: Several statements in one text, or a batch, run as one transaction and return one result each. Assumed:
  // parameters are assigned in order, as many as each statement has placeholders. [API reference, D1; types of npm cloudflare
  // 7.3.0]
  const outcome = await parts.runtime.query(uuid, statements)
  return 'value' in outcome ? success(outcome.value) : sqlFailed(outcome.problem)
})

export const queryRoutes: readonly Route[] = [
  {
    method: 'POST',
    on: 'account',
    requires: 'd1Write',
    outside: true,
    pattern: '/accounts/:account/d1/database/*database/query',
    handle: query,
  },
]
