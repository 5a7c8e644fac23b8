import { join } from 'node:path'
import { afterEach, expect, inject, it } from 'vitest'
import { root } from '../../tools/bundle.ts'
import { policies, Stage } from '../support/engine/stack.ts'

const blocked = 1

let stage: Stage
afterEach(() => stage.close())

it('the policies accept the program before anything is created', async () => {
  stage = await Stage.start(inject('pulumi'))
  const stack = await stage.stack()
  await stack.configurePush()
  await stage.services.forget()
  const { status, output } = await stack.run(['preview', ...policies])
  expect(output).toMatch(/homeport[^\n]*\(local/)
  // A rule that reads an unknown value is downgraded to advisory.
  expect(output).not.toMatch(/advisory/)
  expect(status).toBe(0)
  expect(await stage.services.writes()).toEqual([])
})

const broken = join(root, 'test/engine/fixtures/broken-rules')

it.each([
  ['a resource', 'resource', 'record-shape'],
  ['a whole stack', 'stack', 'hosts-distinct'],
])('a policy about %s stops preview and up before the record is created', async (_, part, policy) => {
  stage = await Stage.start(inject('pulumi'), { project: broken })
  const stack = await stage.stack('dev', { displayName: part })
  await stage.services.forget()
  for (const command of [['preview'], ['up', '--yes']]) {
    const { status, output } = await stack.run([...command, ...policies])
    expect(status, output).toBe(blocked)
    expect([...output.matchAll(/\[mandatory\]\s+([a-z-]+)/g)].map(([, name]) => name)).toContain(policy)
  }
  expect((await stage.services.writes()).filter(write => write.includes('/dns_records'))).toEqual([])
})
