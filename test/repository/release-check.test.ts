import { execFile } from 'node:child_process'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { afterEach, describe, expect, it } from 'vitest'
import { root } from '../../tools/bundle.ts'
import { checkClone } from '../../tools/release/repository-check.ts'

/** What GitHub answers for a repository that is ready, by path (docs.github.com/rest). */
const ready = {
  '': { private: false },
  '/environments/release': {
    protection_rules: [{ type: 'required_reviewers', reviewers: [{ type: 'User' }] }],
  },
  '/environments/release/deployment-branch-policies': { branch_policies: [{ name: 'v*', type: 'tag' }] },
  '/rulesets': [{ id: 7, target: 'tag', enforcement: 'active' }],
  '/rulesets/7': {
    rules: [{ type: 'update' }, { type: 'deletion' }],
    conditions: { ref_name: { include: ['refs/tags/v*.*.*'] } },
  },
  '/immutable-releases': { enabled: true },
  '/private-vulnerability-reporting': { enabled: true },
}

let server: Server
const methods: string[] = []
afterEach(() => {
  server?.close()
  methods.length = 0
})

/** Runs the check against these answers. A path without one gets 404. */
async function check(answers: Readonly<Record<string, unknown>>, env: NodeJS.ProcessEnv = {}) {
  server = createServer((request, response) => {
    methods.push(request.method ?? '')
    const path = (request.url ?? '').replace(/^\/repos\/you\/homeport/, '').replace(/\?.*/, '')
    const answer = request.headers.authorization === 'Bearer t0ken' ? answers[path] : undefined
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer ?? { message: 'Not Found' }))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const given = {
    GITHUB_REPOSITORY: 'you/homeport',
    GITHUB_TOKEN: 't0ken',
    GITHUB_API_URL: `http://127.0.0.1:${port}`,
  }
  const run = promisify(execFile)(process.execPath, ['tools/release/cli.ts', '--check'], {
    cwd: root,
    env: { PATH: process.env['PATH'], ...given, ...env },
  })
  return run.then(
    ({ stdout, stderr }) => ({ status: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({
      status: code as number,
      stdout: String(stdout),
      stderr: String(stderr),
    }),
  )
}

describe('npm run release -- --check', () => {
  it('only reads, and finds nothing missing in the settings of a repository that is ready', async () => {
    const { stdout, stderr } = await check(ready)
    for (const text of [
      'It is public',
      'A person approves',
      'Only tags v*',
      'Nobody can move',
      'immutable',
      'Private reports',
    ])
      expect(stdout).toMatch(new RegExp(`ok      .*${text.replace('*', '\\*')}`))
    expect(stdout).toMatch(/ask {5}The name "Homeport.*" must be free on the Marketplace/)
    expect(new Set(methods)).toEqual(new Set(['GET']))
    expect(stdout + stderr).not.toContain('t0ken')
  })

  it.each([
    ['', { private: true }, 'missing It is private'],
    ['/environments/release', undefined, 'missing There is no environment release'],
    ['/environments/release', { protection_rules: [] }, 'missing Nobody has to approve a release'],
    [
      '/environments/release/deployment-branch-policies',
      { branch_policies: [{ name: 'main', type: 'branch' }] },
      'missing Not only tags v*',
    ],
    ['/rulesets', [{ id: 7, target: 'tag', enforcement: 'disabled' }], 'missing No active rule'],
    ['/rulesets/7', { rules: [{ type: 'update' }] }, 'missing No active rule'],
    ['/immutable-releases', undefined, 'missing Releases are immutable: no.'],
    [
      '/private-vulnerability-reporting',
      { enabled: false },
      'missing Private reports of vulnerabilities are on: no.',
    ],
  ])('says what is missing: %s %j', async (path, answer, message) => {
    const { status, stdout } = await check({ ...ready, [path]: answer })
    expect(stdout).toContain(message)
    expect(status).toBe(1)
  })

  it('says which variable to set, and that a repository cannot be read', async () => {
    expect(await check(ready, { GITHUB_TOKEN: '' })).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('GITHUB_TOKEN is not set'),
    })
    expect((await check(ready, { GITHUB_TOKEN: 'other' })).stdout).toContain(
      'missing you/homeport could not be read: GitHub answered 404.',
    )
    expect((await check(ready, { GITHUB_API_URL: 'http://github.example' })).stderr).toContain(
      'not an https URL',
    )
  })
})

it('a clone needs an owner in every file, and the day in the changelog', () => {
  const clone = {
    version: '1.2.3',
    changelog: '',
    placeholders: [] as readonly string[],
    today: '2026-11-22',
    actionName: 'Homeport',
  }
  const texts = (changed: Partial<typeof clone>) =>
    checkClone({ ...clone, ...changed }, 'you').map(({ state, text, fix = '' }) => `${state} ${text} ${fix}`)
  expect(texts({ placeholders: ['README.md'] })[0]).toMatch(/^missing README\.md: .*\|you\/homeport\|g'$/)
  expect(texts({})).toEqual([
    'ok Every file names the owner. ',
    'missing CHANGELOG.md has no section for 1.2.3. Rename "## Unreleased" to "## 1.2.3 (2026-11-22)".',
  ])
  expect(texts({ changelog: '## 1.2.3 (2026-11-21)\n' })[1]).toMatch(/^missing .*without today's date/)
  expect(texts({ changelog: '## 1.2.3 (2026-11-22)\n' })[1]).toMatch(/^ok /)
})
