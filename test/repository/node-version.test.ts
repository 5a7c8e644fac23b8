import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from '../../tools/bundle.ts'
import { compileCache } from '../../tools/compile-cache.ts'
import { preloaded } from '../support/host.ts'

const { devDependencies, engines, scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const olderNode = preloaded(join(root, 'test/repository/fixtures/node-20.cjs'))

/** What each npm script does that starts TypeScript, such as the second command of `format`. */
const started = Object.values<string>(scripts).flatMap(script =>
  script.split(' && ').filter(command => /^node .*\.ts\b/.test(command)),
)
const forms = ['node --require ./tools/node-version.cjs', 'node tools/start.cjs']

it('every npm script that starts TypeScript looks at the version of Node.js first', () => {
  const others = started.filter(command => !forms.some(form => command.startsWith(`${form} `)))
  expect(others).toEqual([])
})

it.each([
  ...forms.map((form): [string, number] => [started.find(one => one.startsWith(form)) ?? '', 1]),
  ['node infra/policy/index.js', 1],
  // The program of `pulumi preview`. With 32, Pulumi prints nothing more.
  ['node infra/index.js', 32],
])('an older Node.js is told in one line what `%s` needs', (command, status) => {
  const env = { ...olderNode, ...compileCache(), PATH: process.env['PATH'] }
  const ended = spawnSync('sh', ['-c', command], { cwd: root, env, encoding: 'utf8' })
  expect(ended).toMatchObject({ status, stdout: '' })
  expect(ended.stderr).toMatch(
    /^(error: \[runtime\] )?Homeport needs Node\.js 24\.5 or newer\. This is v20\.11\.1\. Install it, .*\n$/,
  )
})

it('npm installs the Node.js that the package needs', () => {
  expect(engines.node).toBe(`>=${devDependencies.node.replace('^', '')}`)
})
