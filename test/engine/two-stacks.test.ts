import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { Stage } from '../support/engine/stack.ts'

let stage: Stage
beforeAll(async () => {
  stage = await Stage.start(inject('pulumi'))
})
afterAll(() => stage.close())

it('two stacks in one account do not touch each other', async () => {
  const { services } = stage
  const dev = await stage.stack('dev')
  await dev.up()
  const devToken = await dev.output('dnsToken')
  const { environments } = services.state.github
  services.sandbox.control.setState({ github: { environments: { ...environments, 'dns-prod': {} } } })
  const prod = await stage.stack('prod', {
    hostname: 'prod.example.com',
    publicOrigin: 'https://staff.example.com',
    displayName: 'Homeport prod',
    environment: 'dns-prod',
  })
  await services.forget()
  await prod.up()
  const touched = (await services.writes()).filter(write =>
    /^(DELETE|PATCH) \/(dns|tokens|workers)/.test(write),
  )
  expect(touched).toEqual([])

  await services.forget()
  await dev.up()
  expect(await services.writes()).toEqual([])
  expect(await dev.output('dnsToken')).toBe(devToken)
  expect(await prod.output('dnsToken')).not.toBe(devToken)
  const names = (await services.tokens()).map(({ name }) => name)
  expect(names.sort()).toEqual(['homeport-dev', 'homeport-prod'])
  expect(await services.record('dyn.example.com')).toBeDefined()
  expect(await services.record('prod.example.com')).toBeDefined()
})
