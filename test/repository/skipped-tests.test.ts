import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '../../tools/bundle.ts'
import { type Accepted, accepted, judgeSkipped } from '../support/skipped-tests.ts'

const list: readonly Accepted[] = [
  { in: ['bare-debian'], test: 'test/a.test.ts > needs dig', reason: 'It has none.' },
]
const needsDig = { test: 'test/a.test.ts > needs dig (not installed)', note: undefined }

describe('a skipped test in `.ci/run`', () => {
  it('fails the run, and is named with what it said', () => {
    const skipped = [needsDig, { test: 'test/b.test.ts > lints', note: 'no network' }]
    expect(judgeSkipped(skipped, 'machine', list)).toEqual({
      isGood: false,
      lines: [
        'Skipped: test/a.test.ts > needs dig (not installed)',
        'Skipped: test/b.test.ts > lints (no network)',
        expect.stringMatching(
          /^2 tests were skipped, .* Install what they need, or list them .*skipped-tests\.ts\.$/,
        ),
      ],
    })
  })

  it('is printed with its reason if it is listed for this place', () => {
    expect(judgeSkipped([needsDig], 'bare-debian', list)).toEqual({
      isGood: true,
      lines: ['Skipped, as listed: test/a.test.ts > needs dig (not installed). It has none.'],
    })
  })

  it('does not have to be skipped if it is listed', () => {
    expect(judgeSkipped([], 'bare-debian', list)).toEqual({ isGood: true, lines: [] })
  })

  it.each(accepted)('is in its file: $test', ({ test, reason }) => {
    const [file = '', ...names] = test.split(' > ')
    const text = readFileSync(join(root, file), 'utf8')
    for (const name of names) expect(text).toContain(name.replace(/ \(\w*$/, ''))
    expect(reason).toMatch(/\.$/)
  })

  it.each(['.ci/run', '.ci/bare-debian'])('counts in %s', file => {
    const place = file === '.ci/run' ? 'machine' : 'bare-debian'
    expect(readFileSync(join(root, file), 'utf8')).toContain(` HOMEPORT_CI=${place} `)
  })
})
