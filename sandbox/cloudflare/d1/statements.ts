/** A statement and its parameter values. */
export interface Statement {
  readonly sql: string
  readonly params: readonly unknown[]
}

/** A statement and its number of parameter values. */
interface SplitStatement {
  readonly sql: string
  readonly parameters: number
}

/** The tokens of SQL that matter for finding the ends of statements. */
const token =
  /(?<space>\s+)|(?<comment>--[^\n]*|\/\*.*?(?:\*\/|$))|(?<quoted>'(?:[^']|'')*'?|"(?:[^"]|"")*"?|`(?:[^`]|``)*`?|\[[^\]]*\]?)|(?<parameter>\?\d*)|(?<word>[\p{L}_$][\p{L}\p{N}_$]*)|(?<end>;)|(?<other>.)/gsu

const trigger = /^create (temp |temporary )?trigger\b/

/**
 * Splits a text into statements at its semicolons. Ignores semicolons in strings, quoted names and comments, and between
 * the BEGIN and END of a trigger.
 */
export function splitStatements(text: string): SplitStatement[] {
  const statements: SplitStatement[] = []
  let start = 0
  let head = ''
  let depth = 0
  let anonymous = 0
  let highest = 0
  function finish(end: number) {
    const sql = text.slice(start, end).trim()
    if (head !== '') statements.push({ sql, parameters: Math.max(anonymous, highest) })
    start = end + 1
    head = ''
    depth = 0
    anonymous = 0
    highest = 0
  }
  for (const match of text.matchAll(token)) {
    const { space, comment, parameter, word, end } = match.groups ?? {}
    if (end !== undefined && depth === 0) finish(match.index)
    if (space !== undefined || comment !== undefined || end !== undefined) continue
    if (parameter !== undefined) {
      if (parameter === '?') anonymous = Math.max(anonymous, highest) + 1
      else highest = Math.max(highest, Number(parameter.slice(1)))
    }
    const lower = word?.toLowerCase()
    if (head.length < 40) head += `${head === '' ? '' : ' '}${lower ?? match[0]}`
    if (!trigger.test(head)) continue
    if (lower === 'begin' || lower === 'case') depth += 1
    if (lower === 'end') depth -= 1
  }
  finish(text.length)
  return statements
}
