import { printableStart } from '../../lib/quote.ts'
import type { Dialect } from './rows.ts'
import type { StoreProblem } from './store-check.ts'

/** Maximum ids or names to report. */
export const maxReported = 10

/**
 * Returns SQL for whether another record has the id of the record `e` and differs from it: then an id says nothing about
 * who somebody is. Records that are equal in every field are one, because a JOIN in HR's view can double them.
 */
export function sharesIdSql(dialect: Dialect): string {
  // A column of SQLite can hold a number and the same digits as text.
  const sameId = dialect === 'd1' ? 'o.id IN (e.id, CAST(e.id AS TEXT))' : 'o.id = e.id'
  return `EXISTS (SELECT 1 FROM employees o WHERE ${sameId} AND
      (${fieldsOf('o')}) IS DISTINCT FROM (${fieldsOf('e')}))`
}

/** As text, since types such as NUMERIC and citext call values equal that differ as text. */
function fieldsOf(record: string): string {
  return `CAST(${record}.id AS TEXT), CAST(${record}.user_name AS TEXT), ${record}.is_active, ${record}.is_admin`
}

/** Returns a query for ids that different records share, one more than are reported. It reads every record. */
export function sharedIdsSql(dialect: Dialect): string {
  const key = dialect === 'd1' ? 'CAST(id AS TEXT)' : 'id'
  return `
  SELECT min(id_text) AS id FROM (
    SELECT DISTINCT ${key} AS key, CAST(id AS TEXT) AS id_text, CAST(user_name AS TEXT) AS user_name, is_active, is_admin
    FROM employees WHERE id IS NOT NULL) AS records
  GROUP BY key HAVING count(*) > 1 ORDER BY 1 LIMIT ${maxReported + 1}`
}

/** Returns a list of what a query for one more than are reported found. */
export function listReported(found: readonly string[]): string {
  const more = found.length > maxReported ? ' and more' : ''
  return `${found.slice(0, maxReported).map(printableStart).join(', ')}${more}`
}

/** Returns the problem that ids found by `sharedIdsSql` are, if there are any. */
export function judgeSharedIds(ids: readonly string[]): readonly StoreProblem[] {
  if (ids.length === 0) return []
  const message = `employees has different records with the same id: ${listReported(ids)}. Nobody whose record shares an id can sign in. Give each record an id of its own.`
  return [{ code: 'id-not-unique', usable: false, message }]
}
