import { misspelled } from '../near-names.ts'
import type { FullReading } from '../reading.ts'
import { redactTokenShapes } from '../redact.ts'

/**
 * Settings as tables. A room keeps one table: a row for each setting, and `readTable` for all of them at once. The comment of
 * a row is its prose on the page, in Markdown; `@default` in it says what a missing one means, where the row has no text for that
 * (`npm run format` writes the page). No bundle carries comments.
 *
 *     const table = {
 *       // This is the page's text, as a docstring.
 *       ZONE_ID: { read: hexId('the overview page of the zone'), fix: 'Copy it from the overview page of the zone.' },
 *       PROXIED: { read: boolean, default: 'false' },
 *     } as const satisfies Table
 *     const reading = readTable(table, env) // { value: { zoneId: '…', proxied: false } } or { problems: ['ZONE_ID is …'] }
 *
 * On Node, `readTableWithFiles` of with-files.ts does the same and takes secrets from files. `readers.ts` has the readers that rooms share;
 * `optional` and `list` make more of them.
 */
export interface Row<Earlier = never> {
  /**
   * Reads a text without blanks around it: what is set, else the default, else an empty text if the row has no `fix`. A problem
   * continues the name of the setting, with the cure, and repeats no secret. `earlier` has the values of the rows above that were not
   * refused, by field, and the context of `readTable`. A row without a reader is read elsewhere, such as a binding.
   */
  readonly read?: (text: string, earlier: Earlier) => FullReading<unknown>
  /** The value's name, if not the setting's own in camel case: `ZONE_ID` and `zone-id` are `zoneId`. */
  readonly field?: string
  /** The text that replaces a missing or blank one. */
  readonly default?: string
  /** What to do if it is missing. A setting without it is optional. */
  readonly fix?: string
  /** Whether it is never printed. On Node, NAME_FILE can name a file that has it. */
  readonly secret?: true
  /** Where it counts, such as an entry or a part, if not everywhere. */
  readonly only?: string
  /** What `--help` says of it, in a few words. */
  readonly help?: string
  /** Whether an environment variable in lower case counts, too, as other programs have it for a proxy. */
  readonly anyCase?: true
}

export type Table<Earlier = never> = Readonly<Record<string, Row<Earlier>>>

/** Environment variables of a process, bindings of a Worker, where JSON can be `true` or a number, or texts by name. */
export type Environment = Readonly<Record<string, unknown>>

type Camel<Text extends string, Mark extends string> = Text extends `${infer Head}${Mark}${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail, Mark>>}`
  : Text
/** A name in camel case: `ZONE_ID` and `zone-id` are `zoneId`. */
export type CamelName<Name extends string> =
  Name extends Uppercase<Name> ? Camel<Lowercase<Name>, '_'> : Camel<Name, '-'>
type FieldOf<Name extends string, R> = R extends { readonly field: infer Field extends string }
  ? Field
  : CamelName<Name>

/** The value that a row's reader returns. */
export type ValueOf<R> = R extends {
  readonly read: (text: string, earlier: never) => infer Reading
}
  ? Extract<Reading, { readonly value: unknown }>['value']
  : never

/** The values of a table, by field. */
export type ValuesOf<T extends Table> = {
  readonly [Name in keyof T & string as T[Name] extends { readonly read: unknown }
    ? FieldOf<Name, T[Name]>
    : never]: ValueOf<T[Name]>
}

/** Returns the environment variable of a name with hyphens: `ZONE_ID` for `zone-id`. */
export function variableOf(name: string): string {
  return name.toUpperCase().replaceAll('-', '_')
}

/** Returns the rows of a table with their names. */
export function rowsOf<Name extends string, R extends Row>(
  table: Readonly<Record<Name, R>>,
): readonly (readonly [Name, R])[] {
  // Object.entries forgets the type of the names.
  return Object.entries(table) as [Name, R][]
}

/** Returns the names of settings that are never printed. */
export function secretNamesOf(table: Table): readonly string[] {
  return rowsOf(table).flatMap(([name, { secret }]) => (secret ? [name] : []))
}

export interface ReadOptions {
  /** What readers get beside the values of earlier rows. */
  readonly context?: object
  /** Settings that something else has been said about, such as a file that cannot be read. They are not read. */
  readonly skipped?: readonly string[]
  /** Returns how a setting was given, such as its flag. By default, its name. */
  readonly nameOf?: (name: string) => string
}

/**
 * Reads every row, in order. Returns all values, or every problem at once, in sentences that start with the setting's name: of
 * texts that are refused, of those that are missing, and of names in `given` that are almost a setting's. They show nothing that has
 * the shape of a token.
 */
export function readTable<const T extends Table>(
  table: T,
  given: Environment,
  options: ReadOptions = {},
): FullReading<ValuesOf<T>> {
  const { values, problems } = readRows(table, given, options)
  const all = [...problems, ...misspelledNames(table, given)]
  // Each row that was not refused has set its field.
  return all.length > 0 ? { problems: all } : { value: values as ValuesOf<T> }
}

/** Reads every row. Returns the values of those that were not refused, by field, beside the problems of the others. */
export function readRows(
  table: Table,
  given: Environment,
  { context, skipped = [], nameOf = name => name }: ReadOptions = {},
): { readonly values: Readonly<Record<string, unknown>>; readonly problems: readonly string[] } {
  const problems: string[] = []
  const values: Record<string, unknown> = {}
  for (const [name, { read, field = camelName(name), default: standard = '', fix }] of rowsOf(table)) {
    if (!read || skipped.includes(name)) continue
    const text = textIn(given, name)
    const reading =
      text === null
        ? notText
        : text === '' && fix
          ? missing(fix)
          : // Each row says itself what it needs of the rows above.
            read(text || standard, { ...context, ...values } as never)
    if ('value' in reading) values[field] = reading.value
    else
      for (const problem of reading.problems) problems.push(redactTokenShapes(`${nameOf(name)} ${problem}`))
  }
  return { values, problems }
}

/** Returns the trimmed text of a setting, an empty one if it is missing, and null if the value is not text. */
export function textIn(given: Environment, name: string): string | null {
  const found = given[name] ?? ''
  return typeof found === 'object' ? null : String(found).trim()
}

const notText = { problems: ['is not a text. Set one.'] }

const missing = (fix: string) => ({ problems: [`is missing. ${fix}`] })

/** Returns a name in camel case. */
export function camelName(name: string): string {
  const words = name === name.toUpperCase() ? name.toLowerCase() : name
  return words.replace(/[-_]([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}

/** Shorter settings are too close to names that other programs use. */
const minLetters = 8
/** Names of other programs that are almost one of ours. Many read them in lower case. */
const otherNames = ['HTTP_PROXY', 'http_proxy', 'https_proxy', 'no_proxy']

/**
 * Returns a problem for each name that is almost one of the table's, in either case, while that one is missing: it would silently keep
 * its default. Advises nobody to use another secret. Text cannot be a binding.
 */
function misspelledNames(table: Table, given: Environment): readonly string[] {
  const secrets = secretNamesOf(table)
  const names = [...Object.keys(table), ...secrets.map(name => `${name}_FILE`)]
  const long = names.filter(name => name.replace(/[^A-Z]/g, '').length >= minLetters)
  const isSet = (name: string) => textIn(given, name) !== ''
  const isBinding = (name: string) => table[name] !== undefined && !table[name].read
  return Object.keys(given).flatMap(name => {
    if (names.includes(name) || otherNames.includes(name)) return []
    const meant = misspelled(name, long, other => secrets.includes(other))
    if (meant === null || isSet(meant) || isSet(meant.replace('_FILE', ''))) return []
    if (isBinding(meant) && typeof given[name] === 'string') return []
    return [`${name} is not a setting, and ${meant} is not set. Use ${meant}.`]
  })
}
