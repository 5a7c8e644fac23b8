import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { rooms } from '../../bench/bench.ts'
import { median, spread, table } from '../../bench/figures.ts'
import { fillPage, withFigures } from '../../bench/page.ts'
import { describeRun } from '../../bench/room.ts'
import { root } from '../../tools/bundle.ts'

const page = readFileSync(join(root, 'docs/development/benchmarks.md'), 'utf8')

describe('the page of benchmarks', () => {
  it.each(Object.keys(rooms))('has a place for the figures of %s, and the prose around it stays', name => {
    const changed = withFigures(page, name, '| new | 1 |')
    expect(changed).toContain('\n\n| new | 1 |\n\n<!-- End')
    const written = changed.split('\n').filter(line => line !== '| new | 1 |')
    const before = page.split('\n')
    expect(before).toEqual(expect.arrayContaining(written))
    expect(written.length).toBeLessThan(before.length)
    for (const other of Object.keys(rooms).filter(room => room !== name))
      expect(withFigures(changed, other, '')).toContain('| new | 1 |')
  })

  it('is the same after the same figures, whatever blank lines are around them', () => {
    const once = withFigures(page, 'action', '| new | $& $1 |')
    expect(withFigures(once, 'action', '\n\n| new | $& $1 |\n\n')).toBe(once)
    expect(once).toContain('\n\n| new | $& $1 |\n\n')
  })

  it('is refused without a room’s marks, or with two of them', () => {
    expect(() => withFigures('# Benchmarks\n', 'action', 'x')).toThrow(
      /^docs\/development\/benchmarks\.md needs "<!-- /,
    )
    expect(() => withFigures(page + page, 'action', 'x')).toThrow('once each')
    const [head = ''] = page.split('<!-- End of the figures of action.')
    expect(() => withFigures(head, 'action', 'x')).toThrow('once each')
  })
})

describe('a run of all rooms', () => {
  it('writes every room at once, and leaves the figures of one that failed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'homeport-benchmarks-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const file = join(folder, 'benchmarks.md')
    writeFileSync(file, page)
    const seen: string[] = []
    const failed = await fillPage(file, Object.keys(rooms), async name => {
      seen.push(readFileSync(file, 'utf8'))
      return name === 'sandbox' ? null : `figures of ${name}`
    })
    expect(failed).toEqual(['sandbox'])
    const filled = ['action', 'sign-in', 'infra', 'push'].reduce(
      (text, name) => withFigures(text, name, `figures of ${name}`),
      page,
    )
    expect(readFileSync(file, 'utf8')).toBe(filled)
    expect(seen[1]).toBe(withFigures(page, 'action', 'figures of action'))
  })
})

describe('the lines above figures', () => {
  it('are the command without paths of this machine, the date and the machine', () => {
    const options = { rounds: 3, favonia: '/home/somebody/ddns' }
    const lines = describeRun('action', options, new Date('2026-11-05T23:59:00Z')).split('\n')
    expect(lines).toEqual([
      expect.stringMatching(
        /^Measured with `npm run bench -- action --rounds 3 --favonia PATH` on 5 November 2026: .+, \d+ cores, Node \d+\.\d+\.\d+, \w+ \w+\.$/,
      ),
      expect.stringMatching(/^Load average at the start: \d+\.\d\.$/),
    ])
  })
})

describe('figures', () => {
  it('are medians with their range', () => {
    expect(median([5, 1, 9])).toBe(5)
    expect(median([4, 1, 9, 2])).toBe(3)
    expect(median([])).toBeNaN()
    expect(spread([1500, 12.4, 2000], 'ms')).toBe('1,500 ms (12 to 2,000)')
    expect(spread([0.25], '', 2)).toBe('0.25 (0.25 to 0.25)')
  })

  it('are in tables', () => {
    expect(table(['what', 'ms'], ['a', '1'], ['b', ''])).toBe('| what | ms |\n|---|---|\n| a | 1 |\n| b |  |')
  })
})
