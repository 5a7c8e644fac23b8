import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { differs } from '../../../infra/drift/difference.ts'
import { annotationOf, summaryOf } from '../../../infra/drift/drift.ts'
import { expiryNotice, keepIssue } from '../../../infra/drift/issue.ts'
import { types } from '../../../infra/resource-names.ts'
import { recordArguments } from '../../../infra/resources/record-arguments.ts'
import { dnsWrite, tokenArguments } from '../../../infra/resources/token-policy.ts'
import { runProgram } from '../../../infra/run-program.ts'
import { quoteValue } from '../../../lib/quote.ts'
import type { WorkflowState } from '../../../sandbox/github/repository.ts'
import { startSandbox } from '../../../sandbox/sandbox.ts'
import { stateOf } from '../../../sandbox/testing/state.ts'
import { daysAgo, minimalConfig } from '../../support/configuration.ts'
import { askCloudflare, createUserToken } from '../../support/services.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { emulatedCli, runInProcess } from '../support/commands.ts'
import { creating, type Exported, exported, noState, resourcesWith } from '../support/exported.ts'
import { settingsOf } from '../support/stacks.ts'

/** The command on a stack that is a record and its token, with an emulated CLI. `drift.test.ts` has what it compares. */

const hostname = 'home.example.com'
const start = () => startSandbox({ github: true })
let sandbox: Awaited<ReturnType<typeof start>>
let config: Record<string, string>
let resources: readonly Exported[]
let github: object
const clean = 'No drift: stack dev is as the last run left it.\n'

beforeAll(async () => {
  sandbox = await start()
  const { zoneId } = sandbox.description.cloudflare
  config = { ...minimalConfig, signIn: 'none', zoneId, hostname }
  const { record } = settingsOf(config)
  if (record === null) throw new Error('The stack has no record.')
  const token = tokenArguments('homeport-dev', zoneId, record.token, dnsWrite.id)
  const { cloudflare } = sandbox.description
  const allowed = [`com.cloudflare.api.account.zone.${zoneId}`, 'DNS Write'] as const
  const { id: dnsTokenId } = await createUserToken(cloudflare, 'homeport-dev', [allowed])
  const path = `/zones/${zoneId}/dns_records?type=A&name=${hostname}`
  const records = await askCloudflare<{ id: string }[]>(cloudflare, 'GET', path)
  resources = resourcesWith(
    { recordId: records[0]?.id ?? '', dnsTokenId },
    { record: recordArguments(zoneId, record.plans[0]), token },
  )
  github = structuredClone(stateOf(sandbox.control).github)
})
beforeEach(() => sandbox.control.setState({ github } as never))
afterAll(() => sandbox.close())

interface Run {
  readonly args?: readonly string[]
  readonly config?: Readonly<Record<string, string>>
  readonly state?: string
  readonly env?: Readonly<Record<string, string>>
}

function drift(run: Run = {}) {
  const stackFile = Object.entries({ ...config, ...run.config }).map(([key, value]) => [
    `homeport:${key}`,
    { value, secret: false },
  ])
  const { cloudflare, github: hub } = sandbox.description
  return runInProcess('drift', run.args ?? [], {
    PATH: emulatedCli,
    ANSWER_CONFIG: JSON.stringify({
      ...Object.fromEntries(stackFile),
      'homeport:mintingApiToken': { secret: true },
    }),
    ANSWER_STATE: run.state ?? exported(resources),
    CLOUDFLARE_API_TOKEN: cloudflare.adminToken,
    CLOUDFLARE_BASE_URL: cloudflare.apiUrl,
    GITHUB_API_URL: hub.baseUrl,
    GITHUB_REPOSITORY: `${hub.owner}/${hub.repository}`,
    HOMEPORT_ISSUE_TOKEN: hub.workflowToken,
    ...run.env,
  })
}

const inDays = (days: number) => `${new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 19)}Z`

describe('the sum', () => {
  it('counts what could not be read apart from what differs', async () => {
    const expiring = { tokenExpiresOn: inDays(20) }
    const blind = { CLOUDFLARE_API_TOKEN: sandbox.description.cloudflare.dnsToken }
    const { status, output } = await drift({ config: expiring, env: blind })
    expect(output).toMatch(
      /^Could not read the tokens: Cloudflare answered 403 \(\d+\)\. Use the reading token: .*this permission: API Tokens Read, as/m,
    )
    expect(output).toMatch(/^Stack dev has one difference, and 2 reads failed\.$/m)
    expect(status).toBe(1)
  })

  it('is that the configuration is wrong, with every wrong key', async () => {
    const { status, output } = await drift({ config: { hostname: 'x', tokenExpiresOn: 'y' } })
    expect(output).toMatch(/homeport:hostname has .*, which is not a full hostname/)
    expect(output).toMatch(/homeport:tokenExpiresOn is not a time in UTC/)
    expect(status).toBe(1)
  })

  it('is that a run was killed, with the commands that clear what it was doing', async () => {
    const run = creating({ type: types.record, name: 'dns-record' })
    const { output } = await drift({ state: exported(resources, { pending_operations: [run] }) })
    expect(output).toMatch(
      /^A run is under way, or was killed while it was creating "dns-record"\. If .*: pulumi cancel\. First do what .* pulumi refresh --clear-pending-creates, and pulumi up\.$/m,
    )
  })
})

describe('a credential that expires within 30 days', () => {
  it.each([
    [
      'client secret',
      { signIn: 'host', secretRotationB: daysAgo(170) },
      /^The client secret b expires on .*, in (9|10) days\. Rotate it: .* secretRotationB 20\d\d-\d\d-\d\d, then/m,
    ],
    [
      'DNS token',
      { tokenExpiresOn: inDays(29) },
      /^The DNS token expires on .*, in 29 days\. Set a later expiry/m,
    ],
  ])('is reported: %s', async (_, changes, line) => {
    const { status, output } = await drift({ config: changes, env: { GITHUB_ACTIONS: 'true' } })
    expect(output).toMatch(line)
    expect(output).toMatch(/^::warning title=Drift::The /m)
    expect(status).toBe(1)
  })

  it('is reported with the place of each that only the configuration knows', async () => {
    const places = {
      'minting token': /pulumi config set --secret mintingApiToken/,
      'deploy token': /CLOUDFLARE_DEPLOY_TOKEN of the environment infra,/,
      'reading token': /of the environment infra-drift,/,
      'clock token': /pulumi config set --secret clockToken/,
      'GitHub token': /HOMEPORT_GITHUB_TOKEN/,
    }
    const ends = (on: string) =>
      Object.keys(places)
        .map(name => `${name} ${on}`)
        .join('\n')
    const { output } = await drift({ config: { credentialsExpireOn: ends(daysAgo(-20)) } })
    for (const [name, place] of Object.entries(places))
      expect(output).toMatch(
        new RegExp(`^The ${name} expires on ${daysAgo(-20)}, in (19|20) days\\. .*${place.source}`, 'm'),
      )
    expect((await drift({ config: { credentialsExpireOn: ends(daysAgo(-32)) } })).output).toBe(clean)
  })

  describe('is the subject of one issue', () => {
    const deploy = { credentialsExpireOn: `deploy token ${daysAgo(-20)}` }
    const both = { ...deploy, tokenExpiresOn: inDays(5) }
    const title = 'Homeport: credentials of stack dev expire soon'
    const issues = () => stateOf(sandbox.control).github.issues
    /** Keeps the issue of a stack with this configuration, as a workflow does. */
    const notify = (given: Readonly<Record<string, string>>) => {
      const { baseUrl, owner, repository, workflowToken } = sandbox.description.github
      const env = {
        GITHUB_API_URL: baseUrl,
        GITHUB_REPOSITORY: `${owner}/${repository}`,
        HOMEPORT_ISSUE_TOKEN: workflowToken,
      }
      return keepIssue(env)(expiryNotice('dev', settingsOf({ ...config, ...given }), noState, Date.now()))
    }
    const set = (...all: readonly object[]) => sandbox.control.setState({ github: { issues: all } } as never)
    const stranger = { login: 'mallory', type: 'User', association: 'NONE' }
    /** What people opened earlier: issues, and a pull request, which GitHub lists as an issue too. */
    const others = Array.from({ length: 120 }, (_, index) => ({
      number: index + 100,
      ...(index === 50 ? { title, isPullRequest: true } : { title: `Another ${index}` }),
      body: null,
      author: stranger,
      createdAt: '2026-01-01T00:00:00Z',
      updatedAt: '2026-01-01T00:00:00Z',
      closedAt: null,
    }))

    it('which is opened, edited as things change, closed and opened again', async () => {
      expect(await notify(deploy)).toBe(`Opened issue 1: ${title}`)
      expect(issues()[0]).toMatchObject({ title, state: 'open' })
      expect(issues()[0]?.body).toMatch(/^- The deploy token expires on 20\d\d-\d\d-\d\d\. Create/)
      // An open issue is found however old it is, and behind a page of others.
      set({ ...issues()[0], updatedAt: '2026-01-01T00:00:00Z' }, ...others)
      expect(await notify(deploy)).toBe('Issue 1 is about these credentials.')
      expect(await notify(both)).toBe('Edited issue 1, which is about these credentials.')
      expect(issues()[0]?.body).toMatch(/^- The DNS token expires on .*\n- The deploy token expires on /)
      expect(await notify({})).toBe('Closed issue 1: no credential expires within 30 days.')
      expect(issues()[0]).toMatchObject({ state: 'closed' })
      expect(await notify({})).toBeNull()
      expect(await notify(deploy)).toBe('Opened issue 1 again: it is about these credentials.')
      expect(issues()[0]).toMatchObject({ title, state: 'open' })
      expect(issues()).toHaveLength(121)

      // Somebody's decision stands until something changes.
      set({ ...issues()[0], state: 'closed' })
      expect(await notify(deploy)).toBe('Issue 1 is about these credentials. Somebody closed it.')
      expect(await notify(both)).toBe('Opened issue 1 again: it is about these credentials.')
    })

    it.each([
      ['a stranger', stranger, false],
      ['a stranger whose change was merged', { ...stranger, association: 'CONTRIBUTOR' }, false],
      [
        'a bot of another repository',
        { login: 'renovate[bot]', type: 'Bot', association: 'CONTRIBUTOR' },
        false,
      ],
      ['somebody who may write', { login: 'grace', type: 'User', association: 'COLLABORATOR' }, true],
    ])('which %s opened: %j counts: %s', async (_, author, counts) => {
      set({ ...others[0], number: 7, title, state: 'open', author })
      expect(await notify(deploy)).toMatch(counts ? /^Edited issue 7,/ : /^Opened issue 8:/)
      expect(await notify({})).toMatch(counts ? /^Closed issue 7:/ : /^Closed issue 8:/)
    })

    it('which the command keeps, also with the token of a person', async () => {
      const run = { args: ['--issue'], config: deploy }
      const { token } = sandbox.description.github
      expect((await drift({ ...run, env: { HOMEPORT_ISSUE_TOKEN: token } })).output).toMatch(
        /^Opened issue 1:/m,
      )
      expect((await drift(run)).output).toContain('\nIssue 1 is about these credentials.\n')
    })

    it('but not without --issue, and not if the configuration is wrong', async () => {
      await drift({ config: deploy })
      await drift({ args: ['--issue'], config: { ...deploy, hostname: 'x' } })
      expect(issues()).toEqual([])
    })
  })

  it.each([
    ['HOMEPORT_ISSUE_TOKEN', /--issue needs HOMEPORT_ISSUE_TOKEN/],
    ['GITHUB_REPOSITORY', /--issue needs GITHUB_REPOSITORY/],
  ])('says before it looks that --issue needs %s', async (name, message) => {
    const { status, output, problem } = await drift({ args: ['--issue'], env: { [name]: '' } })
    expect(problem).toMatch(message)
    expect({ status, output }).toEqual({ status: 1, output: '' })
  })

  it('is red if GitHub refuses the issue', async () => {
    const run = { args: ['--issue'], config: { tokenExpiresOn: inDays(5) } }
    const { status, problem } = await drift({ ...run, env: { HOMEPORT_ISSUE_TOKEN: 'wrong' } })
    expect(problem).toMatch(
      /^Could not read the issues: GitHub answered 401\. The token in HOMEPORT_ISSUE_TOKEN/,
    )
    expect(status).toBe(1)
    const { token, workflowToken } = stateOf(sandbox.control).github.permissions
    const permissions = { token, workflowToken: { ...workflowToken, issues: 'none' } } as const
    sandbox.control.setState({ github: { permissions } })
    expect((await drift(run)).problem).toMatch(
      / answered 403\. Give the token in HOMEPORT_ISSUE_TOKEN this permission: issues: write\./,
    )
  })
})

describe('the workflows of the repository', () => {
  it('are reported if GitHub has switched one off, or somebody the nightly comparison', async () => {
    const workflows: Readonly<Record<string, WorkflowState>> = {
      'reconcile.yml': 'disabled_inactivity',
      'ci.yml': 'disabled_manually',
      'infra-drift.yml': 'disabled_manually',
    }
    sandbox.control.setState({ github: { workflows } })
    const { status, output } = await drift()
    expect(output).toMatch(
      /^The workflow "reconcile\.yml" is switched off \("disabled_inactivity"\).* gh workflow enable reconcile\.yml/m,
    )
    expect(output).toMatch(/^The workflow "infra-drift\.yml" is switched off \("disabled_manually"\)/m)
    expect(output).toMatch(/2 differences\.\n$/)
    expect(status).toBe(1)
  })

  it('are not assumed to run if the list is refused', async () => {
    const { token, workflowToken } = stateOf(sandbox.control).github.permissions
    const permissions = { token, workflowToken: { ...workflowToken, actions: 'none' } } as const
    sandbox.control.setState({ github: { permissions } })
    const { status, output } = await drift()
    expect(output).toMatch(
      /^Could not read the workflows: GitHub answered 403\. Give the token in HOMEPORT_ISSUE_TOKEN this permission: actions: read\.$/m,
    )
    expect(output).toMatch(/^Stack dev has no known difference, and one read failed\.$/m)
    expect(status).toBe(1)
    expect((await drift({ env: { HOMEPORT_ISSUE_TOKEN: '' } })).output).toBe(clean)
  })
})

describe('the report', () => {
  const remote = differs(`Remote ${quoteValue('a\n::set-env x\u202e`<b> ##[error]')}.`, 'Fix it.')

  it('escapes text from services for terminals, annotations and pages', () => {
    expect(remote.text).toBe('Remote "a\\n:\\u003aset-env x\\u202e\\u0060<b> #\\u0023[error]".')
    expect(annotationOf({ ...remote, text: '100%\nnext' })).toBe('::error title=Drift::100%25%0Anext Fix it.')
    expect(summaryOf('dev', [remote])).toContain('&lt;b&gt;')
    expect(summaryOf('dev', [])).toMatch(/No drift\.\n$/)
  })

  it('is appended to the summary of the job', async () => {
    const file = join(temporaryFolder(), 'summary.md')
    await drift({
      config: { credentialsExpireOn: `deploy token ${daysAgo(40)}` },
      env: { GITHUB_STEP_SUMMARY: file },
    })
    expect(await readFile(file, 'utf8')).toMatch(
      /^## Drift of stack dev\n\n<pre>\nThe deploy token expired on .*\n<\/pre>\n$/,
    )
  })
})

it('a sign-in on a host alone has nothing at Cloudflare, so it needs no token', async () => {
  const run = { config: { record: 'false', signIn: 'host' }, env: { CLOUDFLARE_API_TOKEN: '' } }
  const { output } = await drift({ ...run, state: exported([]) })
  expect(output).toContain('what the state lacks: the registration,')
  // What an earlier run left is compared.
  expect(await drift(run)).toMatchObject({
    status: 1,
    output: expect.stringMatching(/^Could not read Cloudflare: CLOUDFLARE_API_TOKEN is not set\. Set it to/m),
  })
})

it('refuses unknown options and a service over http', async () => {
  expect(await drift({ args: ['--fix'] })).toMatchObject({
    status: 2,
    problem: expect.stringMatching(/'--fix'.*Run `npm run drift -- --help` for help\.\n$/s),
  })
  expect(await drift({ env: { CLOUDFLARE_BASE_URL: 'http://api.example.com' } })).toMatchObject({
    status: 1,
    problem: expect.stringContaining('is not an https URL'),
  })
})

it('a program that ignores SIGTERM is killed after its time', async () => {
  const stubborn = 'process.on("SIGTERM", () => undefined); setInterval(() => undefined, 1000)'
  const run = runProgram(process.execPath, ['-e', stubborn], process.env, 300)
  await expect(run).rejects.toMatchObject({ signal: 'SIGKILL' })
})
