import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const script = join(import.meta.dirname, '../../sandbox/cli.ts')

/** Starts the sandbox, resolves to the description that it prints, and stops it. */
async function described(...args: string[]): Promise<Record<string, unknown>> {
  const child = spawn(process.execPath, [script, '--json', ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  child.kill('SIGTERM')
  await once(child, 'exit')
  return JSON.parse(line.toString('utf8').split('\n')[0] ?? '') as Record<string, unknown>
}

test('serves and describes the identity provider and GitHub on request', async () => {
  const redirectUri = 'http://127.0.0.1:8080/auth/callback'
  const { entra, github } = await described('--redirect-uri', redirectUri, '--github')
  expect(entra).toEqual({
    instance: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/$/),
    graphUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    metadataHost: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
    tenantId: expect.any(String),
    tenantDomain: 'example.com',
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
    workflowToken: expect.stringMatching(/^ghs_/),
  })
})

test('refuses an invalid URL before anything starts', async () => {
  const child = spawn(process.execPath, [script, '--redirect-uri', 'nowhere'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const [said] = (await once(child.stderr, 'data')) as [Buffer]
  const [status] = await once(child, 'exit')
  expect([status, said.toString('utf8')]).toEqual([2, expect.stringMatching(/--redirect-uri .* "nowhere"/)])
})

test('serves the identity provider by default, set up for the sign-in handler, but not GitHub', async () => {
  const { entra, github } = await described()
  expect(entra).toMatchObject({ redirectUri: 'http://localhost:8080/auth/callback' })
  expect(github).toBeUndefined()
})
