import { describe, expect, it } from 'vitest'
import type { Candidate } from '../../../src/employees/employee-store.ts'
import type { Settings } from '../../../src/settings/table.ts'
import { matchEmployee as match } from '../../../src/sign-in/matching.ts'
import { candidate as ada } from '../support/in-process.ts'

const unbound = { ...ada, id: '1', userName: 'alice', boundTo: null, askerBoundTo: null }
const candidate = (change: Partial<Candidate> = {}): Candidate => ({ ...unbound, ...change })
const matchEmployee = (
  identity: Parameters<typeof match>[0],
  candidates: readonly Candidate[],
  policy: Settings['bindOnFirstUse'] = 'everybody',
) => match(identity, candidates, policy)
const asker = { objectId: 'D1', username: 'alice', bindsByName: true }

describe('the employee of an identity', () => {
  it('is the exact match before any other spelling', () => {
    const candidates = [candidate({ id: '1', userName: 'Alice' }), candidate({ id: '2', userName: 'alice' })]
    const ambiguous = { kind: 'refused', code: 'ambiguous-employee' }
    expect(matchEmployee(asker, candidates)).toMatchObject({ employee: { id: '2' }, mustBind: true })
    const shouting = { ...asker, username: 'ALICE' }
    expect(matchEmployee(shouting, candidates)).toEqual(ambiguous)
    expect(matchEmployee(shouting, candidates.slice(0, 1))).toMatchObject({ kind: 'employee' })
    expect(matchEmployee(asker, [...candidates, candidate({ id: '3' })])).toEqual(ambiguous)
  })

  it.each([{}, { boundTo: 'D1', askerBoundTo: '1' }, { boundTo: 'D2' }, { isActive: false }])(
    'has an id of its own: %o',
    change => {
      const refused = { kind: 'refused', code: 'ambiguous-employee', employeeId: '1' }
      const record = candidate({ ...change, sharesId: true })
      expect(matchEmployee(asker, [record])).toEqual(refused)
      expect(matchEmployee(asker, [record, { ...record, isAdmin: true }])).toEqual(refused)
    },
  )

  it.each([
    ['bound to the asker', { boundTo: 'D1', askerBoundTo: '1' }, { kind: 'employee', mustBind: false }],
    ['bound to another account', { boundTo: 'D2' }, { code: 'identity-changed' }],
    ['unbound, and the asker bound elsewhere', { askerBoundTo: '9' }, { code: 'identity-changed' }],
    ['inactive', { isActive: false }, { code: 'inactive' }],
    // The asker learns only the latter.
    ['inactive and bound to another', { isActive: false, boundTo: 'D2' }, { code: 'identity-changed' }],
  ])('depends on the binding and on being active: %s', (_, change, expected) => {
    expect(matchEmployee(asker, [candidate(change)])).toMatchObject(expected)
  })

  it.each([
    ['everybody', false, 'employee'],
    ['everybody', true, 'employee'],
    ['employees', false, 'employee'],
    ['employees', true, 'binding-required'],
    ['nobody', false, 'binding-required'],
    ['nobody', true, 'binding-required'],
  ] as const)(
    'is bound on first use as BIND_ON_FIRST_USE allows: %s, administrator %s',
    (policy, isAdmin, expected) => {
      const found = matchEmployee(asker, [candidate({ isAdmin })], policy)
      expect(found.kind === 'employee' ? found.kind : found.code).toBe(expected)
      const bound = candidate({ isAdmin, boundTo: 'D1', askerBoundTo: '1' })
      expect(matchEmployee(asker, [bound], policy)).toMatchObject({ kind: 'employee', mustBind: false })
      const asGuest = matchEmployee({ ...asker, bindsByName: false }, [candidate({ isAdmin })], policy)
      expect(asGuest).toMatchObject({ code: 'binding-required' })
    },
  )
})
