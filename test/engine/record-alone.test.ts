import { mkdir, symlink } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { root } from '../../tools/bundle.ts'
import { searchPath } from '../../tools/pulumi-project.ts'
import { hostname, type Stack, Stage } from '../support/engine/stack.ts'
import { runAction } from '../support/runner.ts'

const plugins = join(root, 'sandbox/pulumi/plugins/bin')
const changesPlanned = 7
const otherName = 'moved.example.com'
let stage: Stage
let stack: Stack
/** Finds no plugin but Cloudflare's. */
let environment: NodeJS.ProcessEnv

beforeAll(async () => {
  stage = await Stage.start(inject('pulumi'))
  const folder = join(stage.services.folder, 'plugins')
  await mkdir(folder)
  await symlink(join(plugins, 'pulumi-resource-cloudflare'), join(folder, 'pulumi-resource-cloudflare'))
  const others = searchPath(inject('pulumi'))
    .split(delimiter)
    .filter(path => path !== plugins)
  environment = { PATH: [folder, ...others].join(delimiter) }
  stack = await stage.stack('dev', {
    signIn: 'none',
    tokenOwner: undefined,
    ...Object.fromEntries(
      [
        ...['accountId', 'publicOrigin', 'secretRotationA', 'secretRotationB', 'allowedDomains'],
        ...['instance', 'graphUrl', 'repository', 'environment', 'github:baseUrl'],
      ].map(key => [key, undefined]),
    ),
  })
  await stack.configure({ sessionKeys: undefined, 'github:token': undefined })
})
afterAll(() => stage?.close())

const up = () => stack.must(['up', '--yes', '--skip-preview'], environment)

/** Runs the shipped action with the token that the stack created for it. */
async function move(name: string, address: string): Promise<void> {
  const { baseUrl, zoneId } = stage.services.at
  const run = await runAction({
    'api-token': await stack.output('dnsToken'),
    'zone-id': zoneId,
    hostname: name,
    address,
    'allow-reserved-address': 'true',
    'base-url': baseUrl,
  })
  if (run.outputs['result'] !== 'updated') throw new Error(run.raw)
}

async function patch(change: object): Promise<void> {
  const { services } = stage
  const record = await services.record(hostname)
  await services.api('PATCH', `/zones/${services.at.zoneId}/dns_records/${record?.id}`, change)
}

it('goes up with no plugin but that of Cloudflare, and a second run writes nothing', async () => {
  expect(await up()).not.toMatch(/azuread|github|rm-all/)
  expect(await stage.services.record(hostname)).toMatchObject({ content: '192.0.2.1' })
  stage.services.sandbox.control.clearJournal()
  await up()
  expect(stage.services.writes()).toEqual([])
})

it('keeps the address that the action set, and repairs what drifted', async () => {
  await move(hostname, '203.0.113.7')
  await patch({ ttl: 300 })
  const drift = await stack.drift()
  expect(drift.output).toContain('has ttl = 300 instead of 120')
  expect(drift.output).not.toMatch(/Entra|Worker|HOMEPORT_GRAPH_TOKEN/)
  expect((await stack.run(['preview', '--expect-no-changes'], environment)).status).toBe(changesPlanned)
  await up()
  expect(await stage.services.record(hostname)).toMatchObject({ content: '203.0.113.7', ttl: 120 })
  expect((await stack.drift()).output).toContain('No drift')
})

it('keeps the value of a token, and a comment and tags that people wrote, also with another hostname and end', async () => {
  const { services } = stage
  const notes = { comment: 'router in the hall', tags: ['team:net'] }
  await patch(notes)
  services.sandbox.control.clearJournal()
  expect((await stack.run(['preview', '--expect-no-changes'], environment)).status).toBe(0)
  await stack.must(['refresh', '--yes', '--skip-preview'], environment)
  await up()
  expect(services.writes()).toEqual([])
  await move(hostname, '203.0.113.12')
  const token = await stack.output('dnsToken')
  await stack.configure({ hostname: otherName, tokenExpiresOn: '2099-01-01T00:00:00Z' })
  await up()
  expect(services.writes()).toEqual(expect.arrayContaining(['PUT /dns_records/*', 'PUT /user/tokens/*']))
  expect(await stack.output('dnsToken')).toBe(token)
  expect(await services.record(otherName)).toMatchObject({ ...notes, content: '203.0.113.12' })
  expect(await services.record(hostname)).toBeUndefined()
})
