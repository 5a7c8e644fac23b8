import { mkdir, symlink } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { root } from '../../tools/bundle.ts'
import { searchPath } from '../../tools/pulumi-project.ts'
import { hostname, type Stack, Stage } from '../support/engine/stack.ts'

const plugins = join(root, 'sandbox/pulumi/plugins/bin')
const changesPlanned = 7
let stage: Stage
let stack: Stack
/** Finds no plugin but Cloudflare's. */
let environment: NodeJS.ProcessEnv

beforeAll(async () => {
  stage = await Stage.start(inject('pulumi'))
  const folder = join(stage.folder, 'plugins')
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

it('goes up with no plugin but that of Cloudflare, and a second run writes nothing', async () => {
  const output = await stack.must(['up', '--yes', '--skip-preview'], environment)
  expect(output).not.toMatch(/azuread|github|Remove them/)
  expect(await stage.services.record(hostname)).toMatchObject({ content: '192.0.2.1' })
  await stage.services.forget()
  await stack.must(['up', '--yes', '--skip-preview'], environment)
  expect(await stage.services.writes()).toEqual([])
})

it('keeps the address that the token’s holder wrote, and repairs what drifted', async () => {
  const { services } = stage
  const record = await services.record(hostname)
  const path = `/zones/${services.at.zoneId}/dns_records/${record?.id}`
  await services.api('PATCH', path, { content: '203.0.113.7', ttl: 300 })
  const drift = await stack.drift()
  expect(drift.output).toContain('has ttl = 300 instead of 120')
  expect(drift.output).not.toMatch(/Entra|Worker|HOMEPORT_GRAPH_TOKEN/)
  expect((await stack.run(['preview', '--expect-no-changes'], environment)).status).toBe(changesPlanned)
  await stack.must(['up', '--yes', '--skip-preview'], environment)
  expect(await services.record(hostname)).toMatchObject({ content: '203.0.113.7', ttl: 120 })
  expect((await stack.drift()).output).toContain('No drift')
})

it('goes down, and leaves the record until it is unprotected', async () => {
  await stack.must(['destroy', '--yes', '--skip-preview', '--exclude-protected'], environment)
  expect(await stage.services.record(hostname)).toMatchObject({ content: '203.0.113.7' })
  await stack.must(['state', 'unprotect', '--all', '--yes'], environment)
  await stack.must(['destroy', '--yes', '--skip-preview'], environment)
  expect(await stage.services.record(hostname)).toBeUndefined()
})
