import { readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { root } from '../../tools/bundle.ts'
import { freePort } from '../../tools/free-port.ts'
import { type Postgres, startPostgres } from '../../tools/postgres.ts'
import { Visitor } from '../support/visitor.ts'
import { blocksIn, leftOut } from './page.ts'
import { type Ended, Terminal } from './terminal.ts'

const page = 'docs/rehearse.md'
const ran = new Set<string>()
let postgres: Postgres
let terminal: Terminal
let port: number
let databaseUrl: string
beforeAll(async () => {
  ;[postgres, port] = await Promise.all([startPostgres(), freePort()])
  databaseUrl = await postgres.createDatabase('homeport')
  terminal = await Terminal.open(
    {},
    new Map(),
    {},
    {
      PATH: `${dirname(process.execPath)}:${process.env['PATH']}`,
      NO_COLOR: '1',
    },
  )
  for (const name of ['node_modules', 'package.json', 'tools', 'sandbox', 'src', 'infra', 'lib'])
    await symlink(join(root, name), join(terminal.folder, name))
  await writeFile(join(terminal.folder, 'started'), '')
})
afterAll(async () => {
  // npm does not pass a signal on to what it runs: end each group, which `set -m` gave it.
  const started = await readFile(join(terminal.folder, 'started'), 'utf8')
  for (const group of started.trim().split('\n').filter(Boolean)) process.kill(-Number(group))
  await terminal.close()
  await postgres.close()
})

/** Runs a block of a section, with a free port, and keeps what it starts for the end. */
function follow(heading: string, index = 0): Promise<Ended> {
  const block = blocksIn(page, heading)[index]
  ran.add(block?.text ?? '')
  const script = (block?.text ?? 'exit 1')
    .replaceAll('8080', String(port))
    .replace(/postgresql:[^']*/, databaseUrl)
    .replace(/ &$/m, ' 2>> log & echo $! >> started')
  return terminal.run(`set -m; trap - EXIT\n${script}`)
}

it('starts the sandbox, and signs in a person who was bound by Object ID', async () => {
  const started = await follow('## Start the sandbox')
  expect(started, started.output).toEqual({ status: 0, output: '' })
  const { entra } = JSON.parse(await readFile(join(terminal.folder, 'sandbox.json'), 'utf8'))
  const signIn = await follow('## Sign in')
  expect(signIn, signIn.output).toMatchObject({ status: 0 })
  const origin = `http://localhost:${port}`
  const alice = await new Visitor(origin).signIn('alice@example.com')
  expect(alice.body).toMatchObject({ user: { username: 'alice', isAdmin: true } })
  const connor = await new Visitor(origin).signIn('contractor@example.com')
  expect(connor.body).toMatchObject({ code: 'not-in-system' })
  const listed = await terminal.run('npm run -s employees -- list --json')
  expect(listed.output).toContain(entra.users[0].id)
})

it('checks a set-up in the sandbox, and again after one thing was done', async () => {
  const missing = 'missing There is no environment dns.'
  const heading = '## Check a set-up'
  const checked = await follow(heading)
  expect(checked.status).toBe(1)
  expect(checked.output).toContain('ok      The zone example.com is active.')
  expect(checked.output).toContain(missing)
  expect(checked.output).toMatch(/Next, as docs\/deploy\.md says under/)
  // The check ended the block, so its exports were not kept.
  const block = blocksIn(page, heading)[0]?.text.replace(/^npm run .*\n/m, '') ?? ''
  expect(await terminal.run(block)).toMatchObject({ status: 0 })
  const done = await follow(heading, 1)
  expect(done, done.output).toMatchObject({ status: 0 })
  const again = await terminal.run('npm run -s bootstrap -- --check')
  expect(again.output).toContain('There is no environment infra.')
  expect(again.output).not.toContain(missing)
})

it('has no command that was not run', () => {
  expect(leftOut('docs/rehearse.md', ran)).toEqual([])
})
