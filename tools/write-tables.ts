import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { type OwnKey, ownKeys } from '../infra/settings/keys.ts'
import { isRequired, rows, type SettingName } from '../src/settings/table.ts'
import { root } from './bundle.ts'
import { markdownTable, replaceRegions, writeGenerated } from './generated.ts'
import { readArguments } from './usage.ts'

/**
 * Writes the tables of pages that come from action.yml, the settings of the sign-in handler and the keys of the Pulumi
 * program. With --check, writes nothing and names the pages that are out of date.
 */

readArguments('Usage: node tools/write-tables.ts [--check]\n', ['--check'])

interface Metadata {
  readonly inputs: Readonly<Record<string, { description: string; required: boolean; default?: string }>>
  readonly outputs: Readonly<Record<string, { description: string }>>
}

const metadata: Metadata = parse(readFileSync(join(root, 'action.yml'), 'utf8'))

const code = (name: string): string => `\`${name}\``

const inputs = Object.entries(metadata.inputs).map(([name, { description, required, default: value }]) => [
  code(name),
  required ? 'required' : value === undefined ? '–' : code(value),
  description,
])

const outputs = Object.entries(metadata.outputs).map(([name, { description }]) => [code(name), description])

const tableSource = readFileSync(join(root, 'src/settings/table.ts'), 'utf8')

/** Returns what the comment of a row says: what the setting means, and what a missing one means. */
function proseOf(name: SettingName): readonly [string, string] {
  const comment = new RegExp(`/\\*\\*((?:(?!\\*/)[^])*)\\*/\\s+(?://.*\\s+)*${name}: \\{`).exec(
    tableSource,
  )?.[1]
  if (!comment) throw new Error(`src/settings/table.ts has no comment for ${name}.`)
  const text = comment.replaceAll(/\s+(?:\* )?/g, ' ').trim()
  const [meaning = '', standard = '–'] = text.split(' @default ')
  return [meaning, standard]
}

const settings = rows.map(([name, row]) => {
  const [meaning, standard] = proseOf(name)
  const text = row.default === undefined ? standard : code(row.default)
  return [
    code(name),
    isRequired(row) ? (row.secret ? 'required, secret' : 'required') : text,
    row.only === 'worker' ? 'Worker' : row.only === undefined ? 'both' : 'Node',
    row.key === undefined
      ? '–'
      : code(row.key) + (row.keyDefault ? ` (default ${code(row.keyDefault)})` : ''),
    meaning.replaceAll('](sign-in-reference.md#', '](#'),
  ]
})

function defaultOf(row: { readonly default: string | null; readonly secret?: true }): string {
  if (row.default === null) return row.secret ? 'required, secret' : 'required'
  return row.default === '' ? '–' : code(row.default)
}

const partNames = { record: 'record', signIn: 'sign-in', worker: 'Worker', push: 'push' } as const

/** Returns the cell of the parts that use a key. */
function partsOf(row: (typeof ownKeys)[OwnKey]): string {
  return 'parts' in row ? row.parts.map(part => partNames[part]).join(', ') : 'all'
}

const programKeys = Object.entries(ownKeys).map(([name, row]) => [
  code(name),
  defaultOf(row),
  partsOf(row),
  row.meaning,
])

function write(target: string, regions: Readonly<Record<string, string>>): void {
  writeGenerated(target, replaceRegions(readFileSync(join(root, target), 'utf8'), regions))
}

write('docs/inputs.md', {
  inputs: markdownTable(['input', 'default', 'meaning'], inputs),
  outputs: markdownTable(['output', 'meaning'], outputs),
})
write('docs/sign-in-reference.md', {
  settings: markdownTable(['setting', 'default', 'entry', 'key of a stack', 'meaning'], settings),
})
write('docs/infrastructure.md', {
  'own keys': markdownTable(['key', 'default', 'part', 'meaning'], programKeys),
})
