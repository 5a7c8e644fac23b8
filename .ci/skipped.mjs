// Fails if a test was skipped in every run that vitest's JSON reports in a folder tell of: nothing then shows that what it tests
// works. Names differ where a test appends the reason in brackets, so these are left out.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** What may be skipped, by the beginning of the file and name. */
const accepted = [
  // It comes from PyPI, with Python, which not every machine has.
  'test/docs/workflows.test.ts > the workflows of this repository and those for users > give zizmor',
  'test/images/',
  'test/proxies/router-',
  // Building it takes many minutes. `npm test -- --project proxies traefik` does it once, and runs the tests.
  'test/proxies/traefik.test.ts',
]

const [, , folder] = process.argv
const tests = readdirSync(folder)
  .flatMap(file => JSON.parse(readFileSync(join(folder, file), 'utf8')).testResults)
  .flatMap(({ name: file, assertionResults }) =>
    assertionResults.map(({ ancestorTitles, title, status }) => {
      const name = [file.slice(file.lastIndexOf('/test/') + 1), ...ancestorTitles, title].join(' > ')
      return { name, id: name.replaceAll(/ \([^)]*\)/g, ''), status }
    }),
  )
const passed = new Set(tests.filter(({ status }) => status === 'passed').map(({ id }) => id))
const skipped = tests.filter(
  ({ id, status }) => status !== 'passed' && status !== 'failed' && !passed.has(id),
)
const bad = skipped.filter(({ name }) => !accepted.some(start => name.startsWith(start)))
for (const one of skipped)
  process.stdout.write(`Skipped${bad.includes(one) ? '' : ', as listed'}: ${one.name}\n`)
process.stdout.write(`${passed.size} tests passed. ${bad.length} were skipped and must not be.\n`)
if (bad.length > 0 || passed.size === 0) {
  process.stdout.write('Install what they need, or list them with the reason in .ci/skipped.mjs.\n')
  process.exitCode = 1
}
