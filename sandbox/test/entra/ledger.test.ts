import { describe, expect, it } from 'vitest'
import { graphAreas } from '../../entra/graph/ledger.ts'
import { problems } from '../../entra/login/aadsts.ts'
import { loginAreas } from '../../entra/login/ledger.ts'
import type { Entry } from '../../http/ledger.ts'

const ledger = Object.assign({}, ...[...loginAreas, ...graphAreas].map(({ entries }) => entries)) as Record<
  string,
  Entry
>

describe('the ledger', () => {
  it('names every AADSTS code that the emulator returns', () => {
    const text = JSON.stringify(ledger)
    const missing = Object.values(problems).filter(({ code }) => !new RegExp(`\\b${code}\\b`).test(text))
    expect(missing).toEqual([])
  })

  it('has a sentence, a source and a reference in every entry', () => {
    for (const { what, source, where } of Object.values(ledger)) {
      expect(what).toMatch(/\.$/)
      expect(['documented', 'observed', 'tried', 'assumed']).toContain(source)
      expect(where).not.toBe('')
    }
  })
})
