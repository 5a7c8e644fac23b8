import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const script = join(import.meta.dirname, '../../../../sandbox/cli.ts')

/** What the command prints when it serves, before it is ended. */
async function described(...args: string[]): Promise<Record<string, unknown>> {
  const child = spawn(process.execPath, [script, '--json', ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  child.kill('SIGTERM')
  await once(child, 'exit')
  return JSON.parse(line.toString('utf8').split('\n')[0] ?? '') as Record<string, unknown>
}

test('the identity provider and GitHub are served when they are asked for, and described', async () => {
  const redirectUri = 'http://127.0.0.1:8080/auth/callback'
  const { entra, github } = await described('--redirect-uri', redirectUri, '--github')
  expect(entra).toEqual({
    instance: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/$/),
    graphUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    metadataHost: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
    tenantId: expect.any(String),
    clientId: expect.any(String),
    clientSecret: expect.any(String),
    redirectUri,
    deployer: {
      clientId: expect.any(String),
      clientSecret: expect.any(String),
      objectId: expect.any(String),
    },
    users: expect.any(Array),
  })
  expect(github).toEqual({
    baseUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/$/),
    owner: 'homeport',
    repository: 'homeport',
    token: expect.stringMatching(/^github_pat_/),
  })
})

test('an address that is none is refused before anything starts', async () => {
  const child = spawn(process.execPath, [script, '--redirect-uri', 'nowhere'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const [said] = (await once(child.stderr, 'data')) as [Buffer]
  const [status] = await once(child, 'exit')
  expect([status, said.toString('utf8')]).toEqual([2, expect.stringMatching(/--redirect-uri .* "nowhere"/)])
})

test('the identity provider is there by default, for the sign-in handler as it starts, and GitHub is not', async () => {
  const { entra, github } = await described()
  expect(entra).toMatchObject({ redirectUri: 'http://localhost:8080/auth/callback' })
  expect(github).toBeUndefined()
})
