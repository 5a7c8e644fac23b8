import { canonicalHostname } from '../../lib/hostname.ts'
import { misspelled } from '../../lib/near-names.ts'
import { quote } from '../../lib/quote.ts'
import { tokenLink } from '../records/record.ts'
import { maxSecretBytes } from './services.ts'
import { type InputName, inputNames, secretInputs } from './table.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** Returns whether this is a step of a GitHub job. If not, it is a plain command. */
export function isAction(env: Environment): boolean {
  return env['GITHUB_ACTIONS'] === 'true'
}

/** What a run was given, before anything is checked. */
export interface Given {
  /** The texts of inputs by name, and that of `--watch`. */
  readonly texts: Readonly<Record<string, string | null | undefined>>
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
}

/** Reads `INPUT_*`, as the runner sets them. The runner only warns about a name that action.yml does not declare. */
export function actionInputs(env: Environment): Given {
  const variableOf = (name: InputName) => `INPUT_${name.toUpperCase()}`
  const known = new Set(inputNames.map(variableOf))
  const unknown = Object.keys(env).filter(variable => variable.startsWith('INPUT_') && !known.has(variable))
  return {
    texts: Object.fromEntries(inputNames.map(name => [name, env[variableOf(name)]])),
    tokenFile: null,
    warnings: [],
    nameOf: name => name,
    tokenHint:
      'Pass the secret that holds the token. Runs for forks and Dependabot get no secrets, and the job needs ' +
      '"environment:" to get the secret of an environment. ' +
      `To create one, open ${tokenLink} and select this zone only.`,
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

/** Describes an unknown name, and suggests the known name that it resembles, or `where` to find the names. */
export function unknownName(name: string, what: string, known: readonly string[], where: string): string {
  const nearest = misspelled(name, known)
  const advice = nearest === null ? `Remove it, or see ${where} for the names.` : `Did you mean ${nearest}?`
  return `${quote(name)} is not ${what}. ${advice}`
}

/** What must be masked before anything else happens. */
export type GivenSecrets = ReturnType<typeof givenSecrets>

/** Returns the secrets as given. One that is too long is empty: the run is refused, and no message shows it. */
export function givenSecrets({ texts }: Given) {
  const [token = '', ...urls] = secretInputs
    .map(name => texts[name]?.trim() ?? '')
    .map(text => (text.length > maxSecretBytes ? '' : secretParts(text)))
  const words = texts['hostname']?.split(/\s+/) ?? []
  const names = words.flatMap(word => canonicalHostname(word) ?? [])
  return {
    /** Several are separated by white space. */
    token,
    /** The secret parts of `heartbeat-url` and `notify-url`, one per line. */
    urls: urls.join('\n'),
    /** Words of a URL that are not secret. In the token they stay masked, since somebody can paste it into `hostname`. */
    shown: ['homeport', ...secretInputs, ...names],
  }
}

/** Shorter parts of a URL are too common to redact. */
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
