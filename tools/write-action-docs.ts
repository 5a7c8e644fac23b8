import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { catalogue } from '../action/report/catalogue.ts'
import { root } from './bundle.ts'
import { markdownTable, replaceRegions, writeGenerated } from './generated.ts'

/** Writes the tables of docs/action.md. The text around them is written by hand. */

interface Metadata {
  readonly inputs: Readonly<Record<string, { description: string; required: boolean; default?: string }>>
  readonly outputs: Readonly<Record<string, { description: string }>>
}

const target = 'docs/action.md'
const metadata: Metadata = parse(readFileSync(join(root, 'action.yml'), 'utf8'))

const code = (name: string): string => `\`${name}\``

const inputs = Object.entries(metadata.inputs).map(([name, { description, required, default: value }]) => [
  code(name),
  required ? 'required' : value === undefined ? '–' : code(value),
  description,
])

const outputs = Object.entries(metadata.outputs).map(([name, { description }]) => [code(name), description])

const reasons = Object.entries(catalogue).map(([reason, { meaning, fix }]) => [code(reason), meaning, fix])

writeGenerated(
  target,
  replaceRegions(readFileSync(join(root, target), 'utf8'), {
    inputs: markdownTable(['input', 'default', 'meaning'], inputs),
    outputs: markdownTable(['output', 'meaning'], outputs),
    reasons: markdownTable(['`reason`', 'what it means', 'what to do'], reasons),
  }),
)
