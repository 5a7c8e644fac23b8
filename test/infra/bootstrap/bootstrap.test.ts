import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { checkCloudflare } from '../../../infra/bootstrap/cloudflare.ts'
import { checkEntra } from '../../../infra/bootstrap/entra.ts'
import type { Local, Plan } from '../../../infra/bootstrap/local.ts'
import { type Finding, findingsOf, headingsOf, reportOf } from '../../../infra/bootstrap/steps.ts'
import { readTerminal } from '../../../infra/bootstrap/terminal.ts'
import { checkTools } from '../../../infra/bootstrap/tools.ts'
import { parseState } from '../../../infra/exported-state.ts'
import { clockNames, types } from '../../../infra/resource-names.ts'
import type { StackSettings } from '../../../infra/settings/stack-settings.ts'
import { namesOf, readStack } from '../../../infra/stack-view.ts'
import { cloudflareApiUrl } from '../../../lib/cloudflare.ts'
import type { FaultAnswer } from '../../../sandbox/http/faults.ts'
import { startSandbox } from '../../../sandbox/sandbox.ts'
import { createClientCertificate } from '../../../sandbox/testing/client-certificate.ts'
import { stateOf } from '../../../sandbox/testing/state.ts'
import { root } from '../../../tools/bundle.ts'
import { daysAgo, minimalConfig, sessionKeys } from '../../support/configuration.ts'
import { type Allowed, createUserToken, graphToken } from '../../support/services.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { runInProcess, startCommand } from '../support/commands.ts'
import { exported, noState, resourcesWith } from '../support/exported.ts'
import { type Line, matching } from '../support/facts.ts'
import { settingsOf } from '../support/stacks.ts'

const start = () => startSandbox({ entra: { redirectUris: [] }, github: true })
let sandbox: Awaited<ReturnType<typeof start>>
let env: NodeJS.ProcessEnv
let initial: ReturnType<typeof stateOf>
let mintingToken = ''
const variables = { PULUMI_RUN_PROGRAM: 'true', PULUMI_OPTION_POLICY_PACK: 'infra/policy' }
const clientId = '11111111-2222-3333-4444-555555555555'
const driftClientId = '22222222-2222-3333-4444-555555555555'
beforeAll(async () => {
  sandbox = await start()
  const { cloudflare, entra, github } = sandbox.description
  env = {
    ...variables,
    CLOUDFLARE_BASE_URL: cloudflare.apiUrl,
    CLOUDFLARE_API_TOKEN: cloudflare.adminToken,
    CLOUDFLARE_READING_TOKEN: await tokenFor(
      ['DNS Read', 'Workers Routes Read'],
      ['Workers Scripts Read', 'D1 Read'],
      ['API Tokens Read'],
    ),
    GRAPH_URL: entra.graphUrl,
    GITHUB_API_URL: github.baseUrl,
    GITHUB_REPOSITORY: `${github.owner}/${github.repository}`,
    GITHUB_TOKEN: github.token,
    ARM_CLIENT_ID: clientId,
    ARM_DRIFT_CLIENT_ID: driftClientId,
    HOMEPORT_GRAPH_TOKEN: await graphToken(entra),
  }
  mintingToken = await tokenFor([], [], ['API Tokens Write'])
  initial = structuredClone(stateOf(sandbox.control))
})
beforeEach(() => {
  sandbox.control.setState({ entra: initial.entra, github: initial.github } as never)
  sandbox.control.clearJournal()
})
afterAll(() => sandbox.close())

/** What is known without a stack. The stack will have a Worker. */
const nothing = (changes: Partial<Plan> = {}): Local => {
  const { zoneId, accountId } = sandbox.description.cloudflare
  const plan: Plan = {
    ...{ hasSignIn: true, hasHandler: true, hasPush: false, hasClock: false, hosts: [] },
    ...{ zoneId, accountId, records: named('dyn.example.com'), ...changes },
  }
  return { findings: [], plan, isUnread: false, stack: null, mintingToken: null, isLocked: false }
}
/** Records of a plan without a stack. */
const named = (...names: readonly string[]) =>
  names.map(name => ({ name, type: 'A', importId: null }) as const)
/** The plan of a record alone. */
const alone = { hasSignIn: false, hasHandler: false, accountId: null }

/** What is known if there is a stack with these settings. */
const localWith = (settings: StackSettings, state = noState): Local => {
  const { record } = settings
  const { apiUrl } = sandbox.description.cloudflare
  const names = namesOf('prod', state)
  const stack = { name: 'prod', ...names, cloudflareBaseUrl: null, problems: [], apiUrl, state, settings }
  return { ...nothing({ records: record?.plans ?? null }), stack }
}
/** What is known if there is a minting token. It may do what it needs by default. */
const minting = (changes: Partial<Plan> = {}, token = mintingToken) => ({
  ...nothing(changes),
  mintingToken: token,
})

const cloudflare = (local: Local, changes: NodeJS.ProcessEnv = {}) =>
  checkCloudflare(local, { ...env, ...changes })

const textsOf = (findings: readonly Finding[]) => findings.map(({ text }) => text)
const missingIn = (findings: readonly Finding[]) =>
  textsOf(findings.filter(({ level }) => level === 'missing'))
const methodsSent = () => [...new Set(sandbox.control.journal().map(({ method }) => method))]

/** Creates a token with permissions for the zone, the account and its owner. Resolves to its value. */
async function tokenFor(
  zone: readonly string[],
  account: readonly string[] = [],
  user: readonly string[] = [],
  tokens?: string,
): Promise<string> {
  const { cloudflare } = sandbox.description
  const scope = 'com.cloudflare.api'
  const allowed: readonly Allowed[] = [
    [`${scope}.account.zone.${cloudflare.zoneId}`, ...zone],
    [`${scope}.account.${cloudflare.accountId}`, ...account],
    [`${scope}.user.*`, ...user],
  ]
  const given = allowed.filter(([, ...groups]) => groups.length > 0)
  return (await createUserToken(cloudflare, 'made', given, {}, tokens)).value
}

describe('the tokens', () => {
  it('are checked with GET only, and never printed', async () => {
    const exact = await tokenFor(['DNS Write', 'Workers Routes Write'], ['Workers Scripts Write', 'D1 Write'])
    const tokens = { CLOUDFLARE_API_TOKEN: exact }
    sandbox.control.clearJournal()
    const findings = await cloudflare(minting(), tokens)
    expect(textsOf(findings)).toContain(
      'The deploy token has DNS Write, Workers Routes Write, Workers Scripts Write, D1 Write.',
    )
    expect(methodsSent()).toEqual(['GET'])
    expect(JSON.stringify(findings)).not.toMatch(new RegExp(`${mintingToken}|${exact}`))
  })

  it('need Workers Scripts, and no routes, for the clock alone', async () => {
    const plan = { hasSignIn: false, hasHandler: false, hasClock: true }
    const texts = textsOf(await cloudflare(minting(plan)))
    expect(texts.join()).toContain('The deploy token may write more than it needs')
    expect(texts.join()).not.toMatch(/ lacks |Workers Routes \(/)
  })

  const deploy = (value: string) => ({ CLOUDFLARE_API_TOKEN: value })
  const reading = (value: string) => ({ CLOUDFLARE_READING_TOKEN: value })
  it.each<[string, () => Promise<[Local, NodeJS.ProcessEnv?]>, ...Line[]]>([
    [
      'lack permissions',
      async () => [
        minting(),
        { ...deploy(await tokenFor(['DNS Write'])), ...reading(await tokenFor(['DNS Write'])) },
      ],
      'deploy token … read Workers Routes (Cloudflare answered 403), …',
      'deploy token lacks Workers Routes Write, Workers Scripts Write, D1 Write.',
      'reading token … read … API Tokens (',
      'reading token … more … "DNS Write".',
    ],
    [
      'can read tokens, and not create one',
      async () => [minting({}, await tokenFor([], [], ['API Tokens Read']))],
      'minting token lacks API Tokens Write.',
      'deploy token … more',
    ],
    [
      'are not set, or do not exist',
      async () => [nothing(), { ...deploy('x'.repeat(40)), ...reading('') }],
      'CLOUDFLARE_MINTING_TOKEN is not set',
      'deploy token … Cloudflare answered 401',
      'CLOUDFLARE_READING_TOKEN is not set',
    ],
    [
      'are IDs',
      async () => [minting(), deploy(sandbox.description.cloudflare.zoneId)],
      'CLOUDFLARE_API_TOKEN is an ID',
    ],
    [
      // Nobody should widen the reading token because it was pasted in both places.
      'are one in two places',
      async () => {
        const both = await tokenFor(['DNS Read'])
        return [minting(), { ...deploy(both), ...reading(both) }]
      },
      'CLOUDFLARE_API_TOKEN … same … CLOUDFLARE_READING_TOKEN',
      'CLOUDFLARE_READING_TOKEN … same … CLOUDFLARE_API_TOKEN',
    ],
  ])('that %s are named with it', async (_, given, ...expected) => {
    expect(missingIn(await cloudflare(...(await given())))).toEqual(matching(expected))
  })

  it('that the minting token cannot read are not assumed to write', async () => {
    const findings = await cloudflare(minting({}, await tokenFor(['DNS Read'])))
    expect(missingIn(findings)).toEqual(matching(['minting token lacks API Tokens Write.']))
    // Nobody should widen the deploy token because it was pasted here.
    expect(findings.find(({ level }) => level === 'missing')?.fix).toMatch(/^If this is another token/)
    expect(textsOf(findings).join()).toContain('What the deploy token may write was not checked')
  })

  it('of an account are verified there for a record alone, and not called wrong where they read the zone', async () => {
    const tokens = `/accounts/${sandbox.description.cloudflare.accountId}/tokens`
    const minter = await tokenFor(['DNS Write'], ['Account API Tokens Write'], [], tokens)
    const verified = async (path?: string, answer?: FaultAnswer) => {
      const given = { CLOUDFLARE_API_TOKEN: await tokenFor(['DNS Write', 'Zone Read'], [], [], tokens) }
      sandbox.control.setFaults(
        answer ? [{ match: { service: 'cloudflare', path: `${path}/verify$` }, times: null, answer }] : [],
      )
      const findings = await cloudflare(minting(alone, minter), given)
      sandbox.control.setFaults([])
      return findings
    }
    const done = await verified()
    expect(missingIn(done)).toEqual([])
    // An account's token gives what it has.
    expect(textsOf(done)).toContain('The minting token has Account API Tokens Write, DNS Write.')
    const refused: FaultAnswer = { kind: 'errors', status: 403, errors: [{ code: 9109 }] }
    const byAccount = await verified('user/tokens', refused)
    expect(missingIn(byAccount)).toEqual([])
    expect(textsOf(byAccount)).toContain('The deploy token has DNS Write.')
    const both = await verified('tokens', refused)
    expect(textsOf(both)).toContain(
      'The deploy token was not verified: Cloudflare answered 403. It can read the zone, so it works.',
    )
    expect(missingIn(both).join()).not.toContain('The deploy token')
  })
})

describe('the terminal', () => {
  const id = 'a'.repeat(32)
  const complete = {
    ...{ CLOUDFLARE_ZONE_ID: id, CLOUDFLARE_ACCOUNT_ID: id, HOMEPORT_HOSTNAME: 'home.example.com' },
    ...{ HOMEPORT_ORIGIN: 'https://people.example.com', HOMEPORT_DOMAIN: 'example.com' },
    HOMEPORT_TOKENS_END: daysAgo(-300),
  }
  const token = 'cfut_0123456789abcdefghijklmnopqrstuvwxyz0123456789'

  it.each<[string, NodeJS.ProcessEnv, readonly string[]]>([
    ['nothing that is missing', {}, []],
    ['nothing of a Worker for a record alone', { HOMEPORT_SIGN_IN: 'none', HOMEPORT_ORIGIN: '' }, []],
    [
      'an account for an endpoint',
      { HOMEPORT_SIGN_IN: 'none', HOMEPORT_PUSH: 'worker', CLOUDFLARE_ACCOUNT_ID: '' },
      ['CLOUDFLARE_ACCOUNT_ID is missing'],
    ],
    ['a sign-in that nothing is called', { HOMEPORT_SIGN_IN: 'non' }, ['HOMEPORT_SIGN_IN is "non"']],
    [
      'what a Worker needs',
      { HOMEPORT_ORIGIN: '', HOMEPORT_TOKENS_END: '' },
      ['HOMEPORT_ORIGIN is missing', 'HOMEPORT_TOKENS_END is missing'],
    ],
    ['an origin with a path', { HOMEPORT_ORIGIN: 'https://people.example.com/' }, ['HOMEPORT_ORIGIN has ']],
    [
      'the hostname as the origin',
      { HOMEPORT_ORIGIN: 'https://home.example.com' },
      ['HOMEPORT_ORIGIN has the host home.example.com'],
    ],
    [
      'a name in upper case',
      { HOMEPORT_HOSTNAME: 'Home.example.com' },
      ['HOMEPORT_HOSTNAME has "Home.example.com"'],
    ],
    ['an end that is no day', { HOMEPORT_TOKENS_END: 'DAY' }, ['HOMEPORT_TOKENS_END is "DAY"']],
    ['an end that has passed', { HOMEPORT_TOKENS_END: daysAgo(1) }, ['HOMEPORT_TOKENS_END is in the past']],
    ['a token in the place of an ID', { CLOUDFLARE_ZONE_ID: token }, ['CLOUDFLARE_ZONE_ID is ']],
  ])('is asked for %s', (_, changes, expected) => {
    const texts = missingIn(readTerminal({ ...complete, ...changes }).findings)
    expect(texts).toEqual(expected.map(start => expect.stringContaining(start)))
    expect(texts.join()).not.toContain(token)
  })
})

describe('the zone and its records', () => {
  it('lie in the zone, and so do the hosts of Workers', async () => {
    const plan = {
      records: named('home.elsewhere.org'),
      hosts: ['people.elsewhere.org', 'people.example.com'],
    }
    expect(missingIn(await cloudflare(minting(plan)))).toEqual([
      expect.stringMatching(/^home\.elsewhere\.org is not in the zone "example\.com"/),
      expect.stringMatching(/^people\.elsewhere\.org is not in the zone "example\.com"/),
      expect.any(String),
    ])
  })

  it('are reported if they are in the way, with what the program says, unless the stack has or adopts them', async () => {
    const at = sandbox.description.cloudflare
    const existing = await cloudflare(minting({ records: named('home.example.com') }))
    const adopt = existing.find(({ step }) => step === 'stack')
    expect(adopt?.text).toMatch(/^home\.example\.com already has an A record: "[0-9a-f]{32}"\./)

    const settings = (changes: object) =>
      settingsOf({ zoneId: at.zoneId, accountId: at.accountId, hostname: 'home.example.com', ...changes })
    const both = await cloudflare(localWith(settings({ recordType: 'A,AAAA' })))
    expect(textsOf(both)).toContain('The stack creates the record home.example.com AAAA.')
    expect(both.findLast(({ step }) => step === 'stack')?.fix).toMatch(
      /; home\.example\.com A [0-9a-f]{32}", for/,
    )
    const importRecordId = /[0-9a-f]{32}/.exec(adopt?.text ?? '')?.[0] ?? ''
    expect(textsOf(await cloudflare(localWith(settings({ importRecordId }))))).toContain(
      'The stack adopts the record home.example.com A.',
    )
    const state = parseState(
      exported(
        resourcesWith({ recordId: importRecordId }, { record: { name: 'home.example.com', type: 'A' } }),
      ),
    )
    expect(textsOf(await cloudflare(localWith(settings({}), state)))).toContain(
      'The stack has the record home.example.com A.',
    )
  })

  it('need no account, Worker or reading token for a record alone, and no database for the endpoint', async () => {
    const record = await cloudflare(minting(alone), { CLOUDFLARE_READING_TOKEN: '' })
    expect(record).toContainEqual(
      findingsOf('cloudflare').note(
        'CLOUDFLARE_READING_TOKEN is not set, so the reading token was not checked.',
      ),
    )
    expect(textsOf(record).join()).not.toMatch(/lacks|ACCOUNT_ID/)
    const { accountId } = sandbox.description.cloudflare
    const push = await cloudflare(minting({ ...alone, hasPush: true, accountId }))
    expect(textsOf(push)).toContain('The deploy token may read DNS, Workers Routes, Workers Scripts.')
  })
})

describe('the applications for CI', () => {
  const readAll = '9a5d68dd-52b0-4cc2-bd40-abcf44ac3a30'
  const readWriteOwnedBy = '18a4783c-866b-4cc7-a460-3d5e5662c884'
  const subject = 'repo:homeport@100000/homeport@100001'
  const stranger = '99999999-2222-3333-4444-555555555555'
  const credential = (environment: string, changes: object = {}) => ({
    id: environment,
    name: environment,
    issuer: 'https://token.actions.githubusercontent.com',
    subject: `${subject}:environment:${environment}`,
    audiences: ['api://AzureADTokenExchange'],
    ...changes,
  })
  const elsewhere = credential('else', { subject: 'repo:x/y:environment:infra' })

  /** What differs from two applications that are as the page creates them. */
  interface Difference {
    readonly trusted?: readonly object[]
    readonly roles?: readonly string[]
    readonly driftRoles?: readonly string[]
    readonly env?: NodeJS.ProcessEnv
    readonly owners?: readonly string[]
  }

  function set({
    trusted = [credential('infra')],
    roles = [readWriteOwnedBy],
    driftRoles = [readAll],
  }: Difference) {
    const those = [
      ['ci', clientId, trusted, roles],
      ['drift', driftClientId, [credential('infra-drift')], driftRoles],
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

  const untrusted = `No federated credential of homeport-ci … infra. … "${subject}:environment:infra"`
  const more = 'bdfbf15f-ee85-4955-8675-146e8e5296b5'
  it.each<[string, Difference, ...Line[]]>([
    ['as the page creates them, and listed as an owner', { owners: ['principal-ci'] }],
    ['trusted for another audience', { trusted: [credential('infra', { audiences: ['x'] })] }, untrusted],
    ['trusted by another issuer', { trusted: [credential('infra', { issuer: 'https://x' })] }, untrusted],
    [
      'trusting the environment that nobody approves',
      { trusted: [credential('infra-drift')] },
      untrusted,
      `homeport-ci also trusts "${subject}:environment:infra-drift"`,
    ],
    [
      'trusting two environments',
      { trusted: [credential('infra'), credential('infra-drift')] },
      /also trusts .*\. az ad app federated-credential delete --id "\$ARM_CLIENT_ID" --federated-credential-id infra-drift$/,
    ],
    ['trusting another repository', { trusted: [elsewhere, credential('infra')] }, 'also trusts "repo:x/y:'],
    ...(
      [
        [{ GITHUB_TOKEN: '' }, 'GITHUB_TOKEN is not set'],
        [{ GITHUB_REPOSITORY: 'homeport' }, 'GITHUB_REPOSITORY is "homeport"'],
        [{ GITHUB_TOKEN: 'x' }, 'GitHub answered 401 about homeport/homeport'],
      ] as const
    ).map(([unread, cause]): [string, Difference, ...Line[]] => [
      `compared with no repository, since ${cause}`,
      { env: unread, trusted: [elsewhere] },
      `homeport-ci … not checked: ${cause}`,
      `homeport-ci-drift … not checked: ${cause}`,
    ]),
    [
      'permitted more',
      { roles: [readWriteOwnedBy, more] },
      `homeport-ci … "${more}" … only Application.ReadWrite.OwnedBy … az rest --method DELETE --url … /appRoleAssignments/${more}"`,
    ],
    [
      'permitted nothing, or something else',
      { roles: [], driftRoles: [readWriteOwnedBy] },
      'homeport-ci lacks Application.ReadWrite.OwnedBy … consent',
      'homeport-ci-drift lacks Application.Read.All … consent',
      `homeport-ci-drift … "${readWriteOwnedBy}" … only Application.Read.All`,
    ],
    [
      'listed as an owner by the client ID',
      { owners: [clientId] },
      'ownerObjectIds lacks principal-ci, the Object ID of homeport-ci',
    ],
    [
      'unknown in this tenant',
      { env: { ARM_CLIENT_ID: stranger, ARM_DRIFT_CLIENT_ID: stranger } },
      'No application … ARM_CLIENT_ID',
      'No application … ARM_DRIFT_CLIENT_ID',
    ],
    [
      'named by what is no ID',
      { env: { ARM_CLIENT_ID: "x' or true", ARM_DRIFT_CLIENT_ID: '' } },
      'ARM_CLIENT_ID is not set',
      'ARM_DRIFT_CLIENT_ID is not set',
    ],
    ['not read without a token', { env: { HOMEPORT_GRAPH_TOKEN: '' } }, 'HOMEPORT_GRAPH_TOKEN is not set'],
    [
      'not read with an old one',
      { env: { HOMEPORT_GRAPH_TOKEN: 'old' } },
      'Graph answered 401. … az account',
    ],
  ])('are %s', async (_, given, ...expected) => {
    set(given)
    const findings = await checkEntra({ ...env, ...given.env }, given.owners)
    const lines = findings.filter(({ level }) => level === 'missing').map(({ text, fix }) => `${text} ${fix}`)
    expect(lines).toEqual(matching(expected))
    expect(methodsSent()).toEqual(['GET'])
  })
})

it('the report names the first step that lacks something, in the order of the page', () => {
  const missingFrom = (step: 'deploy' | 'entra') => findingsOf(step).missing(`About ${step}.`, `fix ${step}`)
  const tools = findingsOf('tools').note('About tools.')
  expect(reportOf([missingFrom('deploy'), missingFrom('entra'), tools], headingsOf(true), [])).toBe(
    '1. Install the tools\n  note    About tools.\n\n4. Create the applications for CI\n  missing About entra.\n\n' +
      '8. Deploy\n  missing About deploy.\n\n' +
      'Not checked: 6. Set up GitHub; 9. Hand over the token; 10. Let CI deploy.\n' +
      '2 things are missing. Next, as docs/deploy.md says under "4. Create the applications for CI":\n' +
      '  About entra.\n  fix entra\n',
  )
  expect(reportOf([tools], headingsOf(true), ['the host'])).toMatch(
    /^Nothing is missing\. Not checked: 6.*; the host\.$/m,
  )
})

describe('npm run bootstrap', () => {
  it('explains itself', async () => {
    expect((await startCommand('bootstrap', ['--help'], {})).output).toMatch(/^Usage: npm run bootstrap/)
  })

  it('continues without tools and credentials, and says what to set', async () => {
    const { status, output, problem } = await runInProcess(
      'bootstrap',
      [],
      { PATH: '/nowhere' },
      temporaryFolder(),
    )
    expect({ status, problem }).toEqual({ status: 1, problem: '' })
    for (const text of [
      'pulumi was not found on PATH.',
      'PULUMI_BACKEND_URL is not set.',
      'There is no stack yet: no file Pulumi.NAME.yaml is in this folder.',
      'CLOUDFLARE_ZONE_ID is missing',
      'ARM_CLIENT_ID is not set',
      'CLOUDFLARE_MINTING_TOKEN is not set',
    ])
      expect(output).toContain(`  missing ${text}`)
    expect(output).toMatch(
      /Next, as docs\/deploy\.md says under "1\. Install the tools":\n {2}node was not found on PATH\.\n {2}Install/,
    )
  })

  describe('with a stack', () => {
    const config = { 'homeport:signIn': { value: 'none' }, 'homeport:hostname': { value: 'dyn.example.com' } }
    const provider = (apiToken: string) => ({
      type: 'pulumi:providers:cloudflare',
      name: 'default',
      id: 'provider',
      inputs: { apiToken: { plaintext: JSON.stringify(apiToken) } },
    })
    /** Runs it in a folder with a stack file. @param secrets the decrypted configuration; null without the passphrase */
    async function look(secrets: object | null, changes: NodeJS.ProcessEnv = {}): Promise<string> {
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
        ANSWER_STATE: exported([provider('a'.repeat(40))]),
        ...changes,
      }
      // With the passphrase, the CLI prints what is not secret, too.
      const all = { ...JSON.parse(stack.ANSWER_CONFIG), ...secrets }
      const ANSWER_SECRETS = secrets === null ? '' : JSON.stringify(all)
      return (await runInProcess('bootstrap', [], { ...env, ...stack, ANSWER_SECRETS }, folder)).output
    }
    const minted = (value: string) => ({ 'homeport:mintingApiToken': { value } })

    it('says that its secrets cannot be decrypted, and how far it is deployed', async () => {
      const output = await look(null)
      expect(output).toContain(
        "The CLI cannot decrypt the stack's secrets: PULUMI_CONFIG_PASSPHRASE is missing",
      )
      expect(output).toMatch(/^ {2}ok {6}The stack is \w+\.$/m)
      expect(output).toContain('  missing The stack has been deployed in part.')
      expect(output).not.toContain('mintingApiToken is not set')
      const [root, record, token] = resourcesWith({ recordId: 'r', dnsTokenId: 't', tenantId: 'id' })
      // As destroy --exclude-protected leaves it.
      const kept = exported([root, record].flatMap(one => one ?? []))
      expect(await look({}, { ANSWER_STATE: kept })).toContain(
        '  missing The stack has been deployed in part.',
      )
      const whole = exported([record, token].flatMap(one => one ?? []))
      expect(await look({}, { ANSWER_STATE: whole })).toContain('  ok      The stack has been deployed.')
    })

    it('misses the secrets that the stack is to have', async () => {
      const { secretRotationA: _, secretRotationB: __, ...given } = minimalConfig
      const own = Object.entries({ ...given, credential: 'certificate' })
      const ANSWER_CONFIG = JSON.stringify(
        Object.fromEntries(own.map(([key, value]) => [`homeport:${key}`, { value }])),
      )
      const change = { ANSWER_CONFIG, HOMEPORT_SIGN_IN: undefined }
      const missed = async (secrets: object) =>
        /^ {2}missing homeport:\w+.*$/gm[Symbol.match](await look(secrets, change))
      expect(await missed({})).toEqual([
        expect.stringContaining('homeport:sessionKeys is missing. '),
        expect.stringContaining('homeport:clientCertificate is missing. '),
      ])
      const value = createClientCertificate().pem
      const set = { 'homeport:clientCertificate': { value }, 'homeport:sessionKeys': { value: 'k1:short' } }
      expect(await missed(set)).toEqual([expect.stringContaining('homeport:sessionKeys ')])
      expect(await missed({ ...set, 'homeport:sessionKeys': { value: sessionKeys } })).toBeNull()
    })

    it('misses a clock that no run has created', async () => {
      const [, record, token] = resourcesWith({ recordId: 'r', dnsTokenId: 't', tenantId: 'id' })
      const { zoneId, accountId } = sandbox.description.cloudflare
      const withClock = {
        ...config,
        'homeport:zoneId': { value: zoneId },
        'homeport:accountId': { value: accountId },
        'homeport:mintingApiToken': { secret: true },
        'homeport:clock': { value: 'you/dns/dns.yml' },
        'homeport:clockToken': { secret: true },
      }
      const ANSWER_CONFIG = JSON.stringify(withClock)
      const before = exported([record, token].flatMap(one => one ?? []))
      expect(await look(null, { ANSWER_CONFIG, ANSWER_STATE: before })).toContain(
        '  missing The stack has been deployed in part.',
      )
      const trigger = { type: types.trigger, name: clockNames.trigger, id: 'trigger' }
      const after = exported([record, token, trigger].flatMap(one => one ?? []))
      expect(await look(null, { ANSWER_CONFIG, ANSWER_STATE: after })).toContain(
        '  ok      The stack has been deployed.',
      )
    })

    it('checks the minting token that the stack has, not the one that the terminal still has', async () => {
      const given = { CLOUDFLARE_MINTING_TOKEN: mintingToken }
      expect(await look(minted('x'.repeat(40)), given)).toContain('missing The minting token is not valid')
      expect(await look({ 'homeport:other': { value: 'x' } }, given)).toMatch(
        /^4\. Create the stack\n(?: .*\n)* {2}missing mintingApiToken is not set, so the minting token was not checked\.$/m,
      )
    })

    it('checks what the stack has, and not what the terminal sets, if a key is wrong', async () => {
      const { zoneId } = sandbox.description.cloudflare
      const wrong = { 'homeport:zoneId': { value: zoneId }, 'homeport:hostnam': { value: 'x' } }
      const ANSWER_CONFIG = JSON.stringify({ ...config, ...wrong })
      const output = await look({}, { ANSWER_CONFIG, HOMEPORT_HOSTNAME: 'shell.example.com' })
      expect(output).toContain('homeport:hostnam')
      expect(output).toContain('The stack creates the record dyn.example.com A.')
      expect(output).not.toContain('shell.example.com')
    })

    it('misses the Workers that were not built', async () => {
      const wanted = { HOMEPORT_SIGN_IN: 'worker', HOMEPORT_PUSH: 'worker' }
      const missed = 'npm run build has not written build/worker.js and build/push-worker.js.'
      expect(await look({}, wanted)).toContain(`2. Copy the repository\n  missing ${missed}\n`)
    })

    it('says that the terminal wants another sign-in than the stack has, before what the tokens lack', async () => {
      const output = await look({}, { HOMEPORT_SIGN_IN: 'host' })
      expect(output).toContain('HOMEPORT_SIGN_IN is "host", and the stack\'s key signIn is')
      expect(output).not.toContain('D1')
    })

    it('compares nothing with a stack that it cannot read, and names the backend in the way of its file', async () => {
      const output = await look({}, { PULUMI_BACKEND_URL: '' })
      expect(output).toMatch(
        /^3\. Choose the place for the state\n {2}missing PULUMI_BACKEND_URL is not set\.\n\n/m,
      )
      expect(output).not.toMatch(/ARM_|ACCOUNT_ID| token /)
    })
  })

  it('sends no token where a configuration leads that is refused', async () => {
    vi.stubEnv('PATH', `${join(root, 'test/infra/fixtures/bin')}:/usr/bin:/bin`)
    vi.stubEnv('ANSWER_STATE', exported([]))
    vi.stubEnv('CLOUDFLARE_BASE_URL', '')
    const given = { ...minimalConfig, signIn: 'none', 'cloudflare:baseUrl': 'https://stranger.example/' }
    const keyed = Object.entries(given).map(([key, value]) => [
      key.replace(/^(?!.*:)/, 'homeport:'),
      { value },
    ])
    vi.stubEnv('ANSWER_CONFIG', JSON.stringify(Object.fromEntries(keyed)))
    const stack = await readStack(undefined, Date.now())
    vi.unstubAllEnvs()
    expect(stack).toMatchObject({ settings: null, apiUrl: cloudflareApiUrl })
    expect(stack.problems.join()).toContain('cloudflare:baseUrl leads to another host')
  })

  it('judges the tools by the first version that they print, and the Node that pulumi will use', async () => {
    const folder = temporaryFolder()
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
    const toolsOf = (...path: string[]) => checkTools({ PATH: path.join(':'), ...variables }, true)
    const fromNpm = await programs('project/node_modules/.bin', { node: process.version })
    const az = '{"azure-cli": "2.48.1", "azure-cli-core": "2.61.0"}'
    const old = { node: 'v20.20.2', pulumi: 'v3.100.0', az, gh: 'something else' }
    expect(missingIn(await toolsOf(fromNpm, await programs('old', old)))).toEqual([
      'node on PATH is 20.20.2, and 24.5 or newer is needed.',
      expect.stringMatching(/^pulumi on PATH is 3\.100\.0, and 3\.\d+\.\d+ or newer is needed\.$/),
      'az on PATH is 2.48.1, and 2.60 or newer is needed.',
      'gh on PATH did not print its version, and 2.60 or newer is needed.',
    ])
    const recent = { node: 'v24.10.0', pulumi: 'v10.0.0', gh: 'gh version 2.100.0 (2027-11-06)' }
    expect(await toolsOf(fromNpm, await programs('recent', recent))).toMatchObject([
      { level: 'ok', text: 'node 24.10.0.' },
      { level: 'ok' },
      { level: 'note', text: expect.stringMatching(/^az was not found\./) },
      { level: 'ok', text: 'gh 2.100.0.' },
      { level: 'ok', text: 'PULUMI_RUN_PROGRAM and PULUMI_OPTION_POLICY_PACK are set.' },
    ])
  })

  it('names what a new terminal lacks for every command of the CLI', async () => {
    const lacking = async (given: NodeJS.ProcessEnv) =>
      (await checkTools({ PATH: '', ...given }, false)).at(-1)
    expect(await lacking({ PULUMI_RUN_PROGRAM: 'false' })).toMatchObject({
      level: 'missing',
      text: "PULUMI_RUN_PROGRAM and PULUMI_OPTION_POLICY_PACK do not have the page's value.",
      fix: 'export PULUMI_RUN_PROGRAM=true PULUMI_OPTION_POLICY_PACK=infra/policy',
    })
    expect(await lacking({ PULUMI_RUN_PROGRAM: 'true' })).toMatchObject({
      level: 'missing',
      fix: 'export PULUMI_OPTION_POLICY_PACK=infra/policy',
    })
  })
})
