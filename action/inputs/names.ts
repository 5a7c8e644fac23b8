import { nearestName } from '../../lib/near-names.ts'
import { quote } from '../text/quote.ts'

/** Describes an unknown name, and suggests the known name that it resembles most if one is close. */
export function unknownName(name: string, what: string, known: readonly string[]): string {
  const nearest = nearestName(name, known)
  const advice =
    nearest === null ? 'Remove it, or see docs/inputs.md for the names.' : `Did you mean ${nearest}?`
  return `${quote(name)} is not ${what}. ${advice}`
}
