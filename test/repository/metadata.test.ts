import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { validate } from '@actions/languageservice'
import { clearCache } from '@actions/languageservice/utils/workflow-cache'
import { describe, expect, it } from 'vitest'
import { TextDocument } from 'vscode-languageserver-textdocument'
import { parse } from 'yaml'
import { reasons } from '../../action/problem.ts'
import { outputsOf } from '../../action/report/outputs.ts'
import { withoutRound } from '../../action/result.ts'
import { root } from '../../tools/bundle.ts'
import { metadata } from '../support/runner.ts'

const read = (path: string) => readFileSync(join(root, path), 'utf8')

interface Workflow {
  readonly permissions: unknown
  readonly jobs: Readonly<Record<string, Job>>
}

interface Job {
  readonly 'timeout-minutes': number
  readonly steps: readonly { readonly uses?: string; readonly run?: string; readonly with?: object }[]
}

/** The workflows of this repository, and those that users copy. */
const files = ['.github/workflows', 'docs/workflows'].flatMap(folder =>
  readdirSync(join(root, folder)).map(name => `${folder}/${name}`),
)

/** Their texts, with those of pages. */
const workflows = [
  ...files.map(path => [path, read(path)] as const),
  ...['README.md', 'action/README.md'].map(
    page => [page, /```yaml\n(on:[\s\S]*?)```/.exec(read(page))?.[1] ?? ''] as const,
  ),
]

/**
 * Returns the problems that GitHub's own language service finds in a file. It gets our action.yml for Homeport's repositories,
 * and checks the inputs of no other action.
 */
async function problemsIn(path: string, text: string): Promise<readonly string[]> {
  clearCache() // Otherwise it answers for the first text it saw under this path.
  const document = TextDocument.create(`file:///repository/${path}`, 'yaml', 1, text)
  const found = await validate(document, {
    actionsMetadataProvider: {
      fetchActionMetadata: async ({ name }) =>
        name.startsWith('homeport') ? parse(read('action.yml')) : { name, description: '' },
    },
  })
  return found.map(({ message }) => (typeof message === 'string' ? message : message.value))
}

describe('action.yml', () => {
  it("is valid under GitHub's own language service", async () => {
    expect(await problemsIn('action.yml', read('action.yml'))).toEqual([])
  })

  it('declares exactly the outputs that the code sets', () => {
    const outputs = outputsOf(withoutRound({ reason: 'unexpected', message: '' }))
    expect(new Set(Object.keys(outputs))).toEqual(new Set(Object.keys(metadata.outputs)))
  })

  it('has a row in docs/inputs.md for every reason', () => {
    const [, section = ''] = read('docs/inputs.md').split('\n## When a run is red\n')
    const rows = section.split('\n## ')[0]?.matchAll(/^\| `([a-z-]+)` \| .+ \| .+ \|$/gm) ?? []
    expect([...rows].map(([, reason]) => reason).filter(reason => reason !== 'reason')).toEqual(reasons)
  })
})

describe('the workflows', () => {
  it.each(workflows)(
    "%s is valid under GitHub's own language service, also in another repository",
    async (_, text) => {
      const copy = text.replace('uses: $/', 'uses: owner/homeport@v1.0.0')
      // The language service knows a workflow by its folder.
      expect(await problemsIn('.github/workflows/copy.yml', copy)).toEqual([])
    },
  )

  it.each(workflows.slice(files.length))('%s grants nothing, and runs where the address is', (_, text) => {
    const { permissions, jobs } = parse(text)
    expect([permissions, jobs.dns['runs-on']]).toEqual([{}, 'self-hosted'])
  })

  it.each(files)('%s grants nothing by default, has timeouts, and keeps no credential', path => {
    const { permissions, jobs } = parse(read(path)) as Workflow
    expect(permissions).toEqual({})
    for (const { 'timeout-minutes': minutes, steps } of Object.values(jobs)) {
      expect(minutes).toBeGreaterThan(0)
      for (const { uses = '', run = '', with: inputs } of steps) {
        if (uses.startsWith('actions/checkout@'))
          expect(inputs).toMatchObject({ 'persist-credentials': false })
        expect(run, 'an expression in a command').not.toContain('${{')
      }
    }
    for (const [line, target = ''] of read(path).matchAll(/^ *(?:- )?uses: (\S+).*$/gm))
      if (target !== '$/') expect(line).toMatch(/@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
  })

  it('include an example that starts when asked, uses the names the infrastructure sets, and never cancels a write', () => {
    const text = read('.github/workflows/reconcile.yml')
    expect(text).toContain('\n  cancel-in-progress: false\n')
    expect(text).toContain('\n      name: dns\n')
    expect(parse(text).jobs.reconcile).toMatchObject({
      if: "vars.HOMEPORT_RECONCILE == 'true'",
      'runs-on': 'self-hosted',
    })
    expect(text.match(/(?<=\{\{ )(vars|secrets|inputs)\.\w+/g)).toEqual([
      'secrets.CLOUDFLARE_DNS_TOKEN',
      'vars.HOMEPORT_ZONE_ID',
      'vars.HOMEPORT_HOSTNAME',
      'vars.HOMEPORT_RECORD_TYPE',
      'inputs.address',
    ])
  })
})

it('the pages accept an attestation only of the workflow that releases, at a tag that starts it', () => {
  const pages = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.md'))
    .map(name => read(`docs/${name}`).replaceAll('\\\n', ''))
  const commands = [read('README.md'), ...pages].flatMap(
    text => text.match(/^gh attestation verify .*$/gm) ?? [],
  )
  expect(commands).not.toEqual([])
  for (const command of commands) {
    const [, workflow = ''] = /--signer-workflow OWNER\/homeport\/(\S+)/.exec(command) ?? []
    const { on } = parse(read(workflow))
    expect(on, command).toEqual({ push: { tags: ['v[0-9]+.[0-9]+.[0-9]+'] } })
    expect(command).toMatch(/ --source-ref refs\/tags\/v\d+\.\d+\.\d+( |$)/)
  }
})
