import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from '../../tools/bundle.ts'
import { deployed } from '../support/engine/deployed.ts'
import { hostname, pushHost, routerPassword } from '../support/engine/stack.ts'
import { ping } from '../support/ping.ts'

const pack = join(root, 'infra/policy')
const { stage, stack } = await deployed()
const { services } = stage

const send = (address: string) =>
  ping(services.sandbox.description, pushHost, routerPassword, `hostname=${hostname}&myip=${address}`)

it('a stack gets the endpoint, and the policies hold', async () => {
  await stack.configurePush()
  await stack.up('--policy-pack', pack)
  expect(await stack.output('pushUrl')).toBe(`https://${pushHost}`)
  expect(await send('8.8.8.8')).toBe('200 good 8.8.8.8\n')
})

it('its token is replaced before the old one is deleted', async () => {
  await stack.configure({ pushTokenRotation: 'second' })
  await services.forget()
  await stack.up()
  expect(await services.writes()).toEqual([
    'POST /tokens',
    'PUT /workers/scripts/homeport-dev-push',
    'DELETE /tokens/*',
  ])
  expect(await send('8.8.4.4')).toBe('200 good 8.8.4.4\n')
  expect((await stack.drift()).output).toContain('No drift')
})

it('leaving it deletes its Worker, domain and token, and no record', async () => {
  await stack.configure({
    push: 'none',
    pushOrigin: undefined,
    pushHosts: undefined,
    pushTokenRotation: undefined,
  })
  await services.forget()
  await stack.up('--policy-pack', pack)
  expect((await services.writes()).toSorted()).toEqual([
    'DELETE /tokens/*',
    'DELETE /workers/domains/*',
    'DELETE /workers/scripts/homeport-dev-push',
  ])
  expect(await services.record(hostname)).toMatchObject({ content: '8.8.4.4' })
})
