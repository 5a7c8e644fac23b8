import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { hostname, policies, type Stack, Stage } from '../support/engine/stack.ts'

let stage: Stage
beforeAll(async () => {
  stage = await Stage.start(inject('pulumi'))
})
afterAll(() => stage?.close())

/** The program, with other inputs for one of its resources. */
const planted = `
import * as pulumi from '@pulumi/pulumi'
const { name, changes } = JSON.parse(process.env.PLANTED)
pulumi.runtime.registerStackTransformation(({ name: found, props, opts }) =>
  found === name ? { props: { ...props, ...changes }, opts } : undefined)
export default (await import('../infra/index.ts')).default
`

/** Runs a command for a program that declares something else. */
async function runPlanted(stack: Stack, name: string, changes: object, ...args: readonly string[]) {
  const project = join(stage.project.path, 'Pulumi.yaml')
  const text = await readFile(project, 'utf8')
  await mkdir(join(stage.project.path, 'planted'), { recursive: true })
  await writeFile(join(stage.project.path, 'planted/index.ts'), planted)
  await writeFile(project, text.replace(/^main: .*/m, 'main: planted/index.ts'))
  try {
    stage.services.sandbox.control.clearJournal()
    return await stack.run([...args, ...policies], {
      PLANTED: JSON.stringify({ name, changes }),
    })
  } finally {
    await writeFile(project, text)
  }
}

describe('a fault', () => {
  it('in what a preview knows is refused before anything is written', async () => {
    const stack = await stage.stack('faulty', { signIn: 'host' })
    const change = { value: stage.services.at.adminToken }
    const name = 'repository-homeport-hostname'
    const { status, output } = await runPlanted(stack, name, change, 'up', '--yes')
    expect(status).toBe(1)
    expect(output).toMatch(/mandatory.*secret-places/)
    expect(output).toContain(`${name} has value = something else instead of "${hostname}". Declare what`)
    expect(output).not.toContain(stage.services.at.adminToken)
    expect(stage.services.writes()).toEqual([])
    await stack.must(['stack', 'rm', '--yes'])
  })

  it('is refused by an up without a preview, too, which does not write that resource', async () => {
    const stack = await stage.stack('unseen', { signIn: 'none', repository: undefined })
    const { status, output } = await runPlanted(
      stack,
      'dns-record',
      { name: 'example.com' },
      'up',
      '--yes',
      '--skip-preview',
    )
    expect(status).toBe(1)
    expect(output).toContain('dns-record has name = "example.com" instead of')
    expect(stage.services.writes()).not.toContain('POST /dns_records')
  })
})

it('a preview of a record that is refused shows why, and no other error', async () => {
  const { services } = stage
  const record = { name: 'taken.example.com', type: 'A', content: '198.51.100.9', ttl: 120 }
  await services.api('POST', `/zones/${services.at.zoneId}/dns_records`, record)
  const stack = await stage.stack('taken', { hostname: record.name, repository: undefined })
  const { output } = await stack.run(['preview', ...policies])
  expect(output).toContain('already has an A record')
  expect(output).not.toContain('context canceled')
  await stack.must(['stack', 'rm', '--yes'])
})

// The tests of other stacks deploy them with the policies, too.
it('the policies pass records alone', async () => {
  const config = { signIn: 'none', repository: undefined, hostname: 'alone.example.com' }
  const stack = await stage.stack('record', config)
  await stack.up(...policies)
})
