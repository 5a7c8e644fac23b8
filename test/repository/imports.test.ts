import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Which rooms a room may import from, itself apart. A stand-in shares no code with what it judges, so `action`, `src`
 * and `sandbox` know nothing of one another. `infra` may use one module of `src`, the one with the redirect path.
 */
const allowed: Readonly<Record<string, readonly string[]>> = {
  action: [],
  src: [],
  sandbox: [],
  infra: [],
  tools: [],
  demo: ['action', 'infra', 'sandbox', 'src', 'tools'],
  bench: ['action', 'infra', 'sandbox', 'src', 'tools', 'demo'],
  test: ['action', 'infra', 'sandbox', 'src', 'tools', 'demo', 'bench'],
}
const exceptions = [
  'infra -> src/routes.ts',
  'infra -> src/settings/problems.ts',
  'infra -> src/settings/redirect-uri.ts',
  'infra -> src/settings/service-url.ts',
  // The document of the sandbox is written from its ledger.
  'tools -> sandbox/ledger.ts',
  'tools -> sandbox/http/ledger-entry.ts',
  'tools -> sandbox/cloudflare/ledger/unknown.ts',
  // The figures of the engine are taken on the stage of its tests.
  'bench -> test/engine/support/stack.ts',
]

interface Import {
  readonly from: string
  readonly to: string
}

/** Every import of a module of this repository, static or dynamic, with both paths from the root. */
function localImports(file: string, text: string): readonly Import[] {
  return ts
    .preProcessFile(text, true, true)
    .importedFiles.filter(({ fileName }) => fileName.startsWith('.'))
    .map(({ fileName }) => ({ from: file, to: relative(root, resolve(root, dirname(file), fileName)) }))
}

function breaksRule({ from, to }: Import): boolean {
  const [room = '', target = ''] = [from.split('/')[0], to.split('/')[0]]
  if (!(room in allowed) || room === target) return false
  return !allowed[room]?.includes(target) && !exceptions.includes(`${room} -> ${to}`)
}

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.ts'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter(file => file !== '' && !file.endsWith('.d.ts') && existsSync(join(root, file)))

describe('imports between rooms', () => {
  it('point one way', () => {
    const imports = files.flatMap(file => localImports(file, readFileSync(join(root, file), 'utf8')))
    expect(imports.length).toBeGreaterThan(50)
    expect(imports.filter(breaksRule)).toEqual([])
  })

  it('are caught when they do not', () => {
    const planted = localImports(
      'sandbox/planted.ts',
      "import { a } from '../action/report/quote.ts'\nexport * from '../src/app.ts'\nconst b = await import('../infra/index.ts')\n",
    )
    expect(planted.filter(breaksRule).map(({ to }) => to)).toEqual([
      'action/report/quote.ts',
      'src/app.ts',
      'infra/index.ts',
    ])
    expect(localImports('infra/a.ts', "import '../src/routes.ts'").filter(breaksRule)).toEqual([])
    expect(localImports('infra/a.ts', "import '../src/app.ts'").filter(breaksRule)).toHaveLength(1)
  })

  it('use the name of the file, so that Node can run the source as it is', () => {
    const imports = files.flatMap(file => localImports(file, readFileSync(join(root, file), 'utf8')))
    expect(imports.filter(({ to }) => !existsSync(join(root, to)))).toEqual([])
  })
})
