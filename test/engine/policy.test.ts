import { expect, inject, it } from 'vitest'
import { policies, Stage } from '../support/engine/stack.ts'

// test/infra/policy/policy.test.ts has what each policy reports.
it('the policies accept the program before anything is created', async () => {
  const stage = await Stage.start(inject('pulumi'))
  try {
    const stack = await stage.stack()
    await stack.configurePush()
    stage.services.forget()
    const { status, output } = await stack.run(['preview', ...policies])
    expect(output).toMatch(/homeport[^\n]*\(local/)
    // A rule that reads an unknown value is downgraded to advisory.
    expect(output).not.toMatch(/advisory/)
    expect(status).toBe(0)
    expect(stage.services.writes()).toEqual([])
  } finally {
    await stage.close()
  }
})
