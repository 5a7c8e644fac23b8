import { join } from 'node:path'
import { afterEach, expect, inject, test } from 'vitest'
import { root } from '../../tools/bundle.ts'
import { Stage } from '../support/engine/stack.ts'

const pack = join(root, 'infra/policy')
const blocked = 1

let stage: Stage
afterEach(() => stage.close())

test('the policies accept the program before anything is created', async () => {
  stage = await Stage.start(inject('pulumi'))
  const stack = await stage.stack()
  await stage.services.forget()
  const { status, output } = await stack.run(['preview', '--policy-pack', pack])
  expect(output).toMatch(/homeport[^\n]*\(local/)
  expect(status).toBe(0)
  expect(await stage.services.writes()).toEqual([])
})

test('the policies stop a record that breaks them, and name it', async () => {
  stage = await Stage.start(inject('pulumi'), { project: join(root, 'test/engine/fixtures/broken-rules') })
  const stack = await stage.stack()
  await stage.services.forget()
  const { status, output } = await stack.tryUp('--policy-pack', pack)
  expect(status).toBe(blocked)
  expect(output).toContain('careless')
  expect(output).toMatch(/mandatory/)
  expect(await stage.services.writes()).toEqual([])
})
