import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { inputNames, inputs as inputRows } from '../action/inputs/table.ts'
import { keys, type OwnKey, ownKeys } from '../infra/settings/keys.ts'
import { camelName, type Row, rowsOf } from '../lib/settings/table.ts'
import { rows as pushRows } from '../push/settings.ts'
import { nodeTable } from '../src/node/settings.ts'
import { rows, type SettingRow } from '../src/settings/table.ts'
import { root } from './bundle.ts'
import { markdownTable, replaceRegions, writeGenerated } from './generated.ts'

/**
 * Writes action.yml's inputs, and the tables of pages that come from it, the settings of the push endpoint and the sign-in handler, and the
 * keys of the Pulumi program. With --check, writes nothing and names the pages that are out of date.
 */

const actionFile = readFileSync(join(root, 'action.yml'), 'utf8')
const metadata: { readonly outputs: Readonly<Record<string, { description: string }>> } = parse(actionFile)

const code = (name: string): string => `\`${name}\``

/** Returns the text of the comment of a row of a table, on one line. */
function commentOf(path: string, name: string): string {
  const source = readFileSync(join(root, path), 'utf8')
  const row = new RegExp(`/\\*\\*((?:(?!\\*/)[^])*)\\*/\\s+(?://.*\\s+)*'?${name}'?: \\{`)
  const comment = row.exec(source)?.[1]
  if (!comment) throw new Error(`${path} has no comment for ${name}.`)
  return comment.replaceAll(/\s+(?:\* )?/g, ' ').trim()
}

const inputs = inputNames.map(name => ({
  name,
  ...inputRows[name],
  meaning: commentOf('action/inputs/table.ts', name),
}))

/** Returns words as lines of YAML, the longest of which has 120 characters. */
const folded = (text: string) => text.match(/(?! ).{1,114}(?= |$)/g)?.map(line => `      ${line}`) ?? []

const declared = inputs.flatMap(({ name, meaning, required = false, default: value = '' }) => [
  `  ${name}:`,
  '    description: >-',
  ...folded(meaning),
  `    required: ${required}`,
  ...(value === '' ? [] : [`    default: ${/^(\d+|true|false)$/.test(value) ? `'${value}'` : value}`]),
])
writeGenerated(
  'action.yml',
  actionFile.replace(/(?<=^inputs:\n)[\s\S]*?(?=\noutputs:)/m, () => `${declared.join('\n')}\n`),
)

const inputCells = inputs.map(({ name, meaning, required, default: value = '' }) => [
  code(name),
  required ? 'required' : value === '' ? '–' : code(value),
  meaning,
])

const outputs = Object.entries(metadata.outputs).map(([name, { description }]) => [code(name), description])

/** Returns the cells of a setting's name, default and meaning, from its row in a file. */
function cellsOf(path: string, name: string, row: Row) {
  const [meaning = '', standard = '–'] = commentOf(path, name).split(' @default ')
  const text = row.default === undefined ? standard : code(row.default)
  const required = row.secret ? 'required, secret' : 'required'
  return { name: code(name), standard: row.fix === undefined ? text : required, meaning }
}

type SettingEntry = readonly [name: string, row: SettingRow, path: string]

const entries = { node: 'Node', worker: 'Worker' } as const

const settings = [
  ...rows.map(([name, row]): SettingEntry => [name, row, 'src/settings/table.ts']),
  ...rowsOf(nodeTable).map(
    ([name, row]): SettingEntry => [name, { ...row, only: 'node' }, 'src/node/settings.ts'],
  ),
].map(([name, row, path]) => {
  const { name: shown, standard, meaning } = cellsOf(path, name, row)
  const key = row.key && code(camelName(name)) + (row.keyDefault ? ` (default ${code(row.keyDefault)})` : '')
  const entry = row.only ? entries[row.only] : 'both'
  return [shown, standard, entry, key ?? '–', meaning.replaceAll('](sign-in-reference.md#', '](#')]
})

const pushSettings = pushRows.map(([name, row]) => {
  const { name: shown, standard, meaning } = cellsOf('push/settings.ts', name, row)
  const isOptionalSecret = row.secret && row.fix === undefined
  return [
    shown,
    isOptionalSecret ? `${standard}, secret` : standard,
    row.only ? entries[row.only] : 'both',
    meaning,
  ]
})

const partNames = { record: 'record', signIn: 'sign-in', worker: 'Worker', push: 'push' } as const

/** Returns the cell of the parts that use a key. */
function partsOf(row: (typeof ownKeys)[OwnKey]): string {
  return 'parts' in row ? row.parts.map(part => partNames[part]).join(', ') : 'all'
}

const programKeys = (Object.keys(ownKeys) as OwnKey[]).map(key => {
  const { isRequired, ...row } = keys[key]
  const place = 'infra/settings/keys.ts'
  const { name, standard, meaning } = cellsOf(place, key, isRequired ? { ...row, fix: '' } : row)
  return [name, standard, partsOf(ownKeys[key]), meaning]
})

function write(target: string, regions: Readonly<Record<string, string>>): void {
  writeGenerated(target, replaceRegions(readFileSync(join(root, target), 'utf8'), regions))
}

write('docs/inputs.md', {
  inputs: markdownTable(['input', 'default', 'meaning'], inputCells),
  outputs: markdownTable(['output', 'meaning'], outputs),
})
write('docs/router-reference.md', {
  settings: markdownTable(['setting', 'default', 'entry', 'meaning'], pushSettings),
})
write('docs/sign-in-reference.md', {
  settings: markdownTable(['setting', 'default', 'entry', 'key of a stack', 'meaning'], settings),
})
write('docs/stack.md', {
  'own keys': markdownTable(['key', 'default', 'part', 'meaning'], programKeys),
})
