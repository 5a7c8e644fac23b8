/** What a check found out about a store. */
export interface StoreFacts {
  readonly dialect: 'postgres' | 'd1'
  readonly kind: 'table' | 'view' | 'missing'
  /** Name of `employees` for SQL, with its schema if the store has schemas. */
  readonly name: string
  /** The query of a view, if the store cannot rename views. */
  readonly viewQuery: string | null
  /** Types in lower case, by column. */
  readonly columns: ReadonlyMap<string, string>
  /** Tables of the handler that are missing. */
  readonly missingTables: readonly string[]
  /** Privileges that the role lacks, such as `SELECT`, by table. */
  readonly missingGrants: ReadonlyMap<string, string>
  /** The role for SQL; null without roles. */
  readonly role: string | null
  /** Database for SQL; null without roles. */
  readonly database: string | null
  /** Definitions of the indexes of `employees`, or of the tables behind the view. */
  readonly indexes: readonly string[]
  /** Names, for SQL, of the tables behind a view, as far as they are known. */
  readonly sources: readonly string[]
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
  /** Whether people can sign in regardless. */
  readonly usable: boolean
  /** What is wrong, in sentences for an operator. */
  readonly message: string
}

export interface StoreReport {
  /** The most serious first. */
  readonly problems: readonly StoreProblem[]
  /** SQL that repairs them, in this order. */
  readonly repairs: readonly string[]
}

/** Values that the handler reads as true or as false. `readEmployee` takes any other for false. */
const knownFlags = ['true', 'false', 't', 'f', '1', '0']

/** Text types; others cannot be folded. SQLite's columns may have any type, or none. */
const textTypes = /char|text|citext|name|clob|^$/

/** Judges a store. */
export function judgeStore(facts: StoreFacts): StoreReport {
  const problems: StoreProblem[] = []
  function addProblem(code: StoreProblem['code'], message: string, usable = false): void {
    problems.push({ code, usable, message })
  }
  const { columns, kind } = facts
  if (kind === 'missing') {
    addProblem(
      'employees-missing',
      'There is no table or view employees that this role can see. Run `migrate`, or create a view of your own first.',
    )
  } else {
    for (const column of columnNames.filter(name => !columns.has(name))) {
      addProblem('column-missing', `employees has no column ${column}.`)
    }
    for (const flag of flagNames) {
      const unknown = unknownFlag(facts, flag)
      if (unknown !== undefined) {
        addProblem(
          'flag-not-boolean',
          `employees.${flag} holds ${JSON.stringify(unknown)}, which is not boolean and counts as false.`,
        )
      }
    }
    if (!isText(facts)) {
      addProblem('name-not-text', `employees.user_name is ${columns.get('user_name')}, which is not text.`)
    }
  }
  if (facts.missingTables.length > 0) {
    addProblem('not-migrated', `There is no ${facts.missingTables.join(' and no ')}. Run \`migrate\`.`)
  }
  for (const [table, privileges] of facts.missingGrants) {
    addProblem('not-granted', `${facts.role} may not ${privileges} on ${table}.`)
  }
  const shaped = problems.some(({ code }) => /^(column|flag|name)/.test(code))
  const indexes = missingIndexes(facts)
  for (const expression of indexes) {
    addProblem(
      'index-missing',
      `employees has no index on ${expression}, so each sign-in reads all of it.`,
      true,
    )
  }
  const grants = [...facts.missingGrants].map(([table, privileges]) => {
    return `GRANT ${privileges} ON ${table} TO ${facts.role};`
  })
  return {
    problems,
    repairs: [
      ...(shaped ? viewOver(facts) : []),
      ...grants,
      ...indexes.map(expression => indexOn(facts, expression)),
    ],
  }
}

function unknownFlag({ flags }: StoreFacts, flag: Flag): string | undefined {
  return flags[flag].find((value): value is string => value !== null && !knownFlags.includes(value))
}

function isText({ columns }: StoreFacts): boolean {
  return textTypes.test(columns.get('user_name') ?? '')
}

function missingIndexes(facts: StoreFacts): readonly string[] {
  if (facts.kind === 'missing' || !facts.columns.has('user_name') || !isText(facts)) return []
  // A view's columns can have any name in the table behind it.
  const folded = facts.kind === 'view' ? /lower\(/i : /lower\(\(*"?user_name/i
  return facts.indexes.some(definition => folded.test(definition)) ? [] : ['lower(user_name)']
}

function indexOn({ kind, name, sources }: StoreFacts, expression: string): string {
  if (kind === 'table') return `CREATE INDEX employees_user_name_lower ON ${name} (${expression});`
  return `-- With the column behind user_name:\nCREATE INDEX people_login_lower ON ${sources[0] ?? 'hr.people'} (lower(login));`
}

/** Returns SQL that puts a view in front of employees of another shape, and leaves them as they are. */
function viewOver(facts: StoreFacts): readonly string[] {
  const { dialect, kind, name, role, database, viewQuery } = facts
  const list = columnNames.map(column => `  ${expressionOf(facts, column)}`).join(',\n')
  const select = (source: string) => `SELECT\n${list}\nFROM ${source};`
  if (dialect === 'd1') {
    return kind === 'view'
      ? ['DROP VIEW employees;', `CREATE VIEW employees AS ${select(`(${viewQuery}) AS hr`)}`]
      : [
          'ALTER TABLE employees RENAME TO hr_employees;',
          `CREATE VIEW employees AS ${select('hr_employees')}`,
        ]
  }
  if (kind === 'view') {
    return [
      `ALTER VIEW ${name} RENAME TO hr_employees;`,
      `CREATE VIEW ${name} AS ${select(name.replace(/employees$/, 'hr_employees'))}`,
      `GRANT SELECT ON ${name} TO ${role};`,
    ]
  }
  // HR's own programs keep their table: only this role sees the view in its place, from its next connection on.
  return [
    'CREATE SCHEMA IF NOT EXISTS homeport;',
    `CREATE VIEW homeport.employees AS ${select(name)}`,
    `GRANT USAGE ON SCHEMA homeport TO ${role};`,
    `GRANT SELECT ON homeport.employees TO ${role};`,
    `ALTER ROLE ${role} IN DATABASE ${database} SET search_path = homeport, public;`,
  ]
}

function expressionOf(facts: StoreFacts, column: (typeof columnNames)[number]): string {
  if (!facts.columns.has(column)) {
    // Nobody is an administrator by mistake. The others must be named by somebody who knows the table.
    if (column === 'is_admin') return `${facts.dialect === 'd1' ? '0' : 'false'} AS is_admin`
    return `your_column AS ${column}`
  }
  if (column === 'user_name' && !isText(facts)) return 'CAST(user_name AS TEXT) AS user_name'
  if (column === 'id' || column === 'user_name' || unknownFlag(facts, column) === undefined) return column
  return `lower(trim(CAST(${column} AS TEXT))) IN ('1', 't', 'true', 'y', 'yes') AS ${column}`
}
