import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { bundleAction, committedBundle, root } from './bundle.ts'
import { compareFolders } from './compare-folders.ts'

// Checks that users run what the source makes. Files that git ignores or does not know fail too: users do not get them.
const { stdout } = await promisify(execFile)('git', ['ls-files', '--others', committedBundle], { cwd: root })
const untracked = stdout.split('\n').filter(name => name !== '')
const fresh = await mkdtemp(join(tmpdir(), 'homeport-bundle-'))
try {
  await bundleAction(fresh)
  const differences = [
    ...(await compareFolders(fresh, join(root, committedBundle))),
    ...untracked.map(name => `${name} is not under version control`),
  ]
  if (differences.length > 0) {
    process.stderr.write(
      `${committedBundle} is out of date:\n${differences.map(line => `  ${line}\n`).join('')}`,
    )
    process.stderr.write('Run `npm run build` and commit the result.\n')
    process.exitCode = 1
  }
} finally {
  await rm(fresh, { recursive: true, force: true })
}
