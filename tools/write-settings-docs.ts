import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type OwnKey, ownKeys } from '../infra/settings/own-keys.ts'
import { clients } from '../push/clients.ts'
import { type Row as PushRow, rows as pushRows } from '../push/settings.ts'
import { prose } from '../src/settings/prose.ts'
import { isRequired, rows, type SettingName, type SettingRow } from '../src/settings/table.ts'
import { root } from './bundle.ts'
import { markdownTable, replaceRegions, writeGenerated } from './generated.ts'
import { pushProse } from './push-prose.ts'

/** Writes the tables of the settings of the handler and the push endpoint, and of the Pulumi program's keys. */

const code = (name: string): string => `\`${name}\``

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
  prose[name].meaning.replaceAll('](sign-in.md#', '](#'),
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

write('docs/sign-in.md', {
  settings: markdownTable(['setting', 'default', 'entry', 'meaning'], settings),
})
write('docs/infrastructure.md', {
  'own keys': markdownTable(['key', 'default', 'part', 'meaning'], programKeys),
  'handler keys': markdownTable(['key', 'default', 'setting', 'meaning'], handlerKeys),
})

function pushDefault({ default: standard = '', fix, secret }: PushRow): string {
  if (fix !== undefined) return secret ? 'required, secret' : 'required'
  return standard === '' ? (secret ? '–, secret' : '–') : code(standard)
}

const account = { endpoint: 'ENDPOINT', hostnames: ['home.example.com'], password: 'PASSWORD' }
const routers = clients.map(
  ({ name, source, lines }) =>
    `### ${name}\n\n\`\`\`text\n${lines(account).join('\n')}\n\`\`\`\n\nSource: ${source}.`,
)

write('docs/push.md', {
  'push settings': markdownTable(
    ['setting', 'default', 'entry', 'meaning'],
    pushRows.map(([name, row]) => [
      code(name),
      pushDefault(row),
      row.only ? 'Node' : 'both',
      pushProse[name],
    ]),
  ),
  'push clients': routers.join('\n\n'),
})
