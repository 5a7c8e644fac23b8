import { canonicalHostname } from '../../lib/hostname.ts'
import { nearestName } from '../../lib/near-names.ts'
import { quote } from '../../lib/quote.ts'
import type { FullReading, Reading } from '../../lib/reading.ts'
import { redactTokenShapes } from '../../lib/redact.ts'
import { boolean } from '../../lib/settings/readers.ts'
import { tokenLink } from '../records/record.ts'
import { setting } from '../text/setting.ts'
import { type InputName, inputNames, inputs, secretInputs } from './table.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** Tokens and the URLs of monitors are far shorter. Masking something longer takes seconds, and it is another thing. */
export const maxSecretBytes = 8 * 1024

/** Returns whether this is a step of a GitHub job. If not, it is a plain command. */
export function isAction(env: Environment): boolean {
  return env['GITHUB_ACTIONS'] === 'true'
}

/** What a run was given, before anything is checked. */
export interface Given {
  /** Returns the text given for an input, or null. */
  text(name: InputName): string | null
  /** What is wrong with the names of inputs, or with the way they were given. */
  readonly problems: readonly string[]
  /** What to say about a run that was given enough. Safe to print. */
  readonly warnings: readonly string[]
  /** What to do about a missing token; null if another problem says why there is none. */
  readonly tokenHint: string | null
  /** Returns the flag or variable of an input in messages, or its name. */
  nameOf(name: string): string
  /** Where the token was read from; null if it was given as text. */
  readonly tokenFile: string | null
  /** How often to check until the process is asked to stop; null for once. Only the command watches. */
  readonly watch: string | null
}

/**
 * Reads the inputs of one run as text. A function that finds a wrong value adds a problem and returns a placeholder.
 * The placeholder is never used: a run with problems ends before it starts.
 */
export interface Reader {
  /** Returns the trimmed text, or the input's default when it was left out or is blank. */
  text(name: InputName): string
  /** Returns the trimmed items of a list, without empty ones. Lines or commas separate them. */
  lines(name: InputName): readonly string[]
  /** Adds a problem. The message continues the sentence that starts with the input's name. */
  addProblem(input: string, message: string): void
}

/** Reads `INPUT_*`, as the runner sets them. The runner only warns about a name that action.yml does not declare. */
export function actionInputs(env: Environment): Given {
  const variableOf = (name: InputName) => `INPUT_${name.toUpperCase()}`
  const known = new Set(inputNames.map(variableOf))
  const unknown = Object.keys(env).filter(variable => variable.startsWith('INPUT_') && !known.has(variable))
  return {
    watch: null,
    tokenFile: null,
    warnings: [],
    nameOf: name => name,
    tokenHint:
      'Pass the secret that holds the token. Runs for forks and Dependabot get no secrets, and the job needs ' +
      '"environment:" to get the secret of an environment. ' +
      `To create one, open ${tokenLink} and select this zone only.`,
    text: name => env[variableOf(name)] ?? null,
    problems: unknown.map(variable =>
      unknownName(
        variable.slice('INPUT_'.length).toLowerCase(),
        'an input of this action',
        inputNames,
        'docs/inputs.md',
      ),
    ),
  }
}

/**
 * Creates a reader that adds what it finds wrong to `problems`. A problem shows what was given, but nothing shaped like a
 * token: two inputs are easily mixed up.
 */
export function createReader(given: Given, problems: string[]): Reader {
  const text = (name: InputName) => (given.text(name) ?? '').trim() || inputs[name].default
  return {
    text,
    lines: name =>
      text(name)
        .split(/[\n,]/)
        .map(line => line.trim())
        .filter(line => line !== ''),
    addProblem: (input, message) => void problems.push(redactTokenShapes(`${setting(input)} ${message}`)),
  }
}

/**
 * Reads the items of a list. What `parse` finds wrong with one is a problem of the input, and so are two with the same key,
 * and more than `max`, of which none is read.
 */
export function readItems<Item>(
  read: Reader,
  name: InputName,
  parse: (line: string) => Reading<Item>,
  keyOf?: (item: Item) => string,
  max: number = Number.POSITIVE_INFINITY,
  lines: readonly string[] = read.lines(name),
): readonly Item[] {
  if (lines.length > max) {
    read.addProblem(name, `lists ${lines.length} entries. The limit is ${max}.`)
    return []
  }
  const seen = new Set<string>()
  return lines.flatMap(line => {
    const item = parse(line)
    if ('problem' in item) {
      read.addProblem(name, item.problem)
      return []
    }
    const key = keyOf?.(item.value)
    if (key !== undefined && seen.has(key)) read.addProblem(name, `lists ${key} twice. Remove one of them.`)
    if (key !== undefined) seen.add(key)
    return item.value
  })
}

/** Reads an input with a reader that rooms share. Returns the placeholder after it has added what is wrong. */
export function readInput<Value>(
  read: Reader,
  name: InputName,
  reader: (text: string, earlier: unknown) => FullReading<Value>,
  placeholder: Value,
  text: string = read.text(name),
): Value {
  const reading = reader(text, undefined)
  if ('value' in reading) return reading.value
  for (const problem of reading.problems) read.addProblem(name, problem)
  return placeholder
}

/** Reads `true` or `false`, in any case. */
export function readBoolean(read: Reader, name: InputName): boolean {
  return readInput(read, name, boolean, false)
}

/** Describes an unknown name, and suggests the known name that it resembles most if one is close, or `where` to find the names. */
export function unknownName(name: string, what: string, known: readonly string[], where: string): string {
  const nearest = nearestName(name, known)
  const advice = nearest === null ? `Remove it, or see ${where} for the names.` : `Did you mean ${nearest}?`
  return `${quote(name)} is not ${what}. ${advice}`
}

/** What must be masked before anything else happens. */
export type GivenSecrets = ReturnType<typeof givenSecrets>

/** Returns the secrets as given. One that is too long is empty: the run is refused, and no message shows it. */
export function givenSecrets(given: Given) {
  const [token = '', ...urls] = secretInputs
    .map(name => given.text(name)?.trim() ?? '')
    .map(text => (text.length > maxSecretBytes ? '' : secretParts(text)))
  const words = given.text('hostname')?.split(/\s+/) ?? []
  const names = words.flatMap(word => canonicalHostname(word) ?? [])
  return {
    /** Several are separated by white space. */
    token,
    /** The secret parts of `heartbeat-url` and `notify-url`, one per line. */
    urls: urls.join('\n'),
    /** What is no secret, although a URL contains it. In the token it stays masked: somebody can paste that into hostname. */
    shown: ['homeport', ...secretInputs, ...names],
  }
}

/** Shorter parts of a URL occur in any text. */
const minPartCharacters = 8

/**
 * Returns what is secret in a URL, one per line: its path and query together, and alone the last part of its path and the values of
 * its query. Any other text is returned whole. A masked scheme or host would redact other URLs too.
 */
function secretParts(text: string): string {
  const url = /^https?:/i.test(text) && URL.canParse(text) ? new URL(text) : null
  if (!url) return text
  const { pathname, search, searchParams } = url
  const written = [/[^/]+(?=\/*$)/.exec(pathname)?.[0] ?? '', ...search.split(/[?&](?:[^&=]*=)?/)]
  const parts = [...written, ...searchParams.values()].filter(part => part.length >= minPartCharacters)
  return [pathname === '/' && search === '' ? '' : pathname + search, ...new Set(parts)].join('\n')
}
