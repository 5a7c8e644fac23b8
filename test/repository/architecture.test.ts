import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  describeRooms,
  folderCycles,
  forbiddenUses,
  importCycles,
  packagesOf,
  portable,
  readModule,
  readModules,
} from '../../tools/architecture.ts'
import { root } from '../../tools/bundle.ts'

const modules = readModules()

/** Reads a planted module, where every path that ends in .ts is a file. */
function planted(path: string, text: string) {
  return readModule(path, text, () => true)
}

describe('the rooms', () => {
  it('use each other only as the table allows', () => {
    expect(modules.length).toBeGreaterThan(300)
    expect(forbiddenUses(modules)).toEqual([])
  })

  it('need no module of Node where there is none', () => {
    expect(portable.flatMap(entry => packagesOf(entry))).toEqual([])
  })

  it('have no import cycle, types included', () => {
    expect(importCycles(modules)).toEqual([])
  })

  it('have no folders that import each other, directly or through others', () => {
    expect(folderCycles(modules)).toEqual([])
  })

  it('import by the name of the file, so that Node can run the source as it is', () => {
    const missing = modules.flatMap(({ path, imports }) =>
      imports.filter(file => !existsSync(join(root, file))).map(file => `${path} imports ${file}`),
    )
    expect(missing).toEqual([])
  })

  it('keep the endpoint a thin front: at most 1,000 lines, not counting comments and the clients’ texts', () => {
    const files = modules.filter(({ path }) => path.startsWith('push/') && path !== 'push/clients.ts')
    const lines = files.flatMap(({ path }) => readFileSync(join(root, path), 'utf8').split('\n'))
    const code = lines.filter(line => !/^\s*(\/\/.*|\/?\*.*)?$/.test(line))
    expect(code.length).toBeGreaterThan(500)
    expect(code.length).toBeLessThanOrEqual(1000)
  })

  it('are described one per line', () => {
    const lines = describeRooms(modules).split('\n')
    expect(lines).toHaveLength(15)
    expect(lines).toContainEqual(
      expect.stringMatching(/^infra\/ .* imports src\/settings\/ \(\d+\).*starts src\/operator\/cli/),
    )
  })
})

describe('a forbidden use', () => {
  it.each([
    ['a static import', "import { a } from '../action/quote.ts'", 'imports action/quote.ts'],
    ['an import of a type', "import type { A } from '../action/quote.ts'", 'imports action/quote.ts'],
    ['a re-export', "export * from '../src/app.ts'", 'imports src/app.ts'],
    ['a dynamic import', "const a = await import('../infra/index.ts')", 'imports infra/index.ts'],
    ['a type in place', "let a: import('../src/app.ts').A", 'imports src/app.ts'],
    ['a started program', "fork(new URL('../src/node.ts', import.meta.url))", 'starts src/node.ts'],
  ])('is found in %s', (_, text, use) => {
    expect(forbiddenUses([planted('sandbox/planted.ts', text)])).toContain(`sandbox/planted.ts ${use}`)
  })

  it('is found when a path starts at the root', () => {
    expect(forbiddenUses([planted('tools/a.ts', "join(root, 'src/app.ts')")])).toContain(
      'tools/a.ts starts src/app.ts',
    )
  })

  it('is found when what serves requests imports the operator’s command', () => {
    const use = "import { main } from '../operator/cli.ts'"
    expect(forbiddenUses([planted('src/session/check.ts', use)])).toEqual([
      'src/session/check.ts imports src/operator/cli.ts',
    ])
    expect(
      forbiddenUses([planted('src/operator/audit.ts', "import '../employees/employee-store.ts'")]),
    ).toEqual([])
  })

  it('is found between the addresses and the records of the action, but not in what both stand on', () => {
    const [address, records] = [
      "import type { A } from '../address/family.ts'",
      "import '../records/record.ts'",
    ]
    expect(
      forbiddenUses([planted('action/records/a.ts', address), planted('action/address/a.ts', records)]),
    ).toEqual([
      'action/records/a.ts imports action/address/family.ts',
      'action/address/a.ts imports action/records/record.ts',
    ])
    expect(forbiddenUses([planted('action/records/a.ts', "import '../report/report.ts'")])).toHaveLength(1)
    expect(forbiddenUses([planted('action/records/a.ts', "import '../hostname.ts'")])).toEqual([])
    expect(forbiddenUses([planted('action/round.ts', "import './records/list.ts'")])).toEqual([])
  })

  it('does not include a module or folder that the table allows', () => {
    const uses = (text: string) => forbiddenUses([planted('infra/a.ts', text)])
    expect(uses("import '../src/routes.ts'\nimport '../src/settings/domains.ts'")).toEqual([])
    expect(uses("import '../src/app.ts'")).toEqual(['infra/a.ts imports src/app.ts'])
    expect(uses("import '../src/routes.ts.ts'")).toHaveLength(1)
    expect(uses("import '../test/support/a.ts'")).toHaveLength(1)
  })
})

describe('a package where there is no Node', () => {
  it('is found in a module that another imports, but not if it is only a type', () => {
    const files: Readonly<Record<string, string>> = {
      'push/a.ts': "import './b.ts'\nimport type { C } from './c.ts'\nimport type { D } from 'node:net'",
      'push/b.ts': "import { type Y, isIP } from 'node:net'\nawait import('@actions/core')\nisIP('')",
      'push/c.ts': "import 'node:fs'",
    }
    expect(packagesOf('push/a.ts', path => files[path] ?? '')).toEqual([
      'push/b.ts imports node:net',
      'push/b.ts imports @actions/core',
    ])
  })
})

describe('an import cycle', () => {
  it('is found, with every module in it and none beside it', () => {
    const circle = [
      planted('src/a.ts', "import './b.ts'"),
      planted('src/b.ts', "import type { C } from './c.ts'"),
      planted('src/c.ts', "await import('./a.ts')"),
      planted('src/d.ts', "import './a.ts'"),
    ]
    expect(importCycles(circle)).toEqual([['src/a.ts', 'src/b.ts', 'src/c.ts']])
    expect(importCycles(circle.slice(1))).toEqual([])
    expect(importCycles([planted('src/self.ts', "import './self.ts'")])).toEqual([['src/self.ts']])
  })

  it('is found between two folders, in types too, but not between a folder and its own', () => {
    const pair = [
      planted('src/a/one.ts', "import type { B } from '../b/deep/two.ts'"),
      planted('src/b/three.ts', "import '../a/four.ts'"),
    ]
    const found = ['src/a/one.ts imports src/b/deep/two.ts', 'src/b/three.ts imports src/a/four.ts']
    expect(folderCycles(pair)).toEqual([found])
    expect(folderCycles(pair.slice(1))).toEqual([])
    const inside = [
      planted('src/a/one.ts', "import './b/two.ts'"),
      planted('src/a/b/two.ts', "import '../one.ts'"),
    ]
    expect(folderCycles(inside)).toEqual([])
  })

  it('is found between three folders', () => {
    const circle = [
      planted('src/x/a/one.ts', "import '../b/two.ts'"),
      planted('src/x/b/three.ts', "import '../c/four.ts'"),
      planted('src/x/c/five.ts', "import '../a/six.ts'"),
      planted('src/x/d/seven.ts', "import '../a/one.ts'"),
    ]
    expect(folderCycles(circle)).toEqual([
      [
        'src/x/a/one.ts imports src/x/b/two.ts',
        'src/x/b/three.ts imports src/x/c/four.ts',
        'src/x/c/five.ts imports src/x/a/six.ts',
      ],
    ])
    expect(folderCycles(circle.slice(1))).toEqual([])
  })

  it('is found between a folder and a file at the top of its room, but not deeper down', () => {
    const pair = (folder: string) => [
      planted(`${folder}/plan.ts`, "import type { R } from './records/record.ts'"),
      planted(`${folder}/records/problems.ts`, "import type { P } from '../plan.ts'"),
    ]
    expect(folderCycles(pair('src'))).toEqual([
      ['src/plan.ts imports src/records/record.ts', 'src/records/problems.ts imports src/plan.ts'],
    ])
    expect(folderCycles(pair('src/deeper'))).toEqual([])
  })
})
