import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '../../tools/bundle.ts'
import { type Mutant, type Survivor, verdictOn, verdictOnSample } from '../mutation/report.ts'
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

describe('the verdict on a sample', () => {
  const judge = (survived: Mutant, file = 'a.ts') =>
    verdictOnSample(
      [
        { file, mutants: [...many(18, 'Killed'), survived] },
        { file: 'b.ts', mutants: [...many(12, 'Killed'), mutant('CompileError')] },
      ],
      [survivor],
      95,
    )

  it('is good if the survivors are explained, whichever of the explanations the sample reached', () => {
    const lines = ['A sample of 2 files: 96.8 % (30 of 31 found, 1 explained)']
    expect(judge(mutant('Survived'))).toEqual({ isGood: true, lines })
    expect(verdictOnSample([{ file: 'b.ts', mutants: many(1, 'Killed') }], [survivor], 95).isGood).toBe(true)
  })

  it('is bad with a survivor that nothing explains in its file, and names it', () => {
    for (const verdict of [judge(mutant('Survived', 'return a', 'b')), judge(mutant('NoCoverage'), 'c.ts')]) {
      expect(verdict.isGood).toBe(false)
      expect(verdict.lines[1]).toMatch(/^ {2}[ac]\.ts: (Survived|NoCoverage) 3:10 EqualityOperator: return a/)
    }
  })

  it('is bad below the minimum score, or without a mutant', () => {
    const measured = [{ file: 'a.ts', mutants: [...many(18, 'Killed'), mutant('Survived')] }]
    expect(verdictOnSample(measured, [survivor], 95).lines[1]).toBe('  The score is below 95 %.')
    expect(verdictOnSample([], [], 95).isGood).toBe(false)
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
