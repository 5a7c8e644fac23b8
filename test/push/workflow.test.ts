import { expect, it } from 'vitest'
import { readClock } from '../../push/workflow.ts'

const token = 'github_pat_11AAAAAAA0_b'
const problemsOf = (env: Parameters<typeof readClock>[0]): readonly string[] => {
  const reading = readClock(env)
  return 'problems' in reading ? reading.problems : []
}

it.each([
  ['you/dns/dns.yml', { owner: 'you', repository: 'dns', file: 'dns.yml', branch: null }],
  ['a-b/c.d_e/x-y.yaml@feature/a', { repository: 'c.d_e', file: 'x-y.yaml', branch: 'feature/a' }],
  // A managed user's name ends in an underscore and the short code of its enterprise.
  ['jane-doe_acme/dns/dns.yml', { owner: 'jane-doe_acme', repository: 'dns' }],
  ['dns.yml', null],
  ['you/../dns.yml', null],
  ['you/dns/.github/workflows/dns.yml', null],
  ['you/dns/dns.txt', null],
  ['you/dns/dns.yml@', null],
  ['you/dns/dns.yml@a:b', null],
])('the workflow %s is taken as far as it is a path', (WORKFLOW, found) => {
  const reading = readClock({ WORKFLOW, WORKFLOW_TOKEN: ` ${token}\n` })
  if (found) return expect(reading).toMatchObject({ value: { place: found, token } })
  const problem = expect.stringContaining(`WORKFLOW is "${WORKFLOW}". Use owner/repository/file.yml`)
  return expect(reading).toEqual({ problems: [problem] })
})

it.each([
  ['', 'WORKFLOW_TOKEN is missing. Create a fine-grained token for this repository only'],
  [`"${token}"`, 'WORKFLOW_TOKEN is not a token of GitHub.'],
])('the token %j is refused, and not repeated', (WORKFLOW_TOKEN, problem) => {
  const [said = '', ...others] = problemsOf({ WORKFLOW: 'you/dns/dns.yml', WORKFLOW_TOKEN })
  expect(others).toEqual([])
  expect(said).toContain(problem)
  expect(said).not.toContain(token)
})

it('a token in the place of the workflow is not repeated', () => {
  const problems = problemsOf({ WORKFLOW: `github_pat_${'x1'.repeat(40)}`, WORKFLOW_TOKEN: 'x' })
  expect(problems).toHaveLength(1)
  expect(problems.join()).not.toContain('x1x1')
})
