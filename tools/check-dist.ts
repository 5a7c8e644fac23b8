import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { committedBundle, root } from './bundle.ts'
import { bundleDifferences } from './bundle-differences.ts'

// Checks that users run what the source builds. Files that git ignores or does not know fail too: users do not get them.
const { stdout } = await promisify(execFile)('git', ['ls-files', '--others', committedBundle], { cwd: root })
const untracked = stdout.split('\n').filter(name => name !== '')
const differences = [
  ...(await bundleDifferences()),
  ...untracked.map(name => `${name} is not under version control`),
]
if (differences.length > 0) {
  process.stderr.write(
    `${committedBundle} is out of date:\n${differences.map(line => `  ${line}\n`).join('')}Run \`npm run build\` and commit the result.\n`,
  )
  process.exitCode = 1
}
