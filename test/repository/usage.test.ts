import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '../../tools/bundle.ts'

const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

function run(name: string, argument: string) {
  const env = { PATH: `${join(root, 'node_modules/.bin')}:${process.env['PATH']}` }
  return spawnSync('sh', ['-c', `${scripts[name]} ${argument}`], { cwd: root, env, encoding: 'utf8' })
}

const others = [
  'demo',
  'sandbox',
  'employees',
  'keys',
  'push',
  'after-up',
  'bootstrap',
  'drift',
  'images',
  'release',
]
const demos = ['sign-in', 'infra', 'push', 'journey']

it.each([...others.map(name => [name, '']), ...demos.map(name => ['demo', name])])(
  'npm run %s %s takes -h as it takes --help',
  (name, first) => {
    const long = run(name, `${first} --help`)
    expect(long).toMatchObject({ status: 0, stderr: '' })
    expect(run(name, `${first} -h`)).toMatchObject({ status: 0, stderr: '', stdout: long.stdout })
  },
)

it.each(['after-up', 'bootstrap', 'drift'])(
  'npm run %s says in whole sentences what it does not know',
  name => {
    const { status, stderr } = run(name, '--halp')
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: `Unknown option '--halp'. See npm run ${name} -- --help.\n`,
    })
  },
)

describe.each(['start', 'docs', 'build', 'check'])('npm run %s', name => {
  it('explains itself with --help, and does nothing else', () => {
    const { status, stdout, stderr } = run(name, '--help')
    expect(stdout).toMatch(new RegExp(`^Usage: npm (run )?${name}\\b`))
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  })

  it('refuses an argument that it does not know', () => {
    const { status, stdout, stderr } = run(name, '--halp')
    expect(stderr).toContain('There is no argument "--halp".')
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
  })
})
