/**
 * Returns the name that a name was probably meant to be: it differs in a letter, or in two if it is long, besides its case, hyphens and
 * underscores. Null for a name that other programs may well use, and for one that names another secret if a secret is meant: nobody
 * is advised to pass that.
 */
export function misspelled<Name extends string>(
  name: string,
  known: readonly Name[],
  isSecret: (name: Name) => boolean = namesSecret,
): Name | null {
  const plain = plainOf(name.slice(0, maxNameCharacters))
  const maxEdits = plain.length < 8 ? 1 : 2
  const [nearest] = known
    .map(meant => ({ meant, edits: countEdits(plain, plainOf(meant)) }))
    .toSorted((one, other) => one.edits - other.edits)
  if (!nearest || nearest.edits > maxEdits) return null
  const isAnotherSecret = nearest.edits > 0 && isSecret(nearest.meant) && namesSecret(plain)
  return isAnotherSecret ? null : nearest.meant
}

/** Returns a name in lower case without hyphens and underscores, where `-ies` is `-y`, so that this plural, too, differs by one letter. */
function plainOf(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]/g, '').replace(/ies$/, 'y')
}

function namesSecret(name: string): boolean {
  return /token|secret|key|pass|credential/i.test(name)
}

/** No input or setting has a name near this long. */
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
