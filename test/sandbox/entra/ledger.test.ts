import { describe, expect, it } from 'vitest'
import { problems } from '../../../sandbox/entra/login/aadsts.ts'
import { ledger } from '../../../sandbox/entra/login/ledger.ts'

describe('the ledger', () => {
  it('names every AADSTS number that the stand-in gives by itself', () => {
    const text = JSON.stringify(ledger)
    const missing = Object.values(problems).filter(({ code }) => !new RegExp(`\\b${code}\\b`).test(text))
    expect(missing).toEqual([])
  })

  it('says of every behaviour what it is and where the knowledge is from', () => {
    for (const { what, source, where } of Object.values(ledger)) {
      expect(what).toMatch(/\.$/)
      expect(['documented', 'observed', 'tried', 'assumed']).toContain(source)
      expect(where).not.toBe('')
    }
  })
})
