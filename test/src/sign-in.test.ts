import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runtimes, type Stage, startStage } from './support/stage.ts'

describe.each(runtimes)('sign-in on %s', runtime => {
  let stage: Stage
  beforeAll(async () => {
    stage = await startStage(runtime)
  })
  afterAll(() => stage?.close())

  it('lets an employee in, and says who they are', async () => {
    const { account, userName, employeeId } = await stage.hire()
    const visitor = stage.visitor()
    const answer = await visitor.signIn(account)
    expect(answer.text).toBe(
      JSON.stringify({ user: { username: userName, resourceId: employeeId, isAdmin: false } }),
    )
    expect(answer.status).toBe(200)
    expect((await visitor.session()).body).toEqual({
      user: { username: userName, resourceId: employeeId, isAdmin: false },
    })
  })
})
