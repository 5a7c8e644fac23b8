import { join } from 'node:path'
import { afterEach, beforeEach, expect, inject, it } from 'vitest'
import { root } from '../../tools/bundle.ts'
import { hostname, type Stack, Stage } from '../support/engine/stack.ts'

const pack = join(root, 'infra/policy')
const careless = join(root, 'test/engine/fixtures/careless-import')

// The program has no checks of its own, and its state has no hooks, as that of an earlier version.
let stage: Stage
let stack: Stack
beforeEach(async () => {
  stage = await Stage.start(inject('pulumi'), { project: careless })
  stack = await stage.stack()
  await stack.up('--policy-pack', pack)
})
afterEach(() => stage.close())

/** Expects a command to end red by a policy, and the record to be there afterwards. */
async function stops(args: readonly string[], policy: string, message: RegExp): Promise<void> {
  const before = await stage.services.record(hostname)
  const { status, output } = await stack.run([...args, '--policy-pack', pack])
  expect(status, output).toBe(1)
  expect(output.replace(/\s+/g, ' ')).toMatch(message)
  expect(output).toMatch(new RegExp(`\\[mandatory\\]\\s+${policy}`))
  expect(await stage.services.record(hostname)).toEqual(before)
}

it('no import replaces the record, protected as it is', async () => {
  const { services } = stage
  const own = await services.record(hostname)
  const path = `/zones/${services.at.zoneId}/dns_records`
  const body = { name: 'other.example.com', type: 'A', content: '203.0.113.9', ttl: 120, proxied: false }
  const other = await services.api<{ id: string }>('POST', path, body)
  await stack.configure({ importRecordId: other.id })
  await stops(
    ['preview'],
    'imports-replace-nothing',
    new RegExp(`import the record ${other.id} and delete the record ${own?.id}`),
  )
  await stops(['up', '--yes'], 'imports-replace-nothing', /delete the record/)
  await stops(
    ['up', '--yes', '--skip-preview'],
    'state-kept',
    new RegExp(`would delete the record ${own?.id}`),
  )
  // The state has the deletion now, so every later run would make it.
  await stack.configure({ importRecordId: undefined })
  await stops(['up', '--yes', '--skip-preview'], 'state-kept', /take it out of the state/)
})

it('no run starts while the record could be deleted or moved', async () => {
  await stack.configure({ displayName: 'No record' })
  const urns = await stack.must(['stack', '--show-urns'])
  const [urn = ''] = /urn:\S+::dns-record/.exec(urns) ?? []
  await stack.must(['state', 'unprotect', '--yes', urn])
  await stops(['up', '--yes', '--skip-preview'], 'state-kept', /without protection.*pulumi state protect/)
  await stack.configure({ displayName: 'Homeport', zoneId: 'f'.repeat(32) })
  await stops(['preview'], 'state-kept', /without protection/)
  await stack.must(['state', 'protect', '--yes', urn])
  await stops(['up', '--yes', '--skip-preview'], 'state-kept', /would replace the record .* zoneId/)
})

it('a record that somebody deleted comes back', async () => {
  const { services } = stage
  const own = await services.record(hostname)
  await services.api('DELETE', `/zones/${services.at.zoneId}/dns_records/${own?.id}`)
  await stack.up('--policy-pack', pack)
  expect((await services.record(hostname))?.id).not.toBe(own?.id)
})
