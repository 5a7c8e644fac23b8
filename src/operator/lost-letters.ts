import { lostLetter } from '../employees/names.ts'
import { quoted } from '../employees/printable.ts'
import type { Row } from '../employees/rows.ts'
import type { StoreProblem } from '../employees/store-check.ts'

/** Maximum names to report. */
const maxReported = 10

/** Query for names with U+FFFD. It reads every record. */
export const lostLettersQuery = `
  SELECT CAST(id AS TEXT) AS id, CAST(user_name AS TEXT) AS user_name FROM employees
  WHERE CAST(user_name AS TEXT) LIKE '%${lostLetter}%' ORDER BY 1 LIMIT ${maxReported + 1}`

/** Returns the problem that rows of `lostLettersQuery` are, if there are any. */
export function judgeLostLetters(rows: readonly Row[]): readonly StoreProblem[] {
  if (rows.length === 0) return []
  const names = rows.slice(0, maxReported).map(({ id, user_name: name }) => quoted(`${name} (${id})`))
  const more = rows.length > maxReported ? ' and more' : ''
  const message = `Nobody can sign in as ${names.join(', ')}${more}: U+FFFD stands for a letter that was lost. Correct the names where they come from.`
  return [{ code: 'name-damaged', usable: true, message }]
}
