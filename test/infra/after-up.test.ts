import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts'
import { compileCache } from '../../tools/compile-cache.ts'
import { askCloudflare } from '../support/services.ts'
import { exported, resourcesWith } from './support/exported.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
let sandbox: Sandbox
let outputs = ''

beforeAll(async () => {
  sandbox = await startSandbox()
  const { cloudflare } = sandbox.description
  const { accountId } = cloudflare
  const path = `/accounts/${accountId}/d1/database`
  const { uuid } = await askCloudflare<{ uuid: string }>(cloudflare, 'POST', path, { name: 'homeport-dev' })
  outputs = JSON.stringify({ accountId, databaseId: uuid, dnsToken: '[secret]' })
})
afterAll(() => sandbox.close())

/** Runs the command like `npm run after-up`, with the stack's outputs on standard input. */
async function afterUp(
  args: readonly string[],
  { input = outputs as string | Buffer | null, env = {} as Record<string, string> } = {},
) {
  const { apiUrl, adminToken } = sandbox.description.cloudflare
  const child = spawn(
    process.execPath,
    ['infra/after-up.ts', ...(input === null ? [] : ['--outputs', '-']), ...args],
    {
      cwd: root,
      env: {
        PATH: '/nowhere',
        CLOUDFLARE_API_URL: apiUrl,
        CLOUDFLARE_API_TOKEN: adminToken,
        ...compileCache(),
        ...env,
      },
    },
  )
  child.stdin.end(input ?? '')
  const [[status], output, problem] = await Promise.all([
    once(child, 'exit'),
    text(child.stdout),
    text(child.stderr),
  ])
  return { status, output, problem }
}

describe('npm run after-up', () => {
  it('shows what it would do with --dry-run, and changes nothing', async () => {
    const { status, output } = await afterUp(['--dry-run', '--employee', 'alice'])
    expect(status).toBe(0)
    expect(output).toMatch(/CREATE TABLE/i)
    expect(output).toContain('Would add alice')
  })

  it('creates the tables and adds the first employees', async () => {
    const { status, output, problem } = await afterUp(['--employee', 'alice', '--admin', 'bob'])
    // The log of the two changes, and nothing else.
    const logged = problem
      .trim()
      .split('\n')
      .map(line => JSON.parse(line) as unknown)
    expect(logged).toEqual([
      expect.objectContaining({ level: 'info', event: 'change', change: 'add' }),
      expect.objectContaining({ level: 'info', event: 'change', change: 'add' }),
    ])
    expect(status).toBe(0)
    expect(output).toMatch(/created table employees\.\n/)
    expect(output).toMatch(/^Added alice \(.*\)\.$/m)
    expect(output).toMatch(/^Added bob \(.*\) as an administrator\.$/m)
  })

  it('changes nothing when repeated', async () => {
    const { status, output } = await afterUp(['--employee', 'alice', '--admin', 'bob'])
    expect(status).toBe(0)
    expect(output).toContain('the tables are up to date')
    expect(output).toContain('alice is already an employee.')
    expect(output).not.toContain('Added')
  })

  it('migrates before pulumi up after a run that failed, which leaves no outputs', async () => {
    const { accountId, databaseId } = JSON.parse(outputs)
    const run = (resources: Parameters<typeof exported>[0]) =>
      afterUp(['--before'], {
        input: null,
        env: { PATH: join(root, 'test/infra/fixtures/bin'), ANSWER_STATE: exported(resources) },
      })
    const known = await run(resourcesWith({ databaseId }, { accountId }))
    expect(known, known.problem).toMatchObject({
      status: 0,
      output: expect.stringMatching(/up to date|created/),
    })
    expect(await run(resourcesWith({}))).toMatchObject({
      status: 0,
      output: expect.stringContaining('has no database yet'),
    })
  })

  it('migrates before pulumi up, and leaves a new stack to it', async () => {
    expect((await afterUp(['--before'])).output).toContain('the tables are up to date')
    expect(await afterUp(['--before'], { input: '{}' })).toMatchObject({
      status: 0,
      output: 'The stack has no database yet. Run pulumi up, then after-up.\n',
    })
    // Outputs that lack the database are not those of a new stack.
    expect((await afterUp(['--before'], { input: '{"accountId":"a"}' })).status).toBe(1)
  })

  it.each([
    ['an unknown option', ['--employe', 'alice'], {}, 2, /--help/],
    ['outputs that are not JSON', [], { input: 'x' }, 1, /pulumi stack output --json/],
    ['outputs that PowerShell wrote', [], { input: Buffer.from('\ufeff{}', 'utf16le') }, 1, /not UTF-8 text/],
    ['a stack that was never up', [], { input: '{}' }, 1, /no output accountId\. Run pulumi up first/],
    [
      'a record alone',
      [],
      { input: '{"accountId":"a","recordId":"r"}' },
      1,
      /no sign-in, and so no database/,
    ],
    ['no token', [], { env: { CLOUDFLARE_API_TOKEN: '' } }, 1, /CLOUDFLARE_API_TOKEN is not set/],
    ['a token without permission', [], { env: { CLOUDFLARE_API_TOKEN: 'x'.repeat(40) } }, 1, /can edit D1/],
    ['a missing file', ['--outputs', 'nothing.json'], {}, 1, /Could not read nothing\.json/],
  ])('refuses %s', async (_, args, options, expected, message) => {
    const { status, problem } = await afterUp(args, options)
    expect(status).toBe(expected)
    expect(problem).toMatch(message)
  })

  it('says what to install if there is no pulumi', async () => {
    const { status, problem } = await afterUp([], { input: null })
    expect(status).toBe(1)
    expect(problem).toContain('pulumi was not found')
  })

  it('prints help', async () => {
    const { status, output } = await afterUp(['--help'])
    expect(status).toBe(0)
    expect(output).toContain('--dry-run')
  })
})
