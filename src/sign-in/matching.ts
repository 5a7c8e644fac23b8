import type { Candidate, Employee } from '../employees/directory.ts'

/** A name as it is compared when spelling differs in case or composition only. */
export function foldName(name: string): string {
  return name.normalize('NFC').toLowerCase().normalize('NFC')
}

/** With more letters outside ASCII than this: all in lower case, all in upper case, and words with a capital. */
const maxVariedLetters = 4

/**
 * The texts a store has to look for, compared with what its lower() makes of a name. The very name is always among them,
 * as any lower() writes it: SQLite's knows ASCII only, and PostgreSQL's depends on the locale, which may go letter by
 * letter and gives the dotted capital I one letter. For names that only fold to the same, letters outside ASCII are given
 * in both cases, and the whole in both compositions; ASCII letters in lower case.
 */
export function lookupNames(username: string): readonly string[] {
  if (/^[\x21-\x7e]*$/.test(username)) return [username.toLowerCase()]
  const byLetter = Array.from(username, letter => letter.toLowerCase()).join('')
  const asWritten = username.replace(/[A-Z]/g, letter => letter.toLowerCase())
  const itself = [asWritten, byLetter, byLetter.replaceAll('i\u0307', 'i'), username.toLowerCase()]
  const folded = foldName(username)
  const letters = [...folded]
  const varied = letters.flatMap((letter, index) =>
    letter > '\x7f' && letter.toUpperCase() !== letter ? [index] : [],
  )
  const choices =
    varied.length <= maxVariedLetters
      ? Array.from({ length: 2 ** varied.length }, (_, choice) =>
          varied.filter((_, position) => choice & (1 << position)),
        )
      : [[], varied, varied.filter(index => !/\p{L}/u.test(letters[index - 1] ?? ''))]
  const spellings = choices.map(upper =>
    letters.map((letter, index) => (upper.includes(index) ? letter.toUpperCase() : letter)).join(''),
  )
  const both = [...itself, ...spellings].flatMap(name => [name.normalize('NFC'), name.normalize('NFD')])
  return [...new Set([...itself, ...both])]
}

export type Match =
  | { readonly kind: 'employee'; readonly employee: Employee; readonly mustBind: boolean }
  | {
      readonly kind: 'refused'
      readonly code:
        | 'not-in-system'
        | 'ambiguous-employee'
        | 'identity-changed'
        | 'binding-required'
        | 'inactive'
      /** Left out where no single employee is meant. */
      readonly employeeId?: string
    }

/** The asker, as far as matching needs to know them. */
export interface Asker {
  readonly directoryId: string
  readonly username: string
  /** Whether a first match by name may bind this directory id. */
  readonly bindsByName: boolean
}

/**
 * Which employee an asker is. By name: the exact one, else the only one after folding. Then by directory id: a pair
 * that was bound otherwise is refused, so that a renamed address takes nothing over (ASVS 5.0 10.5.2). Whether the
 * employee is active is said last, and so only to the person themselves.
 */
export function matchEmployee(asker: Asker, candidates: readonly Candidate[]): Match {
  const found = chooseByName(asker.username, candidates)
  if (found === 'none') return { kind: 'refused', code: 'not-in-system' }
  if (found === 'several') return { kind: 'refused', code: 'ambiguous-employee' }
  const refused = (code: 'identity-changed' | 'binding-required' | 'inactive'): Match => ({
    kind: 'refused',
    code,
    employeeId: found.id,
  })
  const { boundTo, askerBoundTo } = found
  if (boundTo !== null && boundTo !== asker.directoryId) return refused('identity-changed')
  if (askerBoundTo !== null && askerBoundTo !== found.id) return refused('identity-changed')
  const bound = boundTo !== null
  if (!bound && !asker.bindsByName) return refused('binding-required')
  if (!found.isActive) return refused('inactive')
  const { id, userName, isActive, isAdmin } = found
  return { kind: 'employee', employee: { id, userName, isActive, isAdmin }, mustBind: !bound }
}

function chooseByName(username: string, candidates: readonly Candidate[]): Candidate | 'none' | 'several' {
  const exact = candidates.filter(({ userName }) => userName === username)
  const folded = foldName(username)
  const alike = exact.length > 0 ? exact : candidates.filter(({ userName }) => foldName(userName) === folded)
  const [only] = alike
  if (!only) return 'none'
  return alike.length === 1 ? only : 'several'
}
