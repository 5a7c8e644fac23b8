import { afterEach, expect, inject, it } from 'vitest'
import { hostname, Stage } from '../support/engine/stack.ts'

let stage: Stage
afterEach(() => stage.close())

it('a first up that fails half way leaves a record and a token that drift, --check and an import know', async () => {
  stage = await Stage.start(inject('pulumi'))
  const stack = await stage.stack()
  const { services } = stage
  const refused = {
    kind: 'errors',
    status: 403,
    errors: [{ code: 10000, message: 'Authentication error' }],
  } as const
  await services.setFaults({ match: { method: 'POST', path: '/d1/database$' }, times: null, answer: refused })
  expect((await stack.tryUp()).output).toContain('Authentication error')
  const [record, [token]] = [await services.record(hostname), await services.tokens()]
  expect([record?.id, token?.id]).toEqual([expect.any(String), expect.any(String)])

  const advice = /importRecordId|Delete it|delete it|which the state does not know|already has/
  const red = await stack.drift()
  expect(red.status, red.output).toBe(1)
  expect(red.output).not.toMatch(advice)
  const checked = await stage.check(['--stack', stack.name])
  expect(checked.output).toContain(`The stack has the record ${hostname} A.`)
  expect(checked.output).toContain('The stack has been deployed in part.')
  expect(checked.output).not.toMatch(advice)

  await stack.configure({ importRecordId: record?.id })
  for (const said of await stack.refusals())
    expect(said).toContain(`importRecordId is ${record?.id}, which the stack already has`)
  await stack.configure({ importRecordId: undefined })

  // The fix in docs/stack.md: fix what up names, and run it again.
  await services.setFaults()
  await stack.up()
  expect(await services.record(hostname)).toMatchObject({ id: record?.id })
  expect((await services.tokens()).map(({ id }) => id)).toEqual([token?.id])
  const green = await stack.drift()
  expect(green.output).toContain('No drift: stack dev is as the last run left it.')
})
