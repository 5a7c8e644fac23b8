import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { checkCloudflare } from '../../../infra/doctor/bootstrap/cloudflare.ts'
import { checkEntra } from '../../../infra/doctor/bootstrap/entra.ts'
import { checkGitHub } from '../../../infra/doctor/bootstrap/github.ts'
import { checkRotation, type Local } from '../../../infra/doctor/bootstrap/local.ts'
import { dayOf } from '../../../infra/doctor/bootstrap/token-end.ts'
import {
  type Finding,
  findingsOf,
  paths,
  type Step,
  type StepFinding,
} from '../../../infra/doctor/finding.ts'
import { nextOf, reportOf } from '../../../infra/doctor/report.ts'
import { dnsWrite as permission, requireDnsWrite } from '../../../infra/resources/token-policy.ts'
import type { StackSettings } from '../../../infra/settings/stack-settings.ts'
import type { GitHubState } from '../../../sandbox/github/state.ts'
import { startSandbox } from '../../../sandbox/sandbox.ts'
import { stateOf } from '../../../sandbox/testing/state.ts'
import { daysAgo } from '../../support/configuration.ts'
import { askCloudflare, graphToken } from '../../support/services.ts'
import { runDoctor, startDoctor } from '../support/doctor.ts'
import { noState } from '../support/exported.ts'
import { settingsOf, signInOf } from '../support/stacks.ts'

const start = () => startSandbox({ entra: { redirectUris: [] }, github: true })
let sandbox: Awaited<ReturnType<typeof start>>
let env: NodeJS.ProcessEnv
let initial: ReturnType<typeof stateOf>
beforeAll(async () => {
  sandbox = await start()
  const { cloudflare, entra, github } = sandbox.description
  env = {
    CLOUDFLARE_BASE_URL: cloudflare.apiUrl,
    CLOUDFLARE_ZONE_ID: cloudflare.zoneId,
    CLOUDFLARE_ACCOUNT_ID: cloudflare.accountId,
    CLOUDFLARE_API_TOKEN: cloudflare.adminToken,
    CLOUDFLARE_READING_TOKEN: cloudflare.adminToken,
    HOMEPORT_HOSTNAME: 'dyn.example.com',
    HOMEPORT_ORIGIN: 'https://people.example.com',
    GRAPH_URL: entra.graphUrl,
    ARM_TENANT_ID: entra.tenantId,
    GITHUB_API_URL: github.baseUrl,
    GITHUB_REPOSITORY: `${github.owner}/${github.repository}`,
    GITHUB_TOKEN: github.token,
  }
  initial = structuredClone(stateOf(sandbox.control))
})
beforeEach(() => {
  sandbox.control.setState({ entra: initial.entra, github: initial.github } as never)
  sandbox.control.clearJournal()
})
afterAll(() => sandbox.close())

const nothing: Local = {
  findings: [],
  parts: { record: true, signIn: 'worker', push: 'none' },
  stack: null,
  mintingToken: null,
}

/** What is known if there is a stack with these settings. */
const localWith = (settings: StackSettings) => ({
  ...nothing,
  stack: {
    name: 'prod',
    serviceName: 'homeport-prod',
    tokenNames: ['homeport-prod'],
    push: { serviceName: 'homeport-prod-push', tokenNames: ['homeport-prod-push'] },
    cloudflareBaseUrl: null,
    problems: [],
    apiUrl: sandbox.description.cloudflare.apiUrl,
    state: noState,
    settings,
  },
})
/** What is known if there is a minting token, which may do everything by default. */
const minting = (mintingToken = sandbox.description.cloudflare.adminToken) => ({ ...nothing, mintingToken })

const cloudflare = (local: Local, changes: NodeJS.ProcessEnv = {}) =>
  checkCloudflare(local, { ...env, ...changes })
const gitHub = (changes: NodeJS.ProcessEnv = {}, local: Local = nothing) =>
  checkGitHub(local, { ...env, ...changes })

const textsOf = (findings: readonly Finding[]) => findings.map(({ text }) => text)
const missingIn = (findings: readonly Finding[]) => textsOf(findings.filter(({ level }) => level === 'error'))
const methodsSent = () => [...new Set(sandbox.control.journal().map(({ method }) => method))]

const dnsRead = '82e64a83756745bbbb1c9c2701bf816b'
const dnsWrite = '4755a26eedb94da69e1066d98aa820be'

/** Creates a token with one permission for the zone. Resolves to its value. */
async function tokenFor(group: string, expiresOn: string | null = null): Promise<string> {
  const { cloudflare } = sandbox.description
  const resources = { [`com.cloudflare.api.account.zone.${cloudflare.zoneId}`]: '*' }
  const policies = [{ effect: 'allow', permission_groups: [{ id: group }], resources }]
  const body = { name: 'made', policies, ...(expiresOn && { expires_on: expiresOn }) }
  return (await askCloudflare<{ value: string }>(cloudflare, 'POST', '/user/tokens', body)).value
}

describe('the tokens', () => {
  it('are checked with GET only, and never printed', async () => {
    const findings = await cloudflare(minting())
    expect(textsOf(findings)).toContain(
      'The deploy token has DNS Write, Workers Routes Write, Workers Scripts Write, D1 Write.',
    )
    expect(textsOf(findings)).toContain('Nothing is at people.example.com yet.')
    expect(methodsSent()).toEqual(['GET'])
    expect(JSON.stringify(findings)).not.toContain(sandbox.description.cloudflare.adminToken)
  })

  it('need Workers Scripts, and no routes, for the clock alone', async () => {
    const settings = settingsOf({ signIn: 'none', clock: 'you/dns/dns.yml' })
    const parts = { record: true, signIn: 'none', push: 'none' } as const
    const texts = textsOf(await cloudflare({ ...minting(), stack: localWith(settings).stack, parts }))
    expect(texts).toContain('The deploy token has DNS Write, Workers Scripts Write.')
  })

  it('that lack a permission are reported with it', async () => {
    const value = await tokenFor(dnsWrite)
    const tokens = { CLOUDFLARE_API_TOKEN: value, CLOUDFLARE_READING_TOKEN: value }
    expect(missingIn(await cloudflare(minting(), tokens))).toEqual([
      expect.stringMatching(/^The deploy token may not read Workers Routes \(the service answered 403\), /),
      'The deploy token lacks Workers Routes Write, Workers Scripts Write, D1 Write.',
      expect.stringMatching(/^The reading token may not read .*API Tokens \(/),
      'The reading token may write: "DNS Write".',
    ])
  })

  it('that the minting token cannot read are not assumed to write', async () => {
    const findings = await cloudflare(minting(await tokenFor(dnsRead)))
    expect(missingIn(findings)).toEqual([
      'The minting token may not read permission groups: the service answered 403.',
    ])
    expect(textsOf(findings)).toContain(
      'What the deploy token may write was not checked: the minting token cannot read it.',
    )
  })

  describe('that end', () => {
    const year = daysAgo(-365)
    const soon = daysAgo(-20)
    async function endOf(known: string | null, expiresOn: string | null) {
      const { accountId, zoneId } = sandbox.description.cloudflare
      const settings = settingsOf({
        accountId,
        zoneId,
        ...(known && { credentialsExpireOn: `deploy token ${known}` }),
      })
      const tokens = { CLOUDFLARE_API_TOKEN: await tokenFor(dnsRead, expiresOn) }
      const findings = await cloudflare(localWith(settings), tokens)
      return findings.filter(({ text }) => /deploy token (ends|has no end)/.test(text))
    }

    const end = `${year}T23:59:59Z`
    const set = `pulumi config set --plaintext credentialsExpireOn 'deploy token ${year}'`
    const unset = 'pulumi config rm credentialsExpireOn'
    it.each([
      [null, end, `ends on ${year}, which the stack does not know.`, set],
      ['2027-05-31', end, `ends on ${year}, but credentialsExpireOn has 2027-05-31.`, set],
      ['2027-05-31', null, 'has no end, but credentialsExpireOn has 2027-05-31.', unset],
      [year, end, `ends on ${year}.`, null],
      [null, null, 'has no end.', null],
    ])('are compared with the day that the stack knows: %s and %s', async (known, expiresOn, text, fix) => {
      const place = fix ? { step: 'stack', level: 'error', fix } : { step: 'cloudflare', level: 'ok' }
      expect(await endOf(known, expiresOn)).toEqual([{ ...place, text: `The deploy token ${text}` }])
    })

    it('are to be replaced if they end within 30 days', async () => {
      const [found] = await endOf(soon, `${soon}T00:00:00Z`)
      const text = `The deploy token ends on ${soon}.`
      expect(found).toMatchObject({ step: 'cloudflare', level: 'error', text })
      expect(found?.fix).toMatch(/^Create a new one, .* CLOUDFLARE_DEPLOY_TOKEN of the environment infra,/)
    })
  })

  it('that are wrong, or not set, are named by their variable', async () => {
    const tokens = { CLOUDFLARE_API_TOKEN: 'x'.repeat(40), CLOUDFLARE_READING_TOKEN: '' }
    expect(missingIn(await cloudflare(nothing, tokens))).toEqual([
      'CLOUDFLARE_MINTING_TOKEN is not set, so the minting token was not checked.',
      'The deploy token is not valid: the service answered 401. Create another one.',
      expect.stringMatching(/^CLOUDFLARE_READING_TOKEN is not set, so the reading token was not checked\./),
    ])
  })

  it('that are not set come with the form of the page, which has the permissions selected', async () => {
    const page = await readFile(new URL('../../../docs/deploy.md', import.meta.url), 'utf8')
    const links = [...page.matchAll(/\((https:[^)]*permissionGroupKeys[^)]*)\)/g)].map(
      ([, link = '']) => link,
    )
    const without = { CLOUDFLARE_API_TOKEN: '', CLOUDFLARE_READING_TOKEN: '' }
    const [, deploy = '', reading = ''] = missingIn(await cloudflare(nothing, without))
    expect([deploy, reading].map(text => /https:\S+/.exec(text)?.[0])).toEqual(links)
  })

  it('that no header can carry are not printed', async () => {
    const fetched = vi.spyOn(globalThis, 'fetch')
    const findings = await cloudflare(nothing, { CLOUDFLARE_API_TOKEN: 'first-half\nsecond-half' })
    // A repetition would end alike, after a wait.
    const asked = fetched.mock.calls.map(([url, init]) => JSON.stringify([url, init?.headers]))
    fetched.mockRestore()
    expect(asked).toEqual([...new Set(asked)])
    expect(missingIn(findings).join()).toMatch(
      /The deploy token is not valid: .* check the token for line breaks/,
    )
    expect(JSON.stringify(findings)).not.toContain('first-half')
  })

  it('may list a permission with another ID, which is escaped', () => {
    const group = { id: '\u001b[2J', name: permission.name, scopes: [permission.scope] }
    expect(() => requireDnsWrite([group])).toThrow('has the id "\\u001b[2J" instead of')
  })

  it('are sent over https only', async () => {
    const unsafe = { CLOUDFLARE_BASE_URL: 'http://api.example.com' }
    await expect(cloudflare(nothing, unsafe)).rejects.toThrow(/is not an https URL/)
  })
})

it('takes the day in UTC of every time that a service names', () => {
  const times = ['2027-05-31T00:00:00Z', '2027-05-31 00:00:00 UTC', '2027-06-01 01:00:00 +0200', 'soon', null]
  expect(times.map(dayOf)).toEqual(['2027-05-31', '2027-05-31', '2027-05-31', null, null])
})

describe('the zone and its records', () => {
  it.each([
    [
      { CLOUDFLARE_ACCOUNT_ID: '0'.repeat(32), HOMEPORT_HOSTNAME: 'home.other.example' },
      'CLOUDFLARE_ZONE_ID and CLOUDFLARE_ACCOUNT_ID do not match the zone other.example.',
    ],
    [
      { HOMEPORT_HOSTNAME: 'home.other.example' },
      'CLOUDFLARE_ZONE_ID does not match the zone other.example.',
    ],
    [
      { CLOUDFLARE_ZONE_ID: '../user' },
      'CLOUDFLARE_ZONE_ID is not set to 32 hex digits, and no stack has it.',
    ],
  ])('are compared with the ids and names that are set: %j', async (wrong, text) => {
    expect(missingIn(await cloudflare(minting(), wrong))).toContain(text)
  })

  it('are reported if they are in the way', async () => {
    const at = sandbox.description.cloudflare
    const record = { type: 'CNAME', name: 'alias.example.com', content: 'example.net', ttl: 120 }
    await askCloudflare(at, 'POST', `/zones/${at.zoneId}/dns_records`, record)
    const names = { HOMEPORT_HOSTNAME: 'alias.example.com', HOMEPORT_ORIGIN: 'https://home.example.com' }
    const found = missingIn(await cloudflare(minting(), names))
    expect(found).toContain('alias.example.com has a CNAME record, so it cannot have an A record.')
    expect(found).toContain('home.example.com has a record, so the handler cannot be served there.')
    const existing = await cloudflare(minting(), { HOMEPORT_HOSTNAME: 'home.example.com' })
    const adopt = existing.find(({ step }) => step === 'stack')
    expect(adopt?.text).toMatch(/^home\.example\.com has an A record that no stack knows: "[0-9a-f]{32}"\./)
    expect(adopt?.fix).toMatch(/^pulumi config set --plaintext importRecordId [0-9a-f]{32}$/)
  })
})

describe('GitHub', () => {
  const environment = (protection: object, names: readonly string[] = []) => ({
    secrets: Object.fromEntries(names.map(name => [name, 'hidden-value'])),
    protection: { reviewers: [], branches: null, ...protection },
  })
  const set = (github: Partial<Record<keyof GitHubState, unknown>>) =>
    sandbox.control.setState({ github } as never)

  /** Checks a GitHub that answers like this. */
  async function answering(answer: (url: URL) => { readonly status?: number; readonly body?: unknown }) {
    const server = createServer(({ url = '' }, response) => {
      const { status = 200, body = {} } = answer(new URL(url, 'http://localhost'))
      response.writeHead(status).end(JSON.stringify(body))
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const report = await gitHub({ GITHUB_API_URL: `http://127.0.0.1:${port}` })
    server.close()
    return report
  }

  it('lacks environments, variables and secrets at first', async () => {
    const { findings, subject } = await gitHub()
    expect(subject).toBe('repo:homeport@100000/homeport@100001')
    expect(missingIn(findings)).toEqual([
      'There is no environment infra.',
      'There is no environment infra-drift.',
      'The variable PULUMI_BACKEND_URL is not set.',
      'The variable ARM_TENANT_ID is not set.',
      'The variable ARM_CLIENT_ID is not set.',
      'The variable ARM_DRIFT_CLIENT_ID is not set.',
      'The variable PULUMI_STACK is not set.',
      'There is no environment dns.',
    ])
    expect(methodsSent()).toEqual(['GET'])
  })

  it('is reported where protection or names are wrong, without any value', async () => {
    const all = ['CLOUDFLARE_DEPLOY_TOKEN', 'PULUMI_CONFIG_PASSPHRASE']
    set({
      environments: {
        infra: environment({ branches: ['main', 'release'] }, ['CLOUDFLARE_DEPLOY_TOKEN']),
        'infra-drift': environment({ reviewers: [{ type: 'User', id: 7 }], branches: ['main'] }, all),
        dns: environment({ branches: 'protected' }, ['CLOUDFLARE_DNS_TOKEN']),
      },
      actions: { variables: { ARM_TENANT_ID: 'another', ARM_CLIENT_ID: 'client', PULUMI_STACK: 'prod' } },
    })
    const { findings, clientId } = await gitHub()
    expect(clientId).toBe('client')
    expect(missingIn(findings)).toEqual([
      'Not only main can use the environment infra.',
      'The environment infra lacks CLOUDFLARE_READING_TOKEN, PULUMI_CONFIG_PASSPHRASE.',
      'The environment infra-drift has reviewers, so the nightly job waits for them.',
      'The environment infra-drift holds the passphrase, which opens the minting token, and nobody approves its jobs.',
      'The variable PULUMI_BACKEND_URL is not set.',
      expect.stringMatching(/^The variable ARM_TENANT_ID is "another", but here it is ".*"\.$/),
      'The variable ARM_DRIFT_CLIENT_ID is not set.',
      'The variable HOMEPORT_ZONE_ID of the environment dns does not match the stack.',
      'The variable HOMEPORT_HOSTNAME of the environment dns does not match the stack.',
    ])
    expect(JSON.stringify(findings)).not.toContain('hidden-value')
  })

  it('reads the variables of every page', async () => {
    const names = [...Array.from({ length: 30 }, (_, index) => `OTHER_${index}`), 'ARM_CLIENT_ID']
    const { clientId } = await answering(({ searchParams }) => {
      const page = Number(searchParams.get('page') ?? 1)
      const variables = names.slice((page - 1) * 30, page * 30).map(name => ({ name, value: 'client' }))
      return { body: { total_count: names.length, variables } }
    })
    expect(clientId).toBe('client')
  })

  it.each([
    ['a ruleset', '/rules/branches/main', [{ type: 'deletion' }, { type: 'pull_request' }]],
    ['branch protection', '/branches/main/protection', { required_pull_request_reviews: {} }],
  ])('says whether main is protected: %s', async (_, path, body) => {
    expect(textsOf((await gitHub()).findings).join()).toContain(
      'main is not protected: anybody who can push to it',
    )
    const { findings } = await answering(({ pathname }) => (pathname.endsWith(path) ? { body } : {}))
    expect(textsOf(findings)).toContain('main takes changes by pull request only.')
  })

  it('claims nothing about what it cannot read, and replaces no environment', async () => {
    const readable = /\/homeport$|\/environments\/infra-drift$/
    const { findings } = await answering(({ pathname }) => ({ status: readable.test(pathname) ? 200 : 403 }))
    const texts = textsOf(findings)
    for (const name of ['infra', 'infra-drift', 'dns'])
      expect(texts).toContain(`The environment ${name} could not be read: GitHub answered 403.`)
    expect(texts).not.toContain('It does not hold the passphrase.')
    expect(texts.join()).toContain('Could not see whether main is protected.')
    expect(findings.map(({ fix }) => fix).join()).not.toMatch(/PUT|secret set/)
  })

  it('names the repository of the stack in commands about the hand-over', async () => {
    const { findings } = await gitHub({}, localWith(settingsOf({ repository: 'acme/people' })))
    const absent = findings.find(({ text }) => text === 'There is no environment dns.')
    expect(absent?.fix).toContain('"repos/acme/people/environments/dns"')
  })

  it('lets pulumi up hand over what is missing if the stack has a repository', async () => {
    const repository = env['GITHUB_REPOSITORY'] ?? ''
    const settings = settingsOf({ repository })
    set({ environments: { dns: environment({}) } })
    const { findings } = await gitHub({}, localWith(settings))
    const missing = findings.filter(({ step, level }) => step === 'handOver' && level === 'error')
    expect(missing.map(({ fix }) => fix)).toEqual(
      Array(3).fill('pulumi up --run-program --policy-pack infra/policy'),
    )

    // Set by hand: correct, but up cannot create it.
    const byHand = { ...environment({}), variables: { HOMEPORT_ZONE_ID: settings.zoneId } }
    set({ environments: { dns: byHand } })
    const after = await gitHub({}, localWith(settings))
    expect(after.findings).toContainEqual({
      step: 'handOver',
      level: 'error',
      text: 'The environment dns has the variable HOMEPORT_ZONE_ID, which the state does not know, so pulumi up fails with 409.',
      fix: `gh variable delete HOMEPORT_ZONE_ID --env dns --repo "${repository}"`,
    })
  })

  it('is reported if it has switched off the nightly comparison, or another schedule', async () => {
    const stopped = async (workflows: object) => {
      set({ workflows })
      const { findings } = await gitHub()
      return findings.filter(({ text }) => text.includes('workflow'))
    }
    expect(await stopped({ 'infra-drift.yml': 'active', 'ci.yml': 'disabled_manually' })).toEqual([
      { step: 'continuous', level: 'ok', text: 'GitHub has switched off no workflow.' },
    ])
    expect(await stopped({ 'infra-drift.yml': 'disabled_manually' })).toMatchObject([
      {
        text: expect.stringMatching(/^The workflow "infra-drift\.yml" is switched off \(disabled_manually\)/),
      },
    ])
    expect(
      await stopped({ 'a.yml': 'disabled_inactivity', '$(reboot)': 'disabled_inactivity' }),
    ).toMatchObject([
      { level: 'error', fix: 'gh workflow enable a.yml --repo "$GITHUB_REPOSITORY"' },
      { level: 'error', fix: 'gh workflow enable FILE --repo "$GITHUB_REPOSITORY"' },
    ])
    const { token, workflowToken } = stateOf(sandbox.control).github.permissions
    set({ permissions: { token: { ...token, actions: 'none' }, workflowToken } })
    expect(await stopped({})).toMatchObject([
      { level: 'note', text: 'Could not read the workflows: GitHub answered 403.' },
    ])
  })

  it.each([
    [null, null, 'The GitHub token has no end, but credentialsExpireOn has 2027-05-31.'],
    ['2027-05-31', null, 'The GitHub token ends on 2027-05-31.'],
    ['2027-06-01', null, 'The GitHub token ends on 2027-06-01, but credentialsExpireOn has 2027-05-31.'],
    [null, 'wrong', 'The GitHub token is not valid: GitHub answered 401. Create another one.'],
    [null, '', 'HOMEPORT_GITHUB_TOKEN is not set, so the end of the GitHub token was not checked.'],
  ])('names the end of the token that hands over: %s, token %j', async (endsOn, token, text) => {
    const now = Date.parse('2026-11-22')
    const dates = { secretRotationA: '2026-11-01', secretRotationB: '2026-09-01' }
    const given = {
      repository: 'homeport/homeport',
      credentialsExpireOn: 'GitHub token 2027-05-31',
      ...dates,
    }
    set({ tokenExpiresOn: endsOn && `${endsOn}T12:00:00Z` })
    const own = { ...env, HOMEPORT_GITHUB_TOKEN: token ?? sandbox.description.github.token }
    const { findings } = await checkGitHub(localWith(settingsOf(given, now)), own, now)
    const found = textsOf(findings).filter(one => /GitHub token|HOMEPORT_GITHUB_TOKEN/.test(one))
    expect(found.filter(one => !/lacks/.test(one))).toEqual([text])
  })

  it.each([
    ['GITHUB_REPOSITORY', 'a b', 'GITHUB_REPOSITORY is not set, or is not owner/name.'],
    ['GITHUB_TOKEN', '', 'GITHUB_TOKEN is not set, so GitHub was not checked.'],
    ['GITHUB_TOKEN', 'wrong', 'The repository homeport/homeport could not be read: GitHub answered 401.'],
  ])('is skipped if %s is %j', async (name, value, message) => {
    const { findings } = await gitHub({ [name]: value })
    expect(missingIn(findings)).toEqual([message])
  })
})

describe('the applications for CI', () => {
  const clientId = '11111111-2222-3333-4444-555555555555'
  const driftClientId = '22222222-2222-3333-4444-555555555555'
  const readAll = '9a5d68dd-52b0-4cc2-bd40-abcf44ac3a30'
  const readWriteOwnedBy = '18a4783c-866b-4cc7-a460-3d5e5662c884'
  const subject = 'repo:a@1/b@2'
  let token = ''
  beforeAll(async () => {
    token = await graphToken(sandbox.description.entra)
  })
  const both = { ARM_CLIENT_ID: clientId, ARM_DRIFT_CLIENT_ID: driftClientId }
  const look = (expected: string | undefined = subject) =>
    checkEntra(nothing, { ...env, HOMEPORT_GRAPH_TOKEN: token }, both, expected)
  const credential = (environment: string, changes: object = {}) => ({
    id: environment,
    name: environment,
    issuer: 'https://token.actions.githubusercontent.com',
    subject: `${subject}:environment:${environment}`,
    audiences: ['api://AzureADTokenExchange'],
    ...changes,
  })
  const set = (
    credentials: readonly object[],
    roles: readonly string[],
    driftCredentials: readonly object[] = [credential('infra-drift')],
    driftRoles: readonly string[] = [readAll],
  ) => {
    const those = [
      ['ci', clientId, credentials, roles],
      ['drift', driftClientId, driftCredentials, driftRoles],
    ] as const
    sandbox.control.setState({
      entra: {
        applications: those.map(([id, appId, federatedIdentityCredentials]) => ({
          id: `application-${id}`,
          appId,
          displayName: `homeport-${id}`,
          createdDateTime: '2026-11-01T00:00:00Z',
          owners: [],
          passwords: [],
          federatedIdentityCredentials,
        })),
        servicePrincipals: those.map(([id, appId, , granted]) => ({
          id: `principal-${id}`,
          appId,
          owners: [],
          appRoleAssignments: granted.map(appRoleId => ({ id: appRoleId, appRoleId, resourceId: 'graph' })),
        })),
      },
    })
  }

  it('are complete with a permission and a credential each', async () => {
    set([credential('infra')], [readWriteOwnedBy])
    expect(missingIn(await look())).toEqual([])
    expect(methodsSent()).toEqual(['GET'])
  })

  it.each([
    ['another audience', { audiences: ['https://github.com/a'] }],
    ['another issuer', { issuer: 'https://elsewhere.example' }],
  ])('do not trust a run by %s', async (_, changes) => {
    set([credential('infra', changes)], [readWriteOwnedBy])
    const findings = await look()
    expect(missingIn(findings)).toEqual([
      'No federated credential of homeport-ci trusts runs in the environment infra.',
    ])
    const fix = findings.find(({ level }) => level === 'error')?.fix
    expect(fix).toContain(`"subject":"${subject}:environment:infra"`)
    expect(fix).toContain('--id "$ARM_CLIENT_ID"')
  })

  it('trust one environment each, so that a run that nobody approves cannot deploy', async () => {
    set([credential('infra'), credential('infra-drift')], [readWriteOwnedBy])
    const findings = await look()
    expect(missingIn(findings)).toEqual([
      `The application homeport-ci also trusts "${subject}:environment:infra-drift".`,
    ])
    expect(findings.find(({ level }) => level === 'error')?.fix).toBe(
      'az ad app federated-credential delete --id "$ARM_CLIENT_ID" --federated-credential-id infra-drift',
    )
  })

  it('are not said to trust the right repository while GitHub is not read', async () => {
    const elsewhere = credential('infra', { id: 'else', name: 'else', subject: 'repo:x/y:environment:infra' })
    set([elsewhere, credential('infra')], [readWriteOwnedBy])
    const findings = await checkEntra(nothing, { ...env, HOMEPORT_GRAPH_TOKEN: token }, both, null)
    expect(missingIn(findings)).toEqual([])
    expect(findings.filter(({ text }) => text.startsWith('It trusts'))).toMatchObject([
      { level: 'note', text: expect.stringContaining('the repository was not compared') },
      { level: 'note' },
    ])
    expect(missingIn(await look())).toEqual([
      'The application homeport-ci also trusts "repo:x/y:environment:infra".',
    ])
  })

  it('are reported without consent, without a principal, or if they do not exist', async () => {
    set([credential('infra')], [], [credential('infra-drift')], [readWriteOwnedBy])
    expect(missingIn(await look())).toEqual([
      'The application homeport-ci lacks Application.ReadWrite.OwnedBy, or an administrator has not consented.',
      'The application homeport-ci-drift lacks Application.Read.All, or an administrator has not consented.',
    ])
    sandbox.control.setState({ entra: { applications: [], servicePrincipals: [] } })
    expect(missingIn(await look())).toEqual([
      'No application has the client ID in ARM_CLIENT_ID.',
      'The application homeport-ci has no service principal.',
      'No application has the client ID in ARM_DRIFT_CLIENT_ID.',
      'The application homeport-ci-drift has no service principal.',
    ])
  })

  it('are skipped without a token, with an expired one, or without a client ID', async () => {
    const without = await checkEntra(nothing, env, both, subject)
    expect(missingIn(without)).toEqual(['HOMEPORT_GRAPH_TOKEN is not set, so Entra was not checked.'])
    const expired = await checkEntra(nothing, { ...env, HOMEPORT_GRAPH_TOKEN: 'old' }, both, subject)
    expect(missingIn(expired)[0]).toMatch(/^Entra could not be read: Graph answered 401\./)
    const unknown = { ARM_CLIENT_ID: "x' or true", ARM_DRIFT_CLIENT_ID: null }
    expect(missingIn(await checkEntra(nothing, { ...env, ARM_TENANT_ID: '' }, unknown, subject))).toEqual([
      'ARM_TENANT_ID is not set.',
      'ARM_CLIENT_ID is not set, or is not a client ID.',
      'ARM_DRIFT_CLIENT_ID is not set, or is not a client ID.',
    ])
  })
})

describe('the client secrets', () => {
  it.each([
    [90, 0, []],
    [0, 0, [expect.stringMatching(/^Both client secrets expire within 30 days of each other/)]],
    [170, 80, [expect.stringMatching(/^The client secret a expires on /)]],
  ])('created %i and %i days ago', (a, b, expected) => {
    const settings = settingsOf({ secretRotationA: daysAgo(a), secretRotationB: daysAgo(b) })
    expect(missingIn(checkRotation(signInOf(settings), Date.now()))).toEqual(expected)
  })
})

describe('the report', () => {
  const noteOn = (step: Step) => findingsOf(step).note(`About ${step}.`)
  const missingFrom = (step: Step) => findingsOf(step).missing(`About ${step}.`, `fix ${step}`)

  it('names the first step that lacks something, in the order of the page', () => {
    const findings = [missingFrom('deploy'), missingFrom('entra'), noteOn('tools')]
    expect(nextOf(findings, paths.signIn)?.step).toBe('entra')
    expect(reportOf(findings, paths.signIn)).toBe(
      '1. Install the tools\n  note    About tools.\n\n4. Create the applications for CI\n  missing About entra.\n\n' +
        '8. Deploy\n  missing About deploy.\n\n' +
        '2 things are missing. Next, as docs/deploy.md says under "4. Create the applications for CI":\n' +
        '  About entra.\n  fix entra\n',
    )
    expect(reportOf([noteOn('tools')], paths.signIn)).toMatch(/\nNothing is missing\.\n$/)
  })
})

/** A finding as `--json` prints it. */
type PrintedFinding = Omit<StepFinding, 'level'> & { readonly state: 'ok' | 'note' | 'missing' }

describe('npm run bootstrap', () => {
  const args = ['--check', '--json']
  const missingAmong = (findings: readonly PrintedFinding[]) =>
    findings.filter(({ state }) => state === 'missing').map(one => one.text)

  it('refuses other options, and asks for --check', async () => {
    const start = (...args: string[]) => startDoctor('bootstrap', args, {})
    expect((await start('--help')).output).toMatch(/^Usage: npm run bootstrap -- --check/)
    expect(await start()).toMatchObject({
      status: 2,
      output: '',
      problem: expect.stringMatching(/^Add --check/),
    })
    expect((await runDoctor('bootstrap', ['--fix'], {})).status).toBe(2)
  })

  it('continues without tools and credentials, and says what to set', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'homeport-bootstrap-'))
    const { status, output, problem } = await runDoctor('bootstrap', args, { PATH: '/nowhere' }, folder)
    await rm(folder, { recursive: true })
    expect({ status, problem }).toEqual({ status: 1, problem: '' })
    const { complete, next, findings } = JSON.parse(output)
    expect(complete).toBe(false)
    expect(next).toMatchObject({
      page: 'docs/deploy.md',
      heading: paths.signIn.steps.tools,
      text: 'node was not found on PATH, and pulumi needs it.',
    })
    const missing = missingAmong(findings)
    expect(missing).toContain('pulumi was not found.')
    for (const name of ['GITHUB_REPOSITORY', 'CLOUDFLARE_ZONE_ID', 'ARM_CLIENT_ID', 'PULUMI_BACKEND_URL']) {
      expect(missing).toContainEqual(expect.stringMatching(new RegExp(`^${name} is not set`)))
    }
  })

  describe('with the tools on PATH', () => {
    let folder = ''
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'homeport-tools-'))
    })
    afterAll(() => rm(folder, { recursive: true }))

    /** Creates programs that print a text, in a folder of their own. */
    async function programs(place: string, printed: Readonly<Record<string, string>>): Promise<string> {
      const path = join(folder, place)
      await mkdir(path, { recursive: true })
      for (const [name, output] of Object.entries(printed)) {
        await writeFile(join(path, name), `#!/bin/sh\nprintf '%s\\n' '${output}'\n`)
        await chmod(join(path, name), 0o755)
      }
      return path
    }

    async function toolsOf(...path: string[]): Promise<readonly PrintedFinding[]> {
      const { output } = await runDoctor('bootstrap', args, { PATH: path.join(':') }, folder)
      const { findings } = JSON.parse(output) as { findings: PrintedFinding[] }
      return findings.filter(({ step }) => step === 'tools')
    }

    it('judges the Node that pulumi will use, and not the one that npm puts first', async () => {
      const fromNpm = await programs('project/node_modules/.bin', { node: process.version })
      const old = await programs('old', { node: 'v20.20.2' })
      const [node] = await toolsOf(fromNpm, old)
      expect(node).toMatchObject({
        state: 'missing',
        text: 'node on PATH is 20.20.2, and pulumi needs 24.5 or newer.',
        fix: expect.stringContaining('nodejs.org'),
      })
      const recent = await programs('recent', { node: 'v24.5.0' })
      expect((await toolsOf(fromNpm, recent, old))[0]).toMatchObject({ state: 'ok', text: 'Node.js 24.5.0.' })
    })

    const tooOld = 'and the page needs 2.60 or newer.'
    it.each([
      ['gh', 'gh version 2.59.0 (2024-10-30)', 'missing', `gh on PATH is 2.59.0, ${tooOld}`],
      ['gh', 'gh version 2.60.0 (2024-11-06)', 'ok', 'gh 2.60.0.'],
      ['gh', 'gh version 3.0.0 (2027-01-01)', 'ok', 'gh 3.0.0.'],
      ['gh', 'something else', 'missing', `gh on PATH did not print its version, ${tooOld}`],
      [
        'az',
        '{"azure-cli": "2.48.1", "azure-cli-core": "2.61.0"}',
        'missing',
        `az on PATH is 2.48.1, ${tooOld}`,
      ],
    ])('judges %s by the first version that it prints: %s', async (name, printed, state, text) => {
      const findings = await toolsOf(await programs(name, { [name]: printed }))
      expect(findings).toContainEqual(expect.objectContaining({ state, text }))
      const absent = new RegExp(`^${name === 'gh' ? 'az' : 'gh'} was not found`)
      expect(findings).toContainEqual(
        expect.objectContaining({ state: 'note', text: expect.stringMatching(absent) }),
      )
    })
  })
})
