import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '../../tools/bundle.ts'
import { type Mutant, type Survivor, verdictOn } from '../mutation/report.ts'
import { survivors } from '../mutation/survivors.ts'
import { targets } from '../mutation/targets.ts'

const mutant = (status: string, line = 'return a > b', replacement = 'a >= b'): Mutant => ({
  mutatorName: 'EqualityOperator',
  replacement,
  status,
  line,
  location: { start: { line: 3, column: 10 } },
})
const survivor: Survivor = { file: 'a.ts', line: 'return a > b', replacement: 'a >= b', why: 'equal' }
const many = (count: number, status: string) => Array.from({ length: count }, () => mutant(status))

describe('the verdict on mutants', () => {
  it('is good at the minimum score, with every survivor explained', () => {
    const mutants = [...many(18, 'Killed'), mutant('Timeout'), mutant('Survived'), mutant('CompileError')]
    expect(verdictOn('a.ts', mutants, [survivor], 95)).toEqual({
      isGood: true,
      lines: ['a.ts: 95.0 % (19 of 20 found, 1 explained)'],
    })
  })

  it('is bad below the minimum score', () => {
    const { isGood, lines } = verdictOn('a.ts', [...many(18, 'Killed'), mutant('Survived')], [survivor], 95)
    expect(isGood).toBe(false)
    expect(lines[1]).toBe('  The score is below 95 %.')
  })

  it('is bad if no test reached a mutant', () => {
    expect(verdictOn('a.ts', [], [], 95).isGood).toBe(false)
    expect(verdictOn('a.ts', [mutant('NoCoverage')], [survivor], 95).isGood).toBe(false)
  })

  it('is bad with a survivor that nothing explains', () => {
    const mutants = [...many(99, 'Killed'), mutant('Survived', 'return a > b', 'a < b')]
    const { isGood, lines } = verdictOn('a.ts', mutants, [], 95)
    expect(isGood).toBe(false)
    expect(lines[1]).toBe('  Survived 3:10 EqualityOperator: return a > b -> a < b')
  })

  it('is bad with an explanation that no survivor needs', () => {
    const { isGood, lines } = verdictOn('a.ts', many(99, 'Killed'), [survivor], 95)
    expect(isGood).toBe(false)
    expect(lines[1]).toBe('  Explained, but found or gone: return a > b -> a >= b')
  })
})

describe('the table of mutation targets', () => {
  it('names files and tests that exist, and explains survivors in those files', () => {
    const paths = targets.flatMap(({ file, tests }) => [file, ...tests])
    expect(paths.filter(path => !existsSync(join(root, path)))).toEqual([])
    for (const { file, why } of survivors) {
      expect(targets.map(target => target.file)).toContain(file)
      expect(why).not.toBe('')
    }
  })
})
