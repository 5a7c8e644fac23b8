import { execFile, execFileSync } from 'node:child_process'
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { GitHubDescription } from '../../sandbox/github/github.ts'
import type { GitHubState } from '../../sandbox/github/state.ts'
import { type Sandbox, type SandboxDescription, startSandbox } from '../../sandbox/sandbox.ts'
import { root } from '../../tools/bundle.ts'
import { freePort } from '../../tools/free-port.ts'
import { checkClone, replaceOwner } from '../../tools/release/repository-check.ts'

let sandbox: Sandbox<SandboxDescription & GitHubDescription>
beforeAll(async () => {
  sandbox = await startSandbox({ github: true })
})
afterAll(() => sandbox.close())

type Settings = Partial<GitHubState>
const set = (settings: Settings) => sandbox.control.setState({ github: settings })

const release = (protection: Partial<GitHubState['environments'][string]['protection']>) => ({
  environments: {
    release: {
      secrets: {},
      variables: {},
      protection: {
        reviewers: [{ type: 'User' as const, id: 7 }],
        branches: [],
        tags: ['v*'],
        ...protection,
      },
    },
  },
})
const ruleset = (changed: Partial<GitHubState['rulesets'][number]>) => ({
  target: 'tag' as const,
  enforcement: 'active' as const,
  include: ['refs/tags/v*.*.*'],
  rules: ['update', 'deletion'],
  ...changed,
})
const fresh: Settings = {
  environments: {},
  private: true,
  immutableReleases: false,
  privateVulnerabilityReporting: false,
  rulesets: [],
  packages: {},
}
const ready: Settings = {
  ...release({}),
  private: false,
  immutableReleases: true,
  privateVulnerabilityReporting: true,
  rulesets: [ruleset({})],
  packages: { homeport: 'public', 'homeport-sign-in': 'public', 'homeport-push': 'public' },
}

/** Runs the check against the sandbox. */
async function check(env: NodeJS.ProcessEnv = {}) {
  const { baseUrl, owner, repository, token } = sandbox.description.github
  const given = {
    GITHUB_REPOSITORY: `${owner}/${repository}`,
    GITHUB_TOKEN: token,
    GITHUB_API_URL: baseUrl,
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
  beforeEach(() => {
    set(ready)
    sandbox.control.clearJournal()
  })

  it('only reads, and finds nothing missing in the settings of a repository that is ready', async () => {
    const { stdout, stderr } = await check()
    for (const text of [
      'It is public',
      'A person approves',
      'Only tags v*',
      'Nobody can move',
      'immutable',
      'Private reports',
      'The images are public',
    ])
      expect(stdout).toMatch(new RegExp(`ok      .*${text.replace('*', '\\*')}`))
    expect(stdout).toMatch(/ask {5}The name "Homeport.*" must be free on the Marketplace/)
    const requests = sandbox.control.journal()
    expect(requests.length).toBeGreaterThan(8)
    expect(new Set(requests.map(({ method }) => method))).toEqual(new Set(['GET']))
    expect(stdout + stderr).not.toContain(sandbox.description.github.token)
  })

  it('finds everything missing in a new repository, and its commands switch on what they name', async () => {
    set(fresh)
    const { status, stdout } = await check()
    expect(status).toBe(1)
    for (const text of [
      'missing It is private',
      'missing There is no environment release',
      'missing No active rule',
      'missing Releases are immutable: no.',
      'missing Private reports of vulnerabilities are on: no.',
      'ask     New images are private',
    ])
      expect(stdout).toContain(text)
    const paths = [...stdout.matchAll(/gh api --method PUT (repos\/\S+)/g)].map(([, path = '']) => path)
    expect(paths).toHaveLength(2)
    const { baseUrl, token } = sandbox.description.github
    for (const path of paths) {
      const headers = { authorization: `Bearer ${token}` }
      expect((await fetch(`${baseUrl}${path}`, { method: 'PUT', headers })).status).toBe(204)
    }
    const { stdout: later } = await check()
    expect(later).toMatch(
      /ok {6}Releases are immutable\.\n.*ok {6}Private reports of vulnerabilities are on\.\n/,
    )
  })

  it.each<[string, Settings]>([
    ['missing It is private', { private: true }],
    ['missing There is no environment release', { environments: {} }],
    ['missing Nobody has to approve a release', release({ reviewers: [] })],
    ['missing Not only tags v*', release({ branches: ['main'] })],
    ['missing Not only tags v*', release({ branches: null, tags: [] })],
    ['missing No active rule', { rulesets: [ruleset({ enforcement: 'disabled' })] }],
    ['missing No active rule', { rulesets: [ruleset({ rules: ['update'] })] }],
    ['missing No active rule', { rulesets: [ruleset({ target: 'branch' })] }],
    ['missing Releases are immutable: no.', { immutableReleases: false }],
    ['missing Private reports of vulnerabilities are on: no.', { privateVulnerabilityReporting: false }],
    ['missing Not public: homeport-push.', { packages: { ...ready.packages, 'homeport-push': 'private' } }],
    ['ask     New images are private', { packages: {} }],
  ])('says `%s` where only that is so: %j', async (message, settings) => {
    const before = await check()
    set(settings)
    const { status, stdout } = await check()
    expect(stdout).toContain(message)
    const lines = (text: string) => text.match(/^ {2}missing .*/gm) ?? []
    const isMissing = message.startsWith('missing')
    expect(lines(stdout)).toHaveLength(lines(before.stdout).length + (isMissing ? 1 : 0))
    if (isMissing) expect(status).toBe(1)
  })

  it('says which variable to set, and that a repository or a setting cannot be read', async () => {
    expect(await check({ GITHUB_TOKEN: '' })).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('GITHUB_TOKEN is not set'),
    })
    expect((await check({ GITHUB_REPOSITORY: 'you/homeport' })).stdout).toContain(
      'missing you/homeport could not be read: GitHub answered 404.',
    )
    expect((await check({ GITHUB_TOKEN: 'other' })).stdout).toContain('GitHub answered 401.')
    const away = await check({ GITHUB_API_URL: `http://127.0.0.1:${await freePort()}` })
    expect(away.stdout).toContain('could not be read: there was no answer.')
    expect(away.stdout).toContain('Check the connection to GitHub')
    expect(away.stdout).not.toContain('token')
    expect((await check({ GITHUB_API_URL: 'http://github.example' })).stderr).toContain('not an https URL')
    const { workflowToken } = sandbox.description.github
    const { stdout } = await check({ GITHUB_TOKEN: workflowToken })
    expect(stdout).toContain('missing Releases are immutable could not be read: GitHub answered 403.')
    expect(stdout).toContain('ask     New images are private')
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

it('the command for the owner leaves no placeholder, and writes images in lower case, as registries want them', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'homeport-owner-'))
  try {
    const pages = ['README.md', 'docs/containers.md', 'docs/compose/protected.yaml']
    for (const page of [...pages, 'docs/workflows/schedule.yml'])
      await cp(join(root, page), join(folder, basename(page)))
    const run = (command: string) => execFileSync('bash', ['-c', command], { cwd: folder })
    run(`git init --quiet && git add . && ${replaceOwner('Acme-Corp')}`)
    const texts = await Promise.all(pages.map(page => readFile(join(folder, basename(page)), 'utf8')))
    for (const text of texts) {
      expect(text).not.toMatch(/OWNER\/homeport/)
      const images = [...text.matchAll(/ghcr\.io\/([^/]+)\//g)].map(([, owner]) => owner)
      expect(new Set(images)).toEqual(new Set(['acme-corp']))
    }
    expect(texts[0]).toContain('https://github.com/Acme-Corp/homeport.git')
    expect(texts[1]).toContain('--repo Acme-Corp/homeport')
    const workflow = await readFile(join(folder, 'schedule.yml'), 'utf8')
    expect(workflow).toContain('2. Replace the zeros with the commit of a release')
    expect(workflow).not.toContain('OWNER')
  } finally {
    await rm(folder, { recursive: true })
  }
})
