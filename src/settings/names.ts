import { misspelledSettings } from '../../lib/near-names.ts'
import { type Environment, rows, type SettingRow } from './table.ts'

/** Settings that hold a secret. On Node each can be in a file, which NAME_FILE names. */
export const secretNames = rows.flatMap(([name, { secret }]) => (secret ? [name] : []))

/** Settings that name files, which only Node has. */
export const fileNames: readonly string[] = [
  ...secretNames.map(name => `${name}_FILE`),
  ...rows.flatMap(([name, { only }]) => (only === 'file' ? [name] : [])),
]

/**
 * Returns a problem for each name that is almost one of ours, while ours is missing. Advises nobody to use another secret. A
 * text is no binding.
 */
export function misspelledNames(env: Environment): readonly string[] {
  const table = new Map<string, SettingRow>(rows)
  const found = misspelledSettings(Object.keys(env), {
    names: [...table.keys(), ...fileNames],
    isSet: name => String(env[name] ?? '').trim() !== '',
    isSecret: name => table.get(name)?.secret === true,
  })
  return found
    .filter(({ name, meant }) => table.get(meant)?.only !== 'worker' || typeof env[name] !== 'string')
    .map(({ name, meant }) => `${name} is not a setting, and ${meant} is not set. Use ${meant}.`)
}
