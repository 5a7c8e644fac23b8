import { join } from 'node:path'
import { afterEach, expect, inject, it } from 'vitest'
import { resourceRules, stackRules } from '../../infra/policy/rules.ts'
import { root } from '../../tools/bundle.ts'
import { Stage } from '../support/engine/stack.ts'

const pack = join(root, 'infra/policy')
const blocked = 1

let stage: Stage
afterEach(() => stage.close())

it('the policies accept the program before anything is created', async () => {
  stage = await Stage.start(inject('pulumi'))
  const stack = await stage.stack()
  await stack.configurePush()
  await stage.services.forget()
  const { status, output } = await stack.run(['preview', '--policy-pack', pack])
  expect(output).toMatch(/homeport[^\n]*\(local/)
  // A rule that reads an unknown value is downgraded to advisory.
  expect(output).not.toMatch(/advisory/)
  expect(status).toBe(0)
  expect(await stage.services.writes()).toEqual([])
})

const broken = join(root, 'test/engine/fixtures/broken-rules')

it('every policy stops the first preview of a program that breaks it, and names the resource', async () => {
  stage = await Stage.start(inject('pulumi'), { project: broken })
  const stack = await stage.stack()
  await stage.services.forget()
  const violations: string[] = []
  const parts = [
    'record',
    'token',
    'registration',
    'rival',
    'database',
    'worker',
    'endpoint',
    'domain',
    'stack',
  ]
  for (const part of parts) {
    await stack.configure({ displayName: part })
    const { status, output } = await stack.run(['preview', '--policy-pack', pack])
    expect(status, output).toBe(blocked)
    violations.push(...[...output.matchAll(/\[mandatory\]\s+([a-z-]+)/g)].map(([, name]) => name ?? ''))
    if (part !== 'stack') expect(output).toMatch(/\[mandatory\].*(careless|push-worker)/)
  }
  expect(new Set(violations)).toEqual(new Set([...resourceRules, ...stackRules].map(({ name }) => name)))
  expect(await stage.services.writes()).toEqual([])
})

it('the policies stop an up before it creates what breaks them', async () => {
  stage = await Stage.start(inject('pulumi'), { project: broken })
  const stack = await stage.stack('dev', { displayName: 'record' })
  await stage.services.forget()
  const { status, output } = await stack.tryUp('--policy-pack', pack)
  expect(status).toBe(blocked)
  expect(output).toMatch(/mandatory/)
  // The engine may create what does not depend on the record before it hears of the policies.
  expect((await stage.services.writes()).filter(write => write.includes('/dns_records'))).toEqual([])
})
