import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from '../../tools/bundle.ts'
import { deployed } from '../support/engine/deployed.ts'
import { hostname, pushHost, routerPassword } from '../support/engine/stack.ts'
import { ping } from '../support/ping.ts'

const pack = join(root, 'infra/policy')
const otherName = 'moved.example.com'
const { stage, stack } = await deployed()
const { services } = stage

const send = (name: string, address: string) =>
  ping(services.sandbox.description, pushHost, routerPassword, `hostname=${name}&myip=${address}`)
const contentOf = async (name: string) => (await services.record(name))?.content

it('a stack gets the endpoint, and the policies hold', async () => {
  await stack.configurePush()
  await stack.up('--policy-pack', pack)
  expect(await stack.output('pushUrl')).toBe(`https://${pushHost}`)
  expect(await send(hostname, '8.8.8.8')).toBe('200 good 8.8.8.8\n')
})

it('no up brings an old address back, not even one that updates the record', async () => {
  await services.forget()
  await stack.up()
  expect(await services.writes()).toEqual([])
  expect(await contentOf(hostname)).toBe('8.8.8.8')
  expect(await send(hostname, '8.8.4.4')).toBe('200 good 8.8.4.4\n')
  await stack.configurePush(otherName)
  await services.forget()
  await stack.up('--policy-pack', pack)
  expect(await services.writes()).toContain('PUT /dns_records/*')
  expect(await contentOf(otherName)).toBe('8.8.4.4')
  expect(await send(otherName, '8.8.4.4')).toBe('200 nochg 8.8.4.4\n')
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
  expect(await send(otherName, '8.8.8.8')).toBe('200 good 8.8.8.8\n')
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
  expect(await contentOf(otherName)).toBe('8.8.8.8')
})
