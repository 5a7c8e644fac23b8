import { isObject, type JsonObject } from '../../http/validation.ts'
import { type Outcome, success } from '../envelope.ts'
import { isRefusal, type Refusal } from '../errors.ts'
import type { Call } from '../route.ts'
import type { Database, Statement } from './databases.ts'
import { malformed, sqlFailed } from './errors.ts'

function readOne(sent: unknown): Statement | Refusal {
  if (!isObject(sent)) return malformed('a query must be an object')
  const { sql, params = [] } = sent
  if (typeof sql !== 'string') return malformed('sql must be a string')
  return Array.isArray(params) ? { sql, params } : malformed('params must be an array')
}

/** Reads one statement, or a batch of them. */
function readStatements(sent: JsonObject | null): readonly Statement[] | Refusal {
  const queries = sent?.['batch'] ?? [sent]
  if (!Array.isArray(queries)) return malformed('batch must be an array of queries')
  const statements = queries.map(readOne)
  return statements.find(isRefusal) ?? (statements as Statement[])
}

/** Handles POST …/query. */
export async function query({ sent, parts }: Call, { uuid }: Database): Promise<Outcome> {
  const statements = readStatements(sent)
  if (isRefusal(statements)) return statements
  // documented: A batch runs as one transaction and returns one result for each statement. [API reference, D1]
  const outcome = await parts.runtime.query(uuid, statements)
  return 'value' in outcome ? success(outcome.value) : sqlFailed(outcome.problem)
}
