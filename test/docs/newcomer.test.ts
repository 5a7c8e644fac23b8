import { execFile, execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts'
import { root } from '../../tools/bundle.ts'
import { Newcomer } from '../support/newcomer.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { blocksIn, leftOut } from './page.ts'
import { Terminal } from './terminal.ts'
import { gitConfigOf, makeUpstream } from './upstream.ts'

// push.test.ts walks the way of a router.

let folder: string
let sandbox: Sandbox
let gitConfig: string
let terminal: Terminal
const ran = new Set<string>()
beforeAll(async () => {
  folder = temporaryFolder()
  sandbox = await startSandbox()
  gitConfig = await gitConfigOf(await makeUpstream(folder))
})
afterEach(() => terminal?.close())
afterAll(async () => {
  await sandbox?.close()
})

/** Opens a terminal whose git clones this checkout, whose `npm ci` uses its packages, and whose releases are what this builds. */
async function openTerminal(settings: Readonly<Record<string, string>>) {
  const npm = execFileSync('which', ['npm'], { encoding: 'utf8' }).trim()
  const install = `ln -s '${join(root, 'node_modules')}' node_modules`
  terminal = await Terminal.open(
    {},
    new Map(),
    {
      npm: `if [ "$*" = ci ]; then ${install}; else exec '${npm}' "$@"; fi`,
      // Of a release that GitHub would send.
      curl: `case "\${@: -1}" in
        */homeport.mjs) cp '${join(root, 'action/dist/index.js')}' homeport.mjs ;;
        *) exit 22 ;;
      esac`,
    },
    {
      PATH: `${dirname(process.execPath)}:${process.env['PATH']}`,
      GIT_CONFIG_GLOBAL: gitConfig,
      NO_COLOR: '1',
      ...settings,
    },
  )
}

/** Returns the first commands of a section, and counts them as run. */
function commandsOf(page: string, heading: string): string {
  const [block] = blocksIn(page, heading).filter(({ language }) => language === 'sh')
  if (page === 'README.md') ran.add(block?.text ?? '')
  return block?.text ?? 'exit 1'
}

async function must(commands: string, stdin = ''): Promise<string> {
  const { status, output } = await terminal.run(commands, stdin)
  expect(status, output).toBe(0)
  return output
}

it('leads a newcomer with Node from the README to a record that is kept', async () => {
  const newcomer = await Newcomer.arrive(sandbox.description)
  await openTerminal(newcomer.settings)
  const commands = newcomer.filled(commandsOf('README.md', '## Keep a record'))
  const command = commands.trim().split('\n').at(-1) ?? ''
  await newcomer.move('203.0.113.10')
  expect(await must(commands, `${newcomer.token}\n`)).toMatch(/updated/)
  expect(await newcomer.addresses()).toEqual(['203.0.113.10'])
  await newcomer.move('203.0.113.77')
  expect(await must(command)).toMatch(/updated/)
  expect(await newcomer.addresses()).toEqual(['203.0.113.77'])

  // The page that the README leads to has the line that repeats the check. The release has the file.
  const machine = join(terminal.folder, 'machine')
  const moved = (text: string) =>
    newcomer
      .filled(text)
      .replaceAll('/opt/homeport', `${machine}/opt`)
      .replaceAll('/etc/homeport', `${machine}/etc`)
  const install = commandsOf('docs/keep-a-hostname.md', '## With systemd').replace(
    /^(cp|systemctl) .*\n/gm,
    '',
  )
  await must(moved(install), `${newcomer.token}\n`)
  const page = await readFile(join(root, 'docs/keep-a-hostname.md'), 'utf8')
  const [, line = 'exit 1'] = /^\*\/5 \* \* \* \* (.*)$/m.exec(page) ?? []
  await newcomer.move('203.0.113.99')
  // Only Node's path is that of this machine, as the page says. cron has few variables, and mails what is printed.
  const scheduled = moved(line).replace('/usr/bin/node', `'${process.execPath}'`)
  const env = { PATH: '/usr/bin:/bin', ...newcomer.settings }
  expect(await promisify(execFile)('sh', ['-c', scheduled], { env })).toEqual({ stdout: '', stderr: '' })
  expect(await newcomer.addresses()).toEqual(['203.0.113.99'])
})

it('leads a newcomer without an account from the README to the demo', async () => {
  await openTerminal({})
  expect(await must(commandsOf('README.md', '## Try it without an account'))).toContain(
    'Every step succeeded',
  )
})

it('runs every command of the README', () => {
  expect(leftOut('README.md', ran)).toEqual([])
})
