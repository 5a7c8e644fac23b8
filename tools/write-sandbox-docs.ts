import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Entry, Source } from '../sandbox/ledger/entry.ts'
import { unknown } from '../sandbox/ledger/unknown.ts'
import { areas, type LedgerId, ledger } from '../sandbox/ledger.ts'
import { root } from './bundle.ts'

/** Writes what the sandbox does and where that is known from; with --check only says whether the document is stale. */

const target = 'docs/sandbox.md'

const sources: readonly (readonly [Source, string])[] = [
  ['documented', 'by the service or by a standard'],
  ['observed', 'at the real service by others, with the thread and when'],
  ['tried', 'by this project, with real clients on loopback'],
  ['assumed', 'because nobody said: do not rely on it'],
]

const cell = (text: string): string => text.replaceAll('|', '\\|')

const row = (...cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`

const table = (head: readonly string[], rows: readonly string[]): string =>
  [row(...head), row(...head.map(() => '-')), ...rows].join('\n')

const countOf = (entries: Readonly<Record<string, Entry>>, source: Source): string =>
  String(Object.values(entries).filter(entry => entry.source === source).length)

const counts = (): string =>
  table(
    ['area', ...sources.map(([source]) => source), 'all'],
    [
      ...areas.map(({ title, entries }) =>
        row(
          title,
          ...sources.map(([source]) => countOf(entries, source)),
          String(Object.keys(entries).length),
        ),
      ),
      row(
        '**all**',
        ...sources.map(([source]) => countOf(ledger, source)),
        String(Object.keys(ledger).length),
      ),
    ],
  )

const area = (title: string, entries: Readonly<Record<string, Entry>>): string =>
  `### ${title}\n\n${table(
    ['behaviour', 'what', 'known', 'from'],
    Object.entries(entries).map(([id, { what, source, where }]) => row(`\`${id}\``, what, source, where)),
  )}`

const meanwhile = (id: LedgerId): string => ` Meanwhile: \`${id}\`.`

const text = (): string => `<!-- Written by \`npm run docs\` from sandbox/ledger. Do not edit. -->

# What the sandbox does, and how that is known

The sandbox stands in for a DNS service, offline. Nothing in it was tried against the real one. So that nobody takes
more from it than there is, every behaviour is an entry of a ledger, with its source; the journal of the sandbox names,
for each request, the entries that the answer rests on (\`ledger\` of \`GET /journal\`), and a test reaches every one.

${sources.map(([source, meaning]) => `- **${source}** ${meaning}`).join('\n')}

## How many

${counts()}

## Not known, and therefore not claimed

${unknown.map(({ question, meanwhile: id }) => `- ${question}${id === undefined ? '' : meanwhile(id)}`).join('\n')}

## Every behaviour

${areas.map(({ title, entries }) => area(title, entries)).join('\n\n')}
`

const path = join(root, target)
if (process.argv.includes('--check')) {
  const present = await readFile(path, 'utf8').catch(() => '')
  if (present !== text()) {
    process.stderr.write(`${target} is stale. Run \`npm run docs\` and commit the result.\n`)
    process.exitCode = 1
  }
} else {
  await writeFile(path, text())
}
