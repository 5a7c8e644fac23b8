// Fails if a test passed in no run that vitest's JSON in a folder and below it tells of: nothing then shows that what it tests
// works. Names differ where a test appends the reason in brackets, so these are left out.
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** What may be skipped where something is missing, by the beginning of the file and name. GitHub's runner has all of it. */
const accepted = [
  // It comes from PyPI, with Python, which not every machine has.
  'test/docs/workflows.test.ts > the workflows of this repository and those for users > give zizmor',
  // They need root, mounts and namespaces, which a container may refuse.
  'test/images/',
  'test/proxies/router-',
  // Building it takes many minutes. `npm test -- --project proxies traefik` does it once, and runs the tests.
  'test/proxies/traefik.test.ts',
]
const isAccepted = name =>
  process.env['GITHUB_ACTIONS'] !== 'true' && accepted.some(start => name.startsWith(start))

const [, , folder] = process.argv
const tests = readdirSync(folder, { recursive: true })
  .filter(file => file.endsWith('.json'))
  .flatMap(file => JSON.parse(readFileSync(join(folder, file), 'utf8')).testResults)
  .flatMap(({ name: path, assertionResults }) =>
    assertionResults.map(({ ancestorTitles, title, status }) => {
      const file = path.slice(path.lastIndexOf('/test/') + 1)
      const name = [file, ...ancestorTitles, title].join(' > ')
      return { file, name, id: name.replaceAll(/ \([^)]*\)/g, ''), status }
    }),
  )
const passed = new Set(tests.filter(({ status }) => status === 'passed').map(({ id }) => id))
const skipped = tests.filter(
  ({ id, status }) => status !== 'passed' && status !== 'failed' && !passed.has(id),
)
const started = new Set(tests.map(({ file }) => file))
const files = execFileSync('git', ['ls-files', 'test/*.test.ts'], { encoding: 'utf8' }).trim().split('\n')
const names = [...new Set(skipped.map(({ name }) => name)), ...files.filter(file => !started.has(file))]
const bad = names.filter(name => !isAccepted(name))
for (const name of names) process.stdout.write(`Skipped${bad.includes(name) ? '' : ', as listed'}: ${name}\n`)
process.stdout.write(`${passed.size} tests passed. ${bad.length} were skipped and must not be.\n`)
if (bad.length > 0 || passed.size === 0) {
  process.stdout.write('Install what they need, or list them with the reason in .ci/skipped.mjs.\n')
  process.exitCode = 1
}
