import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { type OwnKey, ownKeys } from '../infra/settings/keys.ts'
import { prose } from '../src/settings/prose.ts'
import { isRequired, rows, type SettingName, type SettingRow } from '../src/settings/table.ts'
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

/** Returns the cell of a default, which is a text of the table, or words for a blank one. */
function standardOf(name: SettingName, row: SettingRow, text = row.default ?? ''): string {
  if (isRequired(row)) return row.secret ? 'required, secret' : 'required'
  return text === '' ? (prose[name].standard ?? '–') : code(text)
}

function placeOf({ only }: SettingRow): string {
  return only === 'worker' ? 'Worker' : only === undefined ? 'both' : 'Node'
}

const settings = rows.map(([name, row]) => [
  code(name),
  standardOf(name, row),
  placeOf(row),
  prose[name].meaning.replaceAll('](sign-in-reference.md#', '](#'),
])

const handlerKeys = rows.flatMap(([name, row]) =>
  row.key === undefined
    ? []
    : [
        [
          code(row.key),
          standardOf(name, row, row.keyDefault ?? row.default),
          code(name),
          prose[name].key ?? prose[name].meaning,
        ],
      ],
)

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
  settings: markdownTable(['setting', 'default', 'entry', 'meaning'], settings),
})
write('docs/infrastructure.md', {
  'own keys': markdownTable(['key', 'default', 'part', 'meaning'], programKeys),
  'handler keys': markdownTable(['key', 'default', 'setting', 'meaning'], handlerKeys),
})
