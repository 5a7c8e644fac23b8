import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '../../tools/bundle.ts'
import { preloaded } from '../support/host.ts'
import { launchProgram } from '../support/launcher.ts'

const { devDependencies, engines, scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const olderNode = preloaded(join(root, 'test/repository/fixtures/node-20.cjs'))

describe('an older Node.js', () => {
  it.each([scripts.start, scripts.demo, scripts.drift, 'node infra/policy/index.js'])(
    'is told in one line what `%s` needs',
    command => {
      const env = { ...olderNode, PATH: process.env['PATH'] }
      const { status, stdout, stderr } = spawnSync('sh', ['-c', command], {
        cwd: root,
        env,
        encoding: 'utf8',
      })
      expect(stderr).toMatch(
        /^Homeport needs Node\.js 24\.5 or newer\. This is v20\.11\.1\. Install it, .*\n$/,
      )
      expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
    },
  )

  it('is told in one line what `pulumi preview` needs', async () => {
    const { status, log, written } = await launchProgram({ environment: olderNode })
    expect(log).toEqual([
      {
        severity: 'error',
        message: expect.stringMatching(/^Homeport needs Node\.js 24\.5 or newer\. This is v20\.11\.1\. .*$/),
      },
    ])
    // With 32, Pulumi prints nothing more.
    expect({ status, written }).toEqual({ status: 32, written: '' })
  })
})

it('npm installs the Node.js that the package needs', () => {
  expect(engines.node).toBe(`>=${devDependencies.node.replace('^', '')}`)
})
