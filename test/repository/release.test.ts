import { execFileSync } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { parse } from 'yaml'
import { root } from '../../tools/bundle.ts'
import { changelogSection, releaseProblems } from '../../tools/release.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

let folder: string
const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', ...args], { cwd: folder })

/** Commits a version with its changelog, tags it, and takes it as main. */
async function release(version: string, changelog: string): Promise<void> {
  await writeFile(join(folder, 'package.json'), JSON.stringify({ version }))
  await writeFile(join(folder, 'CHANGELOG.md'), changelog)
  git('add', '.')
  git('commit', '--quiet', '--message', version)
  git('tag', `v${version}`)
  git('update-ref', 'refs/remotes/origin/main', 'HEAD')
}

beforeEach(async () => {
  folder = temporaryFolder()
  git('init', '--quiet')
  await release('1.2.3', '# Changelog\n\n## 1.2.3 (2026-11-22)\n\n- One.\n\n## 1.2.2\n\n- Two.\n')
})

it('takes a tagged commit of main with its section of the changelog', async () => {
  expect(await releaseProblems('v1.2.3', folder)).toEqual([])
  expect(changelogSection('## 1.2.3 (2026-11-22)\n\n- One.\n\n## 1.2.2\n\n- Two.\n', '1.2.3')).toBe('- One.')
})

it('refuses a commit that is not on main', async () => {
  git('commit', '--quiet', '--allow-empty', '--message', 'Aside')
  git('tag', '--force', 'v1.2.3')
  expect(await releaseProblems('v1.2.3', folder)).toEqual([
    'v1.2.3 is not a commit of origin/main. Merge it into main, then tag it there.',
  ])
})

it('refuses a tag of another version or commit, and a version without a section', async () => {
  expect(await releaseProblems('v1.2', folder)).toContain('The tag is "v1.2". Use the form v1.2.3.')
  await release('1.3.0', '# Changelog\n\n## 1.2.3\n\n- One.\n')
  expect(await releaseProblems('v1.2.3', folder)).toEqual([
    expect.stringMatching(/^The tag is v1\.2\.3, but package\.json says 1\.3\.0\./),
    'CHANGELOG.md has no section "## 1.3.0". Describe what users will notice.',
    expect.stringMatching(/^The tag v1\.2\.3 is \w{40}, but \w{40} is checked out\./),
  ])
})

it('writes a repository of the action that a runner can download alone', async () => {
  const release = [join(root, 'tools/release.ts'), 'action', folder]
  execFileSync(process.execPath, release)
  const files = await readdir(folder, { recursive: true })
  expect(files.filter(file => !file.startsWith('.git')).sort()).toEqual([
    ...[
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'action',
      'action.yml',
      'action/dist',
      'action/dist/index.js',
    ],
    ...['action/dist/licenses.txt', 'action/dist/package.json', 'package.json'],
  ])
  const { main } = parse(await readFile(join(folder, 'action.yml'), 'utf8')).runs
  expect(execFileSync(process.execPath, [join(folder, main), '--version'], { encoding: 'utf8' })).toMatch(
    /^homeport \d/,
  )
  expect(await readFile(join(folder, 'README.md'), 'utf8')).toContain('uses: OWNER/homeport-action@')
  expect(git('rev-parse', 'HEAD')).toBeTruthy()
})
