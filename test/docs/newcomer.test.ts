import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts'
import { root } from '../../tools/bundle.ts'
import { Newcomer } from '../support/newcomer.ts'
import { blocksIn, leftOut } from './page.ts'
import { Terminal } from './terminal.ts'
import { cloneThisCheckout, npmScript } from './upstream.ts'

// push.test.ts walks the way of a router.

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startSandbox()
})
afterAll(() => sandbox?.close())

/** Returns the first commands of a section. */
const commandsOf = (page: string, heading: string) =>
  blocksIn(page, heading).find(({ language }) => language === 'sh')

it('leads a newcomer with Node from the README to a record that is kept', async () => {
  const newcomer = await Newcomer.arrive(sandbox)
  const moved = (text: string) =>
    newcomer
      .filled(text)
      .replaceAll(/\/(opt|etc)\/(?:homeport|systemd\/system)/g, `${terminal.folder}/machine/$1`)
      .replace('/usr/bin/node', `'${process.execPath}'`)
  const terminal: Terminal = await Terminal.open({
    // The units are those that the commands before have copied.
    programs: {
      systemctl: `[ $# = 1 ] || ls "$HOME/machine/etc" | grep "^\${!#}"`,
      journalctl: '[ $2 = homeport ]',
    },
    env: { GIT_CONFIG_GLOBAL: await cloneThisCheckout(), NO_COLOR: '1', ...newcomer.settings },
    fill: moved,
  })
  const commands = commandsOf('README.md', '## Keep a record')
  newcomer.move('203.0.113.10')
  expect(await terminal.enter(commands, `${newcomer.token}\n`)).toMatch(/updated/)
  expect(await newcomer.addresses()).toEqual(['203.0.113.10'])
  newcomer.move('203.0.113.77')
  expect(await terminal.must(commands?.text.trim().split('\n').at(-1) ?? '')).toMatch(/updated/)
  expect(await newcomer.addresses()).toEqual(['203.0.113.77'])

  // The page that the README leads to has the line that repeats the check.
  const [files, units] = blocksIn('docs/command.md', '## With systemd')
  await terminal.enter(files, `${newcomer.token}\n`)
  await terminal.enter(units)
  const page = await readFile(join(root, 'docs/command.md'), 'utf8')
  const [, line = 'exit 1'] = /^\*\/5 \* \* \* \* (.*)$/m.exec(page) ?? []
  newcomer.move('203.0.113.99')
  // Only Node's path is that of this machine, as the page says. cron has few variables, and mails what is printed.
  const env = { PATH: '/usr/bin:/bin', ...newcomer.settings }
  expect(await promisify(execFile)('sh', ['-c', moved(line)], { env })).toEqual({ stdout: '', stderr: '' })
  expect(await newcomer.addresses()).toEqual(['203.0.113.99'])
})

it('leads a newcomer without an account from the README to the demo', async () => {
  const env = { GIT_CONFIG_GLOBAL: await cloneThisCheckout(), NO_COLOR: '1' }
  const terminal = await Terminal.open({ programs: { npm: npmScript }, env })
  const commands = commandsOf('README.md', '## Try it without an account')
  expect(await terminal.enter(commands)).toContain('Every step succeeded')
})

it('runs every command of the README', () => {
  expect(leftOut('README.md')).toEqual([])
})
