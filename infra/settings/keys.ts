import { isRequired, rows, type SettingName, type table } from '../../src/settings/table.ts'
import { type OwnKey, ownKeys, type Part } from './own-keys.ts'

type Table = typeof table
/** A key that becomes a setting of the handler. */
export type HandlerKey = {
  [Name in SettingName]: Table[Name] extends { readonly key: infer Key } ? Key : never
}[SettingName]
export type Key = OwnKey | HandlerKey

export const handlerRows = rows.flatMap(([name, row]) =>
  row.key ? [{ name, row, key: row.key as HandlerKey }] : [],
)

/** Every key with its default; null if the key is required, an empty string if it is optional. */
export const keys = {
  ...Object.fromEntries(Object.entries(ownKeys).map(([key, row]) => [key, row.default])),
  ...Object.fromEntries(
    handlerRows.map(({ row, key }) => [key, isRequired(row) ? null : (row.keyDefault ?? row.default ?? '')]),
  ),
} as Readonly<Record<Key, string | null>>

const isKey = (name: string): name is Key => Object.hasOwn(keys, name)

/** Returns the parts that use a key; null if every stack does. Settings of the handler belong to the sign-in. */
export function partsOf(key: Key): readonly Part[] | null {
  if (!Object.hasOwn(ownKeys, key)) return ['signIn']
  const row = ownKeys[key as OwnKey]
  return 'parts' in row ? row.parts : null
}

/** Keys whose values must be encrypted in the stack file. */
export const secretKeys: readonly Key[] = [
  ...handlerRows.flatMap(({ row, key }) => (row.secret ? [key] : [])),
  ...(Object.keys(ownKeys) as OwnKey[]).filter(key => 'secret' in ownKeys[key]),
]

/** Returns how to set a key. */
export function fixOf(key: Key): string {
  if (key === 'sessionKeys') return `Create one: npm run -s keys -- new | pulumi config set --secret ${key}`
  if (key === 'pushHosts')
    return `Create it: npm run push -- add HOSTNAME --hosts FILE, then pulumi config set --secret ${key} < FILE`
  if (key === 'mintingApiToken') return `Set it: pulumi config set --secret ${key}`
  return `Set it: pulumi config set --plaintext ${key} …`
}

/** Sorts names into keys, and problems with those that are none. */
export function sortNames(names: Iterable<string>): {
  readonly known: readonly Key[]
  readonly problems: readonly string[]
} {
  const all = [...names]
  return {
    known: all.filter(isKey),
    problems: all.flatMap(name =>
      isKey(name) ? [] : [`${name} is not a key of this program. ${suggest(name)}`],
    ),
  }
}

function suggest(name: string): string {
  const folded = name.toLowerCase()
  const meant = Object.keys(keys).find(key => key.toLowerCase() === folded)
  return `${meant ? `Did you mean ${meant}? ` : ''}Remove it: pulumi config rm ${name}`
}
