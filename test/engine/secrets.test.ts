import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { hashPassword } from '../../push/passwords.ts'
import { passphrase } from '../../tools/pulumi-project.ts'
import { sessionKeys } from '../support/configuration.ts'
import { hostname, policies, routerPassword, type Stack, Stage } from '../support/engine/stack.ts'

let stage: Stage
let stack: Stack
beforeAll(async () => {
  stage = await Stage.start(inject('pulumi'))
  stack = await stage.stack()
  await stack.configurePush()
})
afterAll(() => stage?.close())

/** Returns the encodings in which a file may contain a value. */
const spellings = (value: string): string[] => [
  value,
  Buffer.from(value).toString('base64').replace(/=+$/, ''),
  encodeURIComponent(value),
  JSON.stringify(value).slice(1, -1),
]

/** Finds secrets in plain text in the files that commands leave: state, history, backups, plans and output. */
async function leaks(secrets: Readonly<Record<string, string>>): Promise<string[]> {
  const entries = await readdir(stage.services.folder, { recursive: true, withFileTypes: true })
  const files = entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name))
  expect(files.some(file => file.includes('/backups/'))).toBe(true)
  expect(files.some(file => file.includes('/history/'))).toBe(true)
  const found: string[] = []
  for (const file of files) {
    const text = await readFile(file, 'latin1')
    for (const [name, value] of Object.entries(secrets)) {
      if (spellings(value).some(spelling => text.includes(spelling))) {
        found.push(`${name} in ${relative(stage.services.folder, file)}`)
      }
    }
  }
  return found
}

/** Returns every secret of the stack. */
function secretsOf(dnsToken: string): Record<string, string> {
  const { at, state, sandbox } = stage.services
  const passwords = state.entra.applications.flatMap(one => one.passwords.map(({ secretText }) => secretText))
  const secrets = [sandbox.description.entra.deployer.clientSecret, ...passwords]
  return {
    'minting and deploying token': at.adminToken,
    'GitHub token': sandbox.description.github.token,
    'session key': sessionKeys,
    'DNS token': dnsToken,
    passphrase,
    ...Object.fromEntries(secrets.map((secret, index) => [`client secret ${index}`, secret])),
  }
}

const handedOver = () => stage.services.token

// test/infra/policy/policy.test.ts has what each policy reports.
it('the policies accept the program before anything is created', async () => {
  stage.services.sandbox.control.clearJournal()
  const output = await stack.must(['preview', ...policies])
  expect(output).toMatch(/homeport[^\n]*\(local/)
  // A rule that reads an unknown value is downgraded to advisory.
  expect(output).not.toMatch(/advisory/)
  expect(stage.services.writes()).toEqual([])
})

it('commands leave no secret in plain text', async () => {
  const plan = join(stage.services.folder, 'plan.json')
  await stack.must(['preview', '--diff', '--save-plan', plan], { PULUMI_EXPERIMENTAL: 'true' })
  await stack.must(['up', '--yes', '--diff'])
  await stack.configure({ tokenRotation: 'second' })
  await stack.must(['preview', '--json'])
  await stack.up('--logtostderr', '-v=1')
  await stack.must(['stack', 'output'])
  await stack.must(['stack', 'history'])
  await stack.must(['config'])
  // By itself, @pulumi/github copies GITHUB_TOKEN from the environment to its provider's inputs without a mark, and the state
  // has it in plain text.
  await stack.configure({ 'github:token': undefined })
  await stack.must(['up', '--yes', '--skip-preview'], {
    GITHUB_TOKEN: stage.services.sandbox.description.github.token,
  })
  expect(handedOver()).not.toBe('')
  const { tokens } = stage.services.sandbox.control.state() as {
    readonly tokens: readonly { readonly name: string; readonly value: string }[]
  }
  const pushToken = tokens.find(({ name }) => name === 'homeport-dev-push')?.value
  const ofPush = { 'push token': pushToken ?? '', hash: await hashPassword(routerPassword) }
  expect(pushToken).toMatch(/^\w{40,}$/)
  // What is no secret is found, in the state among others.
  expect(await leaks({ hostname })).toContainEqual(expect.stringContaining('/stacks/'))
  expect(await leaks({ ...secretsOf(handedOver()), ...ofPush })).toEqual([])
})
