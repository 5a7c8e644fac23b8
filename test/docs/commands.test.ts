import { execFileSync } from 'node:child_process'
import { copyFile, mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startSandbox } from '../../sandbox/sandbox.ts'
import { root } from '../../tools/bundle.ts'
import { type Block, leftOut, runnable, shellBlocksOf } from './page.ts'
import { Terminal } from './terminal.ts'

/** Pages whose commands the other tests of this folder run, and check that none was left out. */
const walked = [
  'README.md',
  'docs/deploy.md',
  'docs/stack.md',
  'docs/router.md',
  'docs/employees.md',
  'docs/operate.md',
  'docs/sign-in-reference.md',
  'docs/sign-in.md',
]

/** Texts of the blocks that were run, by page. */
const ran = new Map<string, Set<string>>()
let terminal: Terminal
beforeAll(async () => {
  terminal = await Terminal.open(
    {},
    new Map(),
    {},
    { PATH: `${dirname(process.execPath)}:${process.env['PATH']}` },
  )
  for (const name of ['node_modules', 'package.json', 'tools', 'sandbox', 'action']) {
    await symlink(join(root, name), join(terminal.folder, name))
  }
})
afterAll(() => terminal.close())

/** Returns the only block of a page that has a text, and counts it as run. */
function block(page: string, part: string): Block {
  const [found, ...others] = shellBlocksOf(page).filter(({ text }) => text.includes(part))
  if (found === undefined || others.length > 0)
    throw new Error(`${page} has ${others.length} blocks with ${part}.`)
  ran.set(page, (ran.get(page) ?? new Set()).add(found.text))
  return found
}

async function must(script: string): Promise<string> {
  const ended = await terminal.run(script)
  expect(ended, `${script}\n${ended.output}`).toMatchObject({ status: 0 })
  return ended.output
}

it('docs/keep-a-hostname.md updates the record', async () => {
  const sandbox = await startSandbox()
  try {
    const { baseUrl, dnsToken } = sandbox.description.cloudflare
    await writeFile(join(terminal.folder, 'token.txt'), dnsToken, { mode: 0o600 })
    const settings = {
      HOMEPORT_BASE_URL: baseUrl,
      HOMEPORT_ADDRESS_SOURCES: sandbox.description.echo.join('\n'),
      HOMEPORT_ALLOW_RESERVED_ADDRESS: 'true',
    }
    const exports = Object.entries(settings).map(([name, value]) => `export ${name}='${value}'\n`)
    await copyFile(join(root, 'action/dist/index.js'), join(terminal.folder, 'homeport.mjs'))
    const command = block('docs/keep-a-hostname.md', 'node homeport.mjs').text
    expect(await must(exports.join('') + command)).toMatch(/updated/i)
    expect(await must(exports.join('') + command)).toMatch(/already correct, nothing written/)
  } finally {
    await sandbox.close()
  }
})
// newcomer.test.ts runs it.
block('docs/keep-a-hostname.md', 'install -D -m 644 homeport.mjs')

it('docs/release.md tags a commit and pushes the tag', async () => {
  const folder = join(terminal.folder, 'release')
  await mkdir(folder)
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, encoding: 'utf8' })
  git('init', '--quiet')
  git('init', '--quiet', '--bare', 'origin.git')
  git('remote', 'add', 'origin', 'origin.git')
  const author = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com']
  git(...author, 'commit', '--quiet', '--allow-empty', '--message', 'Release')
  await must(`cd '${folder}'\n${runnable(block('docs/release.md', 'git tag'))}cd ..\n`)
  expect(git('ls-remote', 'origin')).toMatch(
    new RegExp(`^${git('rev-parse', 'HEAD').trim()}\\trefs/tags/v1\\.2\\.3$`, 'm'),
  )
})

const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], {
  cwd: root,
  encoding: 'utf8',
})
const others = listed.split('\n').filter(page => page !== '' && !walked.includes(page))

it.each(others)('every command of %s is run by a test, or marked with the reason', page => {
  expect(leftOut(page, ran.get(page) ?? new Set())).toEqual([])
})
