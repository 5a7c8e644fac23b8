import { quote } from '../report/quote.ts'

/** Describes an unknown name, and suggests the known name that it resembles most if one is close. */
export function unknownName(name: string, what: string, known: readonly string[]): string {
  const nearest = nearestName(name, known)
  const advice =
    nearest === null ? 'Remove it, or see docs/action.md for the names.' : `Did you mean ${nearest}?`
  return `${quote(name)} is not ${what}. ${advice}`
}

/** Returns the known name that takes the fewest edits, or null if they would change more than half of the name. */
export function nearestName(name: string, known: readonly string[]): string | null {
  const plain = name.toLowerCase().replaceAll('_', '-').slice(0, maxNameCharacters)
  const ranked = known
    .map(candidate => ({ candidate, edits: countEdits(plain, candidate) }))
    .toSorted((one, other) => one.edits - other.edits)
  const [best] = ranked
  return best && best.edits * 2 <= plain.length ? best.candidate : null
}

/** No input has a name near this long. */
const maxNameCharacters = 64

/** Counts the characters to insert, remove or replace to get from one text to the other (Levenshtein distance). */
function countEdits(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let at = 1; at <= from.length; at++) {
    const next = [at]
    for (let index = 1; index <= to.length; index++) {
      const replaced = (row[index - 1] ?? 0) + (from[at - 1] === to[index - 1] ? 0 : 1)
      next.push(Math.min((row[index] ?? 0) + 1, (next[index - 1] ?? 0) + 1, replaced))
    }
    row = next
  }
  return row[to.length] ?? 0
}
