import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { startSandbox } from '../../sandbox/sandbox.ts'
import { root } from '../../tools/bundle.ts'
import { blocksIn, blockWith, leftOut, shellBlocksOf } from './page.ts'
import { Terminal } from './terminal.ts'
import { cloneThisCheckout } from './upstream.ts'

/** Pages whose commands the other tests of this folder run, and check that none was left out. */
const walked = [
  'README.md',
  'docs/deploy.md',
  'docs/deploy-record.md',
  'docs/stack.md',
  'docs/router.md',
  'docs/router-reference.md',
  'docs/manage-employees.md',
  'docs/operate.md',
  'docs/sign-in-reference.md',
  'docs/sign-in.md',
]

let terminal: Terminal
beforeAll(async () => {
  terminal = await Terminal.open({ env: { GIT_CONFIG_GLOBAL: await cloneThisCheckout() } })
})

it('docs/command.md updates the record', async () => {
  const sandbox = await startSandbox()
  try {
    const { baseUrl, dnsToken } = sandbox.description.cloudflare
    const settings = {
      HOMEPORT_BASE_URL: baseUrl,
      HOMEPORT_ADDRESS_SOURCES: sandbox.description.echo.join('\n'),
      HOMEPORT_ALLOW_RESERVED_ADDRESS: 'true',
    }
    const exports = Object.entries(settings).map(([name, value]) => `export ${name}='${value}'\n`)
    await terminal.must(exports.join(''))
    const [save, command] = blocksIn('docs/command.md', '## With Node.js')
    await terminal.enter(save, `${dnsToken}\n`)
    const updated = await terminal.enter(command)
    expect(updated).toMatch(/updated/i)
    // The file is its reader's alone.
    expect(updated).not.toContain('every user of this host')
    expect(await terminal.enter(command)).toMatch(/already correct, nothing written/)
  } finally {
    await sandbox.close()
  }
})

it('docs/development/release.md tags a commit and pushes the tag', async () => {
  const folder = join(terminal.folder, 'release')
  await mkdir(folder)
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, encoding: 'utf8' })
  git('init', '--quiet')
  git('init', '--quiet', '--bare', 'origin.git')
  git('remote', 'add', 'origin', 'origin.git')
  const author = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com']
  git(...author, 'commit', '--quiet', '--allow-empty', '--message', 'Release')
  await terminal.must(`cd '${folder}'`)
  await terminal.enter(blockWith('docs/development/release.md', 'git tag'))
  expect(git('ls-remote', 'origin')).toMatch(
    new RegExp(`^${git('rev-parse', 'HEAD').trim()}\\trefs/tags/v1\\.2\\.3$`, 'm'),
  )
})

const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], {
  cwd: root,
  encoding: 'utf8',
})
const pages = listed.split('\n').filter(page => page !== '' && existsSync(join(root, page)))
const others = pages.filter(page => !walked.includes(page))

it.each(others)('every command of %s is run by a test, or marked with the reason', page => {
  expect(leftOut(page)).toEqual([])
})

it('what a page says is run elsewhere is read there', () => {
  for (const page of pages)
    for (const { runBy } of shellBlocksOf(page))
      if (runBy !== null) expect(readFileSync(join(root, runBy), 'utf8')).toContain(`'${page}'`)
})
