import {
  columnNames,
  isText,
  missingIndexes,
  type StoreFacts,
  type StoreProblem,
  unknownFlag,
} from '../employees/store-check.ts'

/** Returns SQL that repairs a store's problems, except missing tables, which `migrate` creates. */
export function repairStore(facts: StoreFacts, problems: readonly StoreProblem[]): readonly string[] {
  const shaped = problems.some(({ code }) => /^(column|flag|name)/.test(code))
  const grants = [...facts.missingGrants].map(
    ([table, privileges]) => `GRANT ${privileges} ON ${table} TO ${facts.role};`,
  )
  const indexes = missingIndexes(facts).map(expression => indexOn(facts, expression))
  return [...(shaped ? viewOver(facts) : []), ...grants, ...indexes]
}

function indexOn({ kind, name, sources }: StoreFacts, expression: string): string {
  if (kind === 'table') return `CREATE INDEX employees_user_name_lower ON ${name} (${expression});`
  return `-- With the column behind user_name:\nCREATE INDEX people_login_lower ON ${sources[0] ?? 'hr.people'} (lower(login));`
}

/** Returns SQL that puts a view in front of employees with other columns or types, and leaves them unchanged. */
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
    // No administrators by default. Somebody who knows the table must name the other columns.
    if (column === 'is_admin') return `${facts.dialect === 'd1' ? '0' : 'false'} AS is_admin`
    return `your_column AS ${column}`
  }
  if (column === 'user_name' && !isText(facts)) return 'CAST(user_name AS TEXT) AS user_name'
  if (column === 'id' || column === 'user_name' || unknownFlag(facts, column) === null) return column
  return `lower(trim(CAST(${column} AS TEXT))) IN ('1', 't', 'true', 'y', 'yes') AS ${column}`
}
