import { spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundleAction, committedBundle, root } from './bundle.ts'

// Checks that users run what the source builds. Files that git ignores or does not know fail too: users do not get them.
const git = (...args: string[]) => spawnSync('git', args, { cwd: root, encoding: 'utf8' }).stdout
const fresh = await mkdtemp(join(tmpdir(), 'homeport-bundle-'))
try {
  await bundleAction(fresh)
  const untracked = git('ls-files', '--others', committedBundle)
  const differing = git('diff', '--no-index', '--stat', '--', committedBundle, fresh)
  if (untracked + differing !== '') {
    process.stderr.write(
      `${committedBundle} is out of date:\n${untracked}${differing}Run \`npm run build\` and commit the result.\n`,
    )
    process.exitCode = 1
  }
} finally {
  await rm(fresh, { recursive: true, force: true })
}
