import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { root } from '../../tools/bundle.ts'
import { leftOut, shellBlocksOf } from './page.ts'

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

/** What newcomer.test.ts runs of a page that it does not walk. */
const ran = new Set(
  ['node homeport.mjs', 'install -D -m 644 homeport.mjs'].flatMap(part =>
    shellBlocksOf('docs/keep-a-hostname.md').flatMap(({ text }) => (text.includes(part) ? [text] : [])),
  ),
)

const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], {
  cwd: root,
  encoding: 'utf8',
})
const others = listed.split('\n').filter(page => page !== '' && !walked.includes(page))

it.each(others)('every command of %s is run by a test, or marked with the reason', page => {
  expect(leftOut(page, ran)).toEqual([])
})
