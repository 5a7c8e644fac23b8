import { expect, it } from 'vitest'
import type { EmployeeStore } from '../../../src/employees/employee-store.ts'
import { candidate, sessionState, startInProcess } from '../support/in-process.ts'

const ended: string[] = []
/** A store where a different record has the employee's id, which notes whose sessions it ends. */
const storeOfTwo: Partial<EmployeeStore> = {
  findByName: async () => [{ ...candidate, sharesId: true }],
  checkSession: async () => ({ ...sessionState, employee: null, sharesId: true }),
  endEmployeeSessions: async id => void ended.push(id),
  findSharedIds: async () => ['E1'],
}

it('an id in two records lets nobody sign in, serves no session, and ends the earlier ones', async () => {
  const app = startInProcess({ BIND_ON_FIRST_USE: 'employees' })
  const { session } = await app.signIn()
  Object.assign(app.employees, storeOfTwo)
  const answers = [
    (await app.signIn()).answer,
    await app.call('/api/session', session),
    await app.call('/api/auth/forward', session),
    await app.send('/api/auth/logout-all', session),
  ]
  for (const answer of answers) {
    expect(await answer.json()).toMatchObject({ code: 'ambiguous-employee', status: 401 })
    expect(answer.headers.getSetCookie().join()).not.toMatch(/session=\w/)
    expect(answer.headers.get('x-homeport-resource-id')).toBeNull()
  }
  expect(ended).toEqual(['E1', 'E1', 'E1', 'E1'])
  // An account that has another's name ends nobody's sessions.
  app.employees.findByName = async () => [{ ...candidate, boundTo: 'D2' }]
  expect(await (await app.signIn()).answer.json()).toMatchObject({ code: 'identity-changed' })
  expect(ended).toHaveLength(4)
})

it('an id in two records leaves /healthz at 200, since others sign in, and is one error a minute in the log', async () => {
  const app = startInProcess({}, storeOfTwo)
  for (const _ of [1, 2]) {
    const health = await app.call('/healthz')
    expect([health.status, await health.json()]).toEqual([200, { status: 'ok' }])
  }
  expect(app.logged.map(({ level, store }) => [level, store])).toEqual([
    ['error', 'id-not-unique'],
    ['info', 'id-not-unique'],
  ])
})
