import { readArguments } from './usage.ts'

readArguments(
  `Usage: npm run docs [-- --check]

Writes the generated pages of docs/ and the generated tables of the others. With --check, writes nothing, and names those that
are out of date.
`,
  ['--check'],
)
await import('./write-action-docs.ts')
await import('./write-asvs.ts')
await import('./write-picture.ts')
await import('./write-sandbox-docs.ts')
await import('./write-settings-docs.ts')
