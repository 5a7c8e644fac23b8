import { execFileSync } from 'node:child_process'
import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { startSandbox } from '../../sandbox/sandbox.ts'
import { root } from '../../tools/bundle.ts'
import { blockWith, leftOut, ran } from './page.ts'
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

let terminal: Terminal
beforeAll(async () => {
  terminal = await Terminal.open()
})

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
    await terminal.must(exports.join(''))
    await copyFile(join(root, 'action/dist/index.js'), join(terminal.folder, 'homeport.mjs'))
    const command = blockWith('docs/keep-a-hostname.md', 'node homeport.mjs')
    expect(await terminal.enter(command)).toMatch(/updated/i)
    expect(await terminal.enter(command)).toMatch(/already correct, nothing written/)
  } finally {
    await sandbox.close()
  }
})
// newcomer.test.ts runs it.
ran.add(blockWith('docs/keep-a-hostname.md', 'install -D -m 644 homeport.mjs').text)

it('docs/release.md tags a commit and pushes the tag', async () => {
  const folder = join(terminal.folder, 'release')
  await mkdir(folder)
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, encoding: 'utf8' })
  git('init', '--quiet')
  git('init', '--quiet', '--bare', 'origin.git')
  git('remote', 'add', 'origin', 'origin.git')
  const author = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com']
  git(...author, 'commit', '--quiet', '--allow-empty', '--message', 'Release')
  await terminal.must(`cd '${folder}'`)
  await terminal.enter(blockWith('docs/release.md', 'git tag'))
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
  expect(leftOut(page)).toEqual([])
})
