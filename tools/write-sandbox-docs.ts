import type { Entry, Source } from '../sandbox/http/ledger.ts'
import { startSandbox } from '../sandbox/sandbox.ts'
import { markdownTable, writeGenerated } from './generated.ts'

/** Writes docs/development/sandbox.md from the ledger. */

const target = 'docs/development/sandbox.md'

const sandbox = await startSandbox({ entra: { redirectUris: [] }, github: true })
const areas = sandbox.ledger
await sandbox.close()
const ledger: Readonly<Record<string, Entry>> = Object.assign({}, ...areas.map(({ entries }) => entries))
const unknown = areas.flatMap(area => area.unknown ?? [])

const sources: readonly (readonly [Source, string])[] = [
  ['documented', 'by the service or a standard'],
  ['observed', 'by others at the real service; the reference names the report and, if known, its date'],
  ['tried', 'by this project, with real clients on loopback'],
  ['assumed', 'because no source says; do not rely on it'],
]

const countOf = (entries: Readonly<Record<string, Entry>>, source: Source): string =>
  String(Object.values(entries).filter(entry => entry.source === source).length)

const countsOf = (title: string, entries: Readonly<Record<string, Entry>>): readonly string[] => [
  title,
  ...sources.map(([source]) => countOf(entries, source)),
  String(Object.keys(entries).length),
]

const counts = (): string =>
  markdownTable(
    ['area', ...sources.map(([source]) => source), 'total'],
    [...areas.map(({ title, entries }) => countsOf(title, entries)), countsOf('**total**', ledger)],
  )

const area = (title: string, entries: Readonly<Record<string, Entry>>): string =>
  `### ${title}\n\n${markdownTable(
    ['entry', 'behaviour', 'source', 'reference'],
    Object.entries(entries).map(([id, { what, source, where }]) => [`\`${id}\``, what, source, where]),
  )}`

const meanwhile = (id: string): string => ` (\`${id}\`)`

const text = (): string => `<!-- Written by \`npm run format\` from the ledgers in sandbox/. Do not edit. -->

# Sandbox behaviour and its sources

The sandbox emulates a DNS service, Microsoft Entra's login and Graph, and part of GitHub's API, all offline. Nothing in it
was compared with the real services, so each behaviour has a ledger entry with a source. For each request, \`GET /journal\`
lists the entries that its response relies on (\`ledger\`), and the tests reach every entry.

${sources.map(([source, meaning]) => `- **${source}** ${meaning}`).join('\n')}

## Entries by source

${counts()}

## Open questions

No source answers these. The entry in brackets says what the sandbox does instead; do not rely on it.

${unknown.map(({ question, meanwhile: id }) => `- ${question}${id === undefined ? '' : meanwhile(id)}`).join('\n')}

## All behaviours

${areas.map(({ title, entries }) => area(title, entries)).join('\n\n')}
`

writeGenerated(target, text())
