import { counted } from '../employees/counted.ts'
import { readD1Facts } from '../employees/d1-facts.ts'
import { type Row, readEmployee, readIds } from '../employees/rows.ts'
import { judgeSharedIds, listReported, sharedIdsSql } from '../employees/shared-ids.ts'
import { isReadable, judgeStore } from '../employees/store-check.ts'
import { foldName, readUserName } from '../employees/user-names.ts'
import { judgePostgres } from '../node/postgres/facts.ts'
import { pendingMigrations, readSchema } from './migrations.ts'
import type { Store } from './store.ts'

/** Maximum employees whose flags a check reads: in practice, all. */
const wholeSample = 10_000_000

const recordsSql = `SELECT DISTINCT COALESCE(CAST(id AS TEXT), 'no id') AS id,
  COALESCE(CAST(user_name AS TEXT), '') AS user_name, is_active, is_admin FROM employees ORDER BY 1`

type ShownAs = (id: string, name: string) => string

/** Returns a message in a list, or none if there is nothing to say. */
const sayIf = (isSo: boolean, message: string) => (isSo ? [message] : [])

/** Judges records one by one and together. Only what is refused is `shown`, since names can be addresses. */
function judgeRecords(rows: readonly Row[], shownAs: ShownAs) {
  const records = rows.map(row => {
    const { id, userName: name, isActive, isAdmin } = readEmployee(row)
    const reading = readUserName(name)
    const rule = 'problem' in reading ? reading.problem : ''
    const isUnset = row['is_active'] === null
    return { id, name, rule, isActive, isAdmin, isUnset, shown: shownAs(id, name) }
  })
  type Records = typeof records
  const count = (isCounted: (record: Records[number]) => boolean) => records.filter(isCounted).length
  const groups = (keyOf: (record: Records[number]) => string, distinct: 'id' | 'name') =>
    [...Map.groupBy(records, keyOf).values()]
      .filter(same => new Set(same.map(record => record[distinct])).size > 1)
      .flat()
  const same = groups(({ name }) => name, 'id').filter(({ rule }) => rule === '')
  const alike = groups(({ name }) => foldName(name), 'name')
  const wrong = Map.groupBy(records, ({ rule }) => rule)
  const list = (found: Records) => listReported(found.map(({ shown }) => shown))
  const [active, admins] = [count(({ isActive }) => isActive), count(({ isAdmin }) => isAdmin)]
  const [unset, whole] = [count(({ isUnset }) => isUnset), count(({ name }) => name.includes('@'))]
  const sum = `${counted(records.length, 'employee')}, ${active} active, ${counted(admins, 'administrator')}.`
  const hints = [
    ...sayIf(unset > 0, `${unset} without is_active (NULL), which counts as inactive.`),
    ...sayIf(whole > 0, `${whole} with an @ in user_name: use only the part before it.`),
  ]
  return {
    isEmpty: records.length === 0,
    counts: [[sum, ...hints].join(' ')],
    nobody: sayIf(
      !records.some(({ rule, isActive }) => isActive && rule === ''),
      'Nobody can sign in: no employee is active and has a user name that can match.',
    ),
    broken: sayIf(
      same.length > 0,
      `Different employees have the same user_name, so none of them can sign in: ids ${listReported(same.map(({ id }) => id))}. Give each a name of their own.`,
    ),
    refused: [
      ...[...wrong].flatMap(([rule, found]) =>
        sayIf(rule !== '', `Nobody can sign in as ${list(found)}: ${rule}`),
      ),
      ...sayIf(
        alike.length > 0,
        `Some names differ at most in case or in the composition of accents: ${list(alike)}. Give each employee a name of their own.`,
      ),
    ],
  }
}

/**
 * Returns why the handler cannot use a store or nobody can sign in, how many employees it has, who cannot sign in, and what
 * else is worth a remark.
 */
export async function inspectStore(store: Store, shownAs: ShownAs) {
  const query = (sql: string) => store.query(sql)
  const found =
    store.dialect === 'postgres'
      ? await judgePostgres(query, wholeSample)
      : judgeStore(await readD1Facts(query, wholeSample))
  const readable = isReadable(found)
  const shared = readable ? judgeSharedIds(readIds(await query(sharedIdsSql(store.dialect)))) : []
  const records = readable
    ? judgeRecords(await query(recordsSql), shownAs)
    : { counts: [], nobody: [], broken: [], refused: [], isEmpty: true }
  // The handler's role may be unable to read which migrations ran. `judgeStore` reports its missing tables.
  const schema = await readSchema(store).catch(() => null)
  const isReported = found.some(({ code }) => code === 'not-migrated')
  const pending = schema && !isReported ? pendingMigrations(schema, false) : []
  const messagesOf = (wanted: boolean) =>
    [...found, ...shared].flatMap(({ usable, message }) => (usable === wanted ? [message] : []))
  const lacking = pending.map(({ title }) => `migrate has not created ${title}. Run \`migrate\`.`)
  // It is not a mistake if `migrate` has just created the table.
  const isNew = readable && records.isEmpty && schema?.employees === 'ours'
  return {
    counts: records.counts,
    nobody: isNew ? [] : records.nobody,
    broken: [...messagesOf(false), ...records.broken, ...lacking],
    refused: records.refused,
    remarks: [...messagesOf(true), ...sayIf(isNew, 'Add employees with `employees add NAME`.')],
  }
}
