import { type Environment, rows, type SettingRow } from './table.ts'

/** Settings that hold a secret. On Node each can be in a file, which NAME_FILE names. */
export const secretNames = rows.flatMap(([name, { secret }]) => (secret ? [name] : []))

/** Settings that name files, which only Node has. */
export const fileNames: readonly string[] = [
  ...secretNames.map(name => `${name}_FILE`),
  ...rows.flatMap(([name, { only }]) => (only === 'file' ? [name] : [])),
]

/** Names of other programs that are almost one of ours. */
const otherNames = ['HTTP_PROXY']

/** A shorter name is too close to names that other programs use. */
const minLetters = 8
const maxDistance = 2

/** Words in the names of secrets, which can be those of another program. */
const ofSecret = /KEY|SECRET|TOKEN|PASS/i

/**
 * Returns a problem for each name that is almost one of ours, in either case, while ours is missing: a misspelled setting
 * would silently keep its default. Advises nobody to use another secret. A text is no binding.
 */
export function misspelledNames(env: Environment): readonly string[] {
  const ours = [...rows.map(([name]) => name), ...fileNames]
  // Many programs read these in lower case.
  const exact = [...ours, ...otherNames, 'https_proxy', 'http_proxy', 'no_proxy']
  const long = ours.filter(name => name.replace(/[^A-Z]/g, '').length >= minLetters)
  const isSet = (name: string) => String(env[name] ?? '').trim() !== ''
  return Object.keys(env)
    .filter(name => !exact.includes(name))
    .flatMap(name => {
      const meant = long.find(other => distance(name.toUpperCase(), other) <= maxDistance)
      if (meant === undefined || isSet(meant) || isSet(meant.replace('_FILE', ''))) return []
      const { only, secret }: SettingRow = new Map<string, SettingRow>(rows).get(meant) ?? {}
      if ((only === 'worker' && typeof env[name] === 'string') || (secret && ofSecret.test(name))) return []
      return [`${name} is not a setting, and ${meant} is not set. Use ${meant}.`]
    })
}

/** Returns how many characters must be added, dropped or changed (Levenshtein), or more than the limit. */
function distance(one: string, other: string): number {
  if (Math.abs(one.length - other.length) > maxDistance) return maxDistance + 1
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (const [index, character] of [...one].entries()) {
    const next = [index + 1]
    for (let column = 1; column <= other.length; column += 1) {
      const changed = (row[column - 1] ?? 0) + (character === other[column - 1] ? 0 : 1)
      next.push(Math.min(changed, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[other.length] ?? 0
}
