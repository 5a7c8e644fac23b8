import { isObject, type JsonObject } from '../../http/validation.ts'
import { type Outcome, success } from '../envelope.ts'
import type { Call } from '../route.ts'
import type { Database, Statement } from './databases.ts'
import { malformed, sqlFailed } from './errors.ts'

function readOne(sent: unknown): Statement {
  if (!isObject(sent)) throw malformed('a query must be an object')
  const { sql, params = [] } = sent
  if (typeof sql !== 'string') throw malformed('sql must be a string')
  if (!Array.isArray(params)) throw malformed('params must be an array')
  return { sql, params }
}

/** Reads one statement, or a batch of them. */
function readStatements(sent: JsonObject | null): readonly Statement[] {
  const queries = sent?.['batch'] ?? [sent]
  if (!Array.isArray(queries)) throw malformed('batch must be an array of queries')
  return queries.map(readOne)
}

/** Handles POST …/query. */
export async function query({ sent, parts }: Call, { uuid }: Database): Promise<Outcome> {
  // documented: A batch runs as one transaction and returns one result for each statement. [API reference, D1]
  const outcome = await parts.runtime.query(uuid, readStatements(sent))
  if ('problem' in outcome) throw sqlFailed(outcome.problem)
  return success(outcome.value)
}
