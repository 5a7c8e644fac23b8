import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { checkCloudflare } from '../../../infra/doctor/bootstrap/cloudflare.ts'
import { checkEntra } from '../../../infra/doctor/bootstrap/entra.ts'
import type { Local } from '../../../infra/doctor/bootstrap/stack.ts'
import {
  type Finding,
  findingsOf,
  paths,
  type Step,
  type StepFinding,
} from '../../../infra/doctor/finding.ts'
import { nextOf, reportOf } from '../../../infra/doctor/report.ts'
import type { StackSettings } from '../../../infra/settings/stack-settings.ts'
import { startSandbox } from '../../../sandbox/sandbox.ts'
import { stateOf } from '../../../sandbox/testing/state.ts'
import { root } from '../../../tools/bundle.ts'
import { askCloudflare, graphToken } from '../../support/services.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { runDoctor, startDoctor } from '../support/doctor.ts'
import { exported, noState } from '../support/exported.ts'
import { settingsOf } from '../support/stacks.ts'

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

const textsOf = (findings: readonly Finding[]) => findings.map(({ text }) => text)
const missingIn = (findings: readonly Finding[]) => textsOf(findings.filter(({ level }) => level === 'error'))
const methodsSent = () => [...new Set(sandbox.control.journal().map(({ method }) => method))]

const dnsRead = '82e64a83756745bbbb1c9c2701bf816b'
const dnsWrite = '4755a26eedb94da69e1066d98aa820be'

/** Creates a token with one permission for the zone. Resolves to its value. */
async function tokenFor(group: string): Promise<string> {
  const { cloudflare } = sandbox.description
  const resources = { [`com.cloudflare.api.account.zone.${cloudflare.zoneId}`]: '*' }
  const policies = [{ effect: 'allow', permission_groups: [{ id: group }], resources }]
  const body = { name: 'made', policies }
  return (await askCloudflare<{ value: string }>(cloudflare, 'POST', '/user/tokens', body)).value
}

/** Creates a token with what the deploy token of a Worker needs. Resolves to its value. */
async function exactToken(): Promise<string> {
  const { cloudflare } = sandbox.description
  const allow = (resource: string, ...ids: string[]) => ({
    effect: 'allow',
    permission_groups: ids.map(id => ({ id })),
    resources: { [`com.cloudflare.api.account.${resource}`]: '*' },
  })
  const policies = [
    allow(`zone.${cloudflare.zoneId}`, dnsWrite, '28f4b596e7d643029c524985477ae49a'),
    allow(cloudflare.accountId, 'e086da7e2179491d91ee5f35b3ca210a', '09b2857d1c31407795e75e3fed8617a1'),
  ]
  const body = { name: 'exact', policies }
  return (await askCloudflare<{ value: string }>(cloudflare, 'POST', '/user/tokens', body)).value
}

describe('the tokens', () => {
  it('are checked with GET only, and never printed', async () => {
    const tokens = { CLOUDFLARE_API_TOKEN: await exactToken() }
    sandbox.control.clearJournal()
    const findings = await cloudflare(minting(), tokens)
    expect(textsOf(findings)).toContain(
      'The deploy token has DNS Write, Workers Routes Write, Workers Scripts Write, D1 Write.',
    )
    expect(methodsSent()).toEqual(['GET'])
    expect(JSON.stringify(findings)).not.toContain(sandbox.description.cloudflare.adminToken)
  })

  it('need Workers Scripts, and no routes, for the clock alone', async () => {
    const settings = settingsOf({ signIn: 'none', clock: 'you/dns/dns.yml' })
    const parts = { record: true, signIn: 'none', push: 'none' } as const
    const texts = textsOf(await cloudflare({ ...minting(), stack: localWith(settings).stack, parts }))
    expect(texts.join()).toContain('The deploy token may write more than it needs')
    expect(texts.join()).not.toMatch(/ lacks |Workers Routes \(/)
  })

  it('that lack a permission are reported with it', async () => {
    const value = await tokenFor(dnsWrite)
    const tokens = { CLOUDFLARE_API_TOKEN: value, CLOUDFLARE_READING_TOKEN: value }
    expect(missingIn(await cloudflare(minting(), tokens))).toEqual([
      expect.stringMatching(/^The deploy token may not read Workers Routes \(the service answered 403\), /),
      'The deploy token lacks Workers Routes Write, Workers Scripts Write, D1 Write.',
      expect.stringMatching(/^The reading token may not read .*API Tokens \(/),
      'The reading token may write more than it needs: "DNS Write".',
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

  it('that are wrong, or not set, are named by their variable', async () => {
    const tokens = { CLOUDFLARE_API_TOKEN: 'x'.repeat(40), CLOUDFLARE_READING_TOKEN: '' }
    expect(missingIn(await cloudflare(nothing, tokens))).toEqual([
      'CLOUDFLARE_MINTING_TOKEN is not set, so the minting token was not checked.',
      'The deploy token is not valid: the service answered 401. Paste it again, or create another one.',
      expect.stringMatching(/^CLOUDFLARE_READING_TOKEN is not set, so the reading token was not checked\./),
    ])
  })
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

  it('are not said to be free if the zone is found only by its ID, and the name is not in it', async () => {
    const elsewhere = await cloudflare(minting(), { HOMEPORT_HOSTNAME: 'home.elsewhere.org' })
    const text = 'home.elsewhere.org is not in the zone "example.com", and a stack has one zone.'
    expect(missingIn(elsewhere)).toContain(text)
    expect(textsOf(elsewhere).join()).not.toContain('The stack creates it')
    const local = localWith(settingsOf({ zoneId: '0'.repeat(32), hostname: 'home.other.example' }))
    expect(missingIn(await cloudflare(local))).toContain(
      'zoneId and accountId do not match the zone other.example.',
    )
  })

  it('are reported if they are in the way', async () => {
    const at = sandbox.description.cloudflare
    const record = { type: 'CNAME', name: 'alias.example.com', content: 'example.net', ttl: 120 }
    await askCloudflare(at, 'POST', `/zones/${at.zoneId}/dns_records`, record)
    const found = missingIn(await cloudflare(minting(), { HOMEPORT_HOSTNAME: 'alias.example.com' }))
    expect(found).toContain('alias.example.com has a CNAME record, so it cannot have an A record.')
    const existing = await cloudflare(minting(), { HOMEPORT_HOSTNAME: 'home.example.com' })
    const adopt = existing.find(({ step }) => step === 'stack')
    expect(adopt?.text).toMatch(/^home\.example\.com has an A record that no stack knows: "[0-9a-f]{32}"\./)
    expect(adopt?.fix).toMatch(/^pulumi config set --plaintext importRecordId [0-9a-f]{32}$/)
  })
})

describe('the applications for CI', () => {
  const clientId = '11111111-2222-3333-4444-555555555555'
  const driftClientId = '22222222-2222-3333-4444-555555555555'
  const readAll = '9a5d68dd-52b0-4cc2-bd40-abcf44ac3a30'
  const readWriteOwnedBy = '18a4783c-866b-4cc7-a460-3d5e5662c884'
  const subject = 'repo:homeport@100000/homeport@100001'
  let token = ''
  beforeAll(async () => {
    token = await graphToken(sandbox.description.entra)
  })
  const both = { ARM_CLIENT_ID: clientId, ARM_DRIFT_CLIENT_ID: driftClientId }
  const look = (changes: NodeJS.ProcessEnv = {}) =>
    checkEntra({ ...env, ...both, HOMEPORT_GRAPH_TOKEN: token, ...changes })
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
    const findings = await look({ GITHUB_TOKEN: '' })
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
    const without = await look({ HOMEPORT_GRAPH_TOKEN: '' })
    expect(missingIn(without)).toEqual(['HOMEPORT_GRAPH_TOKEN is not set, so Entra was not checked.'])
    const expired = await look({ HOMEPORT_GRAPH_TOKEN: 'old' })
    expect(missingIn(expired)[0]).toMatch(/^Entra could not be read: Graph answered 401\./)
    const unknown = { ARM_CLIENT_ID: "x' or true", ARM_DRIFT_CLIENT_ID: '', ARM_TENANT_ID: '' }
    expect(missingIn(await look(unknown))).toEqual([
      'ARM_TENANT_ID is not set.',
      'ARM_CLIENT_ID is not set, or is not a client ID.',
      'ARM_DRIFT_CLIENT_ID is not set, or is not a client ID.',
    ])
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
  const args = ['--json']
  const missingAmong = (findings: readonly PrintedFinding[]) =>
    findings.filter(({ state }) => state === 'missing').map(one => one.text)

  it('refuses other options', async () => {
    expect((await startDoctor('bootstrap', ['--help'], {})).output).toMatch(/^Usage: npm run bootstrap/)
    expect((await runDoctor('bootstrap', ['--fix'], {})).status).toBe(2)
    expect((await runDoctor('bootstrap', [], { HOMEPORT_SIGN_IN: 'yes' })).status).toBe(2)
  })

  it('continues without tools and credentials, and says what to set', async () => {
    const folder = temporaryFolder()
    const { status, output, problem } = await runDoctor('bootstrap', args, { PATH: '/nowhere' }, folder)
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
    expect(missing).toContain('There is no stack yet: no file Pulumi.NAME.yaml is in this folder.')
    for (const name of ['CLOUDFLARE_ZONE_ID', 'ARM_CLIENT_ID', 'CLOUDFLARE_MINTING_TOKEN']) {
      expect(missing).toContainEqual(expect.stringMatching(new RegExp(`^${name} is not set`)))
    }
  })

  describe('with a stack', () => {
    const config = { 'homeport:signIn': { value: 'none' }, 'homeport:hostname': { value: 'dyn.example.com' } }
    /** Runs it in a folder with a stack file. @param secrets the decrypted configuration; null without the passphrase */
    async function look(secrets: object | null, changes: NodeJS.ProcessEnv = {}) {
      const folder = temporaryFolder()
      await writeFile(join(folder, 'Pulumi.dev.yaml'), 'config:\n  homeport:signIn: none\n')
      const stack = {
        PATH: `${join(root, 'test/infra/fixtures/bin')}:/usr/bin:/bin`,
        PULUMI_BACKEND_URL: 'file://state',
        ANSWER_CONFIG: JSON.stringify({
          ...config,
          'homeport:zoneId': { value: sandbox.description.cloudflare.zoneId },
          'homeport:mintingApiToken': { secret: true },
        }),
        ANSWER_STATE: exported([]),
        ANSWER_SECRETS: secrets === null ? '' : JSON.stringify(secrets),
      }
      const { output } = await runDoctor('bootstrap', args, { ...env, ...stack, ...changes }, folder)
      return JSON.parse(output) as { findings: PrintedFinding[] }
    }

    it('says that its secrets cannot be decrypted', async () => {
      const { findings } = await look(null)
      expect(missingAmong(findings)).toContain(
        "The CLI cannot decrypt the stack's secrets: PULUMI_CONFIG_PASSPHRASE is missing or wrong.",
      )
    })

    it('checks the minting token that the stack has, not the one that the terminal still has', async () => {
      const given = { CLOUDFLARE_MINTING_TOKEN: sandbox.description.cloudflare.adminToken }
      const { findings } = await look({ 'homeport:mintingApiToken': { value: 'x'.repeat(40) } }, given)
      const minting = findings.find(({ text }) => text.startsWith('The minting token is not valid'))
      expect(minting?.fix).toBe('pulumi config set --secret mintingApiToken')
      const without = await look({ 'homeport:other': { value: 'x' } }, given)
      expect(missingAmong(without.findings)).toContain(
        'mintingApiToken is not set, so the minting token was not checked.',
      )
    })

    it('takes the parts from its file while the backend is not set, and names that first', async () => {
      const { findings } = await look({}, { PULUMI_BACKEND_URL: '' })
      expect(missingAmong(findings)).toContain('PULUMI_BACKEND_URL is not set.')
      expect(missingAmong(findings).join()).not.toMatch(/ARM_|ACCOUNT_ID/)
    })
  })

  describe('with the tools on PATH', () => {
    let folder = ''
    beforeAll(() => {
      folder = temporaryFolder()
    })

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
