/** What a check found in a store. */
export interface StoreFacts {
  readonly kind: 'table' | 'view' | 'missing'
  /** Name of `employees` for SQL, with its schema if the store has schemas. */
  readonly name: string
  /** Types in lower case, by column. */
  readonly columns: ReadonlyMap<string, string>
  /** Tables of the handler that are missing. */
  readonly missingTables: readonly string[]
  /** Privileges that the role lacks, such as `SELECT`, by table. */
  readonly missingGrants: ReadonlyMap<string, string>
  /** The role for SQL; null without roles. */
  readonly role: string | null
  /** Definitions of the indexes of `employees`, or of the tables behind the view. */
  readonly indexes: readonly string[]
  /** Values found in the flags, as text. */
  readonly flags: Readonly<Record<Flag, readonly (string | null)[]>>
}

export const columnNames = ['id', 'user_name', 'is_active', 'is_admin'] as const
export const flagNames = ['is_active', 'is_admin'] as const
export type Flag = (typeof flagNames)[number]

/** Tables that `migrate` creates and the handler needs. */
export const ownTables = ['homeport_bindings', 'homeport_ended_sessions'] as const

export interface StoreProblem {
  readonly code:
    | 'employees-missing'
    | 'column-missing'
    | 'flag-not-boolean'
    | 'name-not-text'
    | 'not-migrated'
    | 'not-granted'
    | 'index-missing'
    | 'id-not-unique'
    | 'read-only'
  /** Whether people can sign in despite the problem. */
  readonly usable: boolean
  /** What is wrong, in sentences for an operator. */
  readonly message: string
}

/** Values that the handler reads as true or as false. `readEmployee` reads any other as false. */
const knownFlags = ['true', 'false', 't', 'f', '1', '0']

/** Text types; others cannot be folded. SQLite's columns may have any type, or none. */
const textTypes = /char|text|citext|name|clob|^$/

/** Judges a store. Returns what is wrong, the most serious first. */
export function judgeStore(facts: StoreFacts): readonly StoreProblem[] {
  const problems: StoreProblem[] = []
  function addProblem(code: StoreProblem['code'], message: string, usable = false): void {
    problems.push({ code, usable, message })
  }
  const { columns, kind, flags } = facts
  const exists = kind !== 'missing'
  if (!exists)
    addProblem(
      'employees-missing',
      'There is no table or view employees that this role can see. Run `migrate`, or create a view of your own first.',
    )
  for (const column of columnNames.filter(name => exists && !columns.has(name))) {
    const example = flagNames.some(flag => flag === column) ? `false AS ${column}` : `login AS ${column}`
    addProblem('column-missing', `employees has no column ${column}. Add it, in a view such as ${example}.`)
  }
  for (const flag of flagNames) {
    const unknown = flags[flag].find(value => value !== null && !knownFlags.includes(value))
    if (exists && unknown != null)
      addProblem(
        'flag-not-boolean',
        `employees.${flag} holds ${JSON.stringify(unknown)}, which is not boolean and counts as false. In a view, write the comparison, such as employed = 'Y' AS ${flag}.`,
      )
  }
  if (exists && !isText(facts))
    addProblem('name-not-text', `employees.user_name is ${columns.get('user_name')}, which is not text.`)
  if (facts.missingTables.length > 0) {
    addProblem('not-migrated', `There is no ${facts.missingTables.join(' and no ')}. Run \`migrate\`.`)
  }
  for (const [table, privileges] of facts.missingGrants) {
    const target = table === 'employees' ? facts.name : table
    addProblem(
      'not-granted',
      `${facts.role} lacks ${privileges} on ${table}. As the owner of the table, run GRANT ${privileges} ON ${target} TO ${facts.role};`,
    )
  }
  if (lacksIndex(facts)) {
    const fix =
      kind === 'table'
        ? `Run CREATE INDEX employees_user_name_lower ON ${facts.name} (lower(user_name));`
        : 'Create one on lower() of the column behind user_name.'
    const message = `employees has no index on lower(user_name), so each sign-in reads the whole table. ${fix}`
    addProblem('index-missing', message, true)
  }
  return problems
}

/** Whether a query can read every column of employees despite these problems. */
export function isReadable(problems: readonly StoreProblem[]): boolean {
  return !problems.some(({ code }) => /^(employees-missing|column-missing|not-granted)$/.test(code))
}

/** Whether names can be folded. */
function isText({ columns }: StoreFacts): boolean {
  return textTypes.test(columns.get('user_name') ?? '')
}

/** Whether no index serves the lookup of a name. */
function lacksIndex(facts: StoreFacts): boolean {
  if (facts.kind === 'missing' || !facts.columns.has('user_name') || !isText(facts)) return false
  // A view's columns can have any name in the table behind it.
  const folded = facts.kind === 'view' ? /lower\(/i : /lower\(\(*"?user_name/i
  return !facts.indexes.some(definition => folded.test(definition))
}
