import { readFile } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { changedTokens, unknownRecords, unknownTokens } from '../../../infra/doctor/drift/unknown.ts'
import { annotationOf, summaryOf } from '../../../infra/doctor/report.ts'
import { runProgram } from '../../../infra/program.ts'
import { dnsWrite, tokenArguments } from '../../../infra/resources/token-policy.ts'
import { type Binding, handlerBindings } from '../../../infra/resources/worker-bindings.ts'
import type { StackSettings } from '../../../infra/settings/stack-settings.ts'
import { shown } from '../../../infra/shown.ts'
import { bootstrapAddresses, recordArguments, types } from '../../../infra/stack-facts.ts'
import { parseState } from '../../../infra/stack-state.ts'
import type { WorkflowState } from '../../../sandbox/github/repository.ts'
import { toSnake } from '../../../sandbox/pulumi/properties.ts'
import { startSandbox } from '../../../sandbox/sandbox.ts'
import { stateOf } from '../../../sandbox/testing/state.ts'
import { root } from '../../../tools/bundle.ts'
import { daysAgo, minimalConfig } from '../../support/configuration.ts'
import { askCloudflare, workerUpload } from '../../support/services.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { type Ran, runDoctor, startDoctor } from '../support/doctor.ts'
import { type Exported, encrypted, exported, type Ids, noState, resourcesWith } from '../support/exported.ts'
import { recordOf, settingsOf, signInOf } from '../support/stacks.ts'

const hostname = 'home.example.com'
const secretText = 'hidden-session-keys'
const database = 'homeport-dev'

const start = () => startSandbox({ github: true })
let sandbox: Awaited<ReturnType<typeof start>>
let folder = ''
/** What the CLI prints: configuration without the project's name, and the ids in the state. */
let config: Record<string, string>
let ids: Ids
let settings: StackSettings

const at = () => sandbox.description.cloudflare
const api = <Result = { id: string }>(method: string, path: string, body?: unknown) =>
  askCloudflare<Result>(at(), method, path, body)

const declared = (by = settings) =>
  handlerBindings<string>(signInOf(by), {
    tenantId: ids.tenantId ?? '',
    clientId: ids.clientId ?? '',
    databaseId: ids.databaseId ?? '',
    clientSecrets: secretText,
    sessionKeys: secretText,
  })

/** Deploys a Worker with these bindings, as a run or a person does. */
const bind = (bindings: readonly Binding<string>[], script = 'homeport-dev') =>
  api(
    'PUT',
    `/accounts/${at().accountId}/workers/scripts/${script}`,
    workerUpload('here', { bindings: bindings.map(one => toSnake({ ...one })) }),
  )

async function createToken(name: string): Promise<string> {
  const policies = [
    {
      effect: 'allow',
      permission_groups: [{ id: '4755a26eedb94da69e1066d98aa820be' }],
      resources: { [`com.cloudflare.api.account.zone.${at().zoneId}`]: '*' },
    },
  ]
  return (await api('POST', '/user/tokens', { name, policies })).id
}

beforeAll(async () => {
  sandbox = await start()
  folder = temporaryFolder()
  const { accountId, zoneId } = at()
  config = { ...minimalConfig, accountId, zoneId, hostname }
  settings = settingsOf(config)
  const { uuid } = await api<{ uuid: string }>('POST', `/accounts/${accountId}/d1/database`, {
    name: database,
  })
  const records = await api<{ id: string }[]>('GET', `/zones/${zoneId}/dns_records?type=A&name=${hostname}`)
  ids = {
    tenantId: '11111111-2222-3333-4444-555555555555',
    databaseId: uuid,
    recordId: records[0]?.id ?? '',
    dnsTokenId: await createToken('homeport-dev'),
  }
  await bind(declared())
})
afterAll(async () => {
  await sandbox.close()
})

interface Run {
  readonly args?: readonly string[]
  readonly config?: Readonly<Record<string, string>>
  readonly ids?: Ids
  /** Resources of the state besides those with the ids. */
  readonly more?: readonly Exported[]
  readonly env?: Readonly<Record<string, string>>
}

/** What the state declares of the resources with ids. drift-compare.test.ts has the rest. */
const inputs = () => ({
  record: recordArguments(recordOf(settings).zoneId, recordOf(settings).plans[0]),
  token: tokenArguments('homeport-dev', recordOf(settings).zoneId, recordOf(settings).token, dnsWrite.id),
  accountId: at().accountId,
})

/** The environment of `npm run drift` with an emulated CLI. */
function environmentOf(run: Run): NodeJS.ProcessEnv {
  const stackFile = Object.entries({ ...config, ...run.config }).map(([key, value]) => [
    `homeport:${key}`,
    { value, secret: false },
  ])
  const secrets = ['sessionKeys', 'mintingApiToken'].map(key => [`homeport:${key}`, { secret: true }])
  const { owner, repository, baseUrl, token } = sandbox.description.github
  return {
    PATH: [join(root, 'test/infra/fixtures/bin'), dirname(process.execPath)].join(delimiter),
    ANSWER_CONFIG: JSON.stringify(Object.fromEntries([...stackFile, ...secrets])),
    ANSWER_STATE: exported([...resourcesWith(run.ids ?? ids, inputs()), ...(run.more ?? [])]),
    ANSWER_TOKEN: at().adminToken,
    CLOUDFLARE_API_TOKEN: at().adminToken,
    CLOUDFLARE_BASE_URL: at().apiUrl,
    GITHUB_API_URL: baseUrl,
    GITHUB_REPOSITORY: `${owner}/${repository}`,
    HOMEPORT_ISSUE_TOKEN: token,
    ...run.env,
  }
}

const driftOfParts = (run: Run = {}) => runDoctor('drift', run.args ?? [], environmentOf(run))

/** Lines of any part of a stack: what it lacks, and that nobody gave a token for Entra. */
const ofParts =
  /^(?:::error title=Drift::)?(?:The configuration declares what the state lacks: |Could not read Entra: HOMEPORT_GRAPH_TOKEN is not set)/

/** The states here are parts of a stack, so those lines are left out. */
async function drift(run: Run = {}): Promise<Ran> {
  const ran = await driftOfParts(run)
  const lines = ran.output.split(/(?<=\n)/)
  const kept = lines.filter(line => !ofParts.test(line))
  const count = kept.filter(line => !line.startsWith('::')).length - 1
  if (kept.length === lines.length) return ran
  const end = count === 1 ? 'has one difference.' : `has ${count} differences.`
  const last = count === 0 ? 'No drift: stack dev is as the last run left it.' : `Stack dev ${end}`
  const output = kept.map(line => (line.startsWith('Stack dev has') ? `${last}\n` : line)).join('')
  return { ...ran, status: count === 0 ? 0 : ran.status, output }
}

/** Creates something at Cloudflare, runs the command, and deletes it. */
async function driftBeside(path: string, body: object) {
  const { id } = await api('POST', path, body)
  try {
    return { id, ...(await drift()) }
  } finally {
    await api('DELETE', `${path}/${id}`)
  }
}

const issues = () => structuredClone(stateOf(sandbox.control).github.issues)

describe('npm run drift', () => {
  it('names what the configuration declares and the state lacks', async () => {
    const { status, output } = await driftOfParts({ ids: {} })
    expect(status).toBe(1)
    expect(output).toContain(
      'The configuration declares what the state lacks: the record "home.example.com" (A), the DNS token, the registration, its service principal, client secret a, client secret b, the database, the Worker, its custom domain. Run pulumi up, which creates it.\n',
    )
  })

  it('is red if the configuration is wrong, and names every wrong key', async () => {
    const { status, output } = await drift({ config: { hostname: 'x', tokenExpiresOn: 'y' } })
    expect(output).toMatch(/homeport:hostname is not a full hostname/)
    expect(output).toMatch(/homeport:tokenExpiresOn is not a time in UTC/)
    expect(status).toBe(1)
  })
})

describe('a binding of the Worker', () => {
  afterAll(() => bind(declared()))
  const without = (name: string) => declared().filter(one => one.name !== name)
  const plain = (name: string, text: string): Binding<string> => ({ name, type: 'plain_text', text })

  it.each([
    [
      'that somebody changed is reported with both values and the fix',
      () => [...without('ALLOWED_DOMAINS'), plain('ALLOWED_DOMAINS', '*')],
      [
        /^The Worker homeport-dev has ALLOWED_DOMAINS = "\*" instead of "example\.com"\. Set it in the dashboard, .*\.$/m,
      ],
    ],
    [
      'that is missing or not declared is reported by its name only',
      () => [...without('REQUIRE_STATE'), plain('DEBUG_TOKEN', 'not-to-be-printed')],
      [
        /has no binding REQUIRE_STATE \(plain_text\)\. Set it in the dashboard/,
        /has a binding "DEBUG_TOKEN" \("plain_text"\), which is not declared\. Remove it/,
      ],
    ],
    [
      'that is no longer secret is reported without its value',
      () => [...without('SESSION_KEYS'), plain('SESSION_KEYS', secretText)],
      [/binds SESSION_KEYS as "plain_text" instead of secret_text\. .* Then replace the secret/],
    ],
  ])('%s', async (_, bindings, lines) => {
    await bind(bindings())
    const { status, output } = await drift()
    for (const line of lines) expect(output).toMatch(line)
    expect(output).not.toMatch(/not-to-be-printed|hidden-session-keys/)
    expect(status).toBe(1)
  })

  it('is compared only if the stack knows it, so not before the first deployment', async () => {
    const { status, output } = await drift({ ids: { recordId: ids.recordId ?? '' } })
    expect(output).not.toMatch(/TENANT_ID|CLIENT_ID|EMPLOYEES/)
    expect(status).toBe(1)
  })
})

describe('a token with the name of the stack', () => {
  it('that the state does not know is reported', async () => {
    const second = await createToken('homeport-dev')
    await createToken('homeport-production')
    const { status, output } = await drift()
    expect(output).toMatch(
      new RegExp(
        `^There is a token "${second}" with the name homeport-dev, created "20.*Z", which the state does not know\\. It can change the zone\\. Make sure that no run is under way, then delete it under .*\\.$`,
        'm',
      ),
    )
    expect(output).toMatch(/one difference\.\n$/)
    expect(status).toBe(1)

    // A rotation that failed leaves the old one, which the next run deletes.
    const old = { type: types.userToken, name: 'dns-token', id: second, delete: true }
    expect((await drift({ more: [old] })).output).not.toMatch(/which the state does not know/)
    const rotated = { ...old, name: 'dns-token-16367aac', delete: false }
    const unfinished = (await drift({ more: [rotated] })).output
    expect(unfinished).not.toMatch(/which the state does not know/)
    expect(unfinished).toMatch(new RegExp(`The DNS token was rotated, .*${second}"? exist`))
    await api('DELETE', `/user/tokens/${second}`)
    expect((await drift()).status).toBe(0)
  })

  it('is not assumed to be absent if the list is refused', async () => {
    const { status, output } = await drift({ env: { CLOUDFLARE_API_TOKEN: at().dnsToken } })
    expect(output).toMatch(/Could not read the tokens: the service answered 403 \(\d+\)\. Give the token/)
    expect(output).toMatch(/Could not read the bindings of the Worker: .*Workers Scripts Read\./)
    expect(status).toBe(1)
    const wrong = await drift({ env: { CLOUDFLARE_API_TOKEN: 'x'.repeat(40) } })
    expect(wrong.output).toMatch(/Could not read the tokens: .*401 .*is not valid: paste it again/)
    expect(wrong.output).toMatch(
      /Could not read the records: .*\(9109\)\. .*DNS Read\. If it has it: The token/,
    )
  })
})

describe('an address record', () => {
  const records = () => `/zones/${at().zoneId}/dns_records`
  const other = (content: string) => ({ type: 'A', name: hostname, content, ttl: 120, proxied: false })

  it('that the state does not know is reported with the commands that adopt it', async () => {
    const { status, output } = await drift({ ids: { ...ids, recordId: '0'.repeat(32) } })
    expect(output).toContain(
      `Adopt it: pulumi config set --plaintext importRecordId ${ids.recordId}, then pulumi up, then pulumi config rm importRecordId.`,
    )
    expect(status).toBe(1)
  })

  it("besides the stack's own is reported with both ids", async () => {
    const { id, status, output } = await driftBeside(records(), other('203.0.113.77'))
    expect(output).toMatch(
      new RegExp(
        `record "${id}" .* besides the stack's own, "${ids.recordId}"\\. It answers with an address of its own\\. Compare their addresses`,
      ),
    )
    expect(output).not.toMatch(/[Dd]elete|203\.0\.113\.77/)
    expect(status).toBe(1)
    expect((await drift()).status).toBe(0)
  })

  it("besides the stack's own is to be deleted only if it answers with the bootstrap address", async () => {
    const { id, output } = await driftBeside(records(), other(bootstrapAddresses.A))
    expect(output).toMatch(
      new RegExp(`record "${id}" .* It answers with the bootstrap address\\. .*delete it in the dashboard`),
    )
  })

  it.each([
    ['AAAA', { content: '2001:db8::7' }],
    ['HTTPS', { data: { priority: 1, target: 'elsewhere.example', value: '' } }],
  ])('of another type at the name is reported, and never to be deleted: %s', async (type, data) => {
    const { id, status, output } = await driftBeside(records(), { type, name: hostname, ttl: 120, ...data })
    expect(output).toMatch(
      new RegExp(
        `^There is a record "${id}" \\(${hostname}, ${type}\\), which decides where people go, too\\. Find out`,
        'm',
      ),
    )
    expect(output).not.toMatch(/[Dd]elete/)
    expect(status).toBe(1)
  })
})

describe('a Workers route', () => {
  const routes = () => `/zones/${at().zoneId}/workers/routes`
  const signInHost = 'people.example.com'

  it.each([
    [`${signInHost}/*`, undefined],
    ['*.example.com/*', undefined],
    [`https://${signInHost}/api/auth/callback`, 'another'],
  ])('that takes the sign-in host over is reported: %s', async (pattern, script) => {
    if (script) await bind([], script)
    const { id, status, output } = await driftBeside(routes(), { pattern, script })
    expect(output).toContain(
      `The Workers route ${JSON.stringify(pattern)} ("${id}") sends requests for ${signInHost} to ${script ? `the Worker "${script}"` : 'no Worker'} instead of homeport-dev.`,
    )
    expect(status).toBe(1)
  })
})

describe('what was handed over to GitHub', () => {
  const environment = 'dns'
  const place = { repository: 'homeport', environment }
  const written = '2026-11-22 17:00:00 +0000 UTC'
  const variable = (variableName: string): Exported => ({
    type: types.environmentVariable,
    name: variableName.toLowerCase(),
    id: `homeport:dns:${variableName}`,
    inputs: { ...place, variableName },
  })
  const more: readonly Exported[] = [
    {
      type: types.environmentSecret,
      name: 'repository-token',
      id: 'homeport:dns:CLOUDFLARE_DNS_TOKEN',
      inputs: { ...place, secretName: 'CLOUDFLARE_DNS_TOKEN', value: encrypted },
      outputs: { ...place, updatedAt: written },
    },
    variable('HOMEPORT_ZONE_ID'),
    variable('HOMEPORT_HOSTNAME'),
  ]
  const declaredVariables = () => ({ HOMEPORT_ZONE_ID: at().zoneId, HOMEPORT_HOSTNAME: hostname })

  /** Puts values into the environment. @param secret the time at which the secret is written, by the clock of the sandbox */
  function put(variables: object, secret: string | null): void {
    const set = (secrets: object) =>
      sandbox.control.setState({ github: { environments: { dns: { secrets, variables } } } } as never)
    set({})
    if (secret === null) return
    sandbox.control.setClock({ now: secret })
    set({ CLOUDFLARE_DNS_TOKEN: 'hidden-token' })
    sandbox.control.setClock({ now: new Date().toISOString() })
  }
  const run = (change: Run = {}) => {
    const { owner, repository, token } = sandbox.description.github
    const handOver = { repository: `${owner}/${repository}`, environment }
    return drift({ more, ...change, config: handOver, env: { GITHUB_TOKEN: token, ...change.env } })
  }

  it('is as the last run left it', async () => {
    put(declaredVariables(), '2026-11-22T17:00:00Z')
    const { status, output } = await run()
    expect(output).toContain('No drift')
    expect(status).toBe(0)
  })

  it('is reported with both times if somebody replaced the secret', async () => {
    put(declaredVariables(), '2026-11-22T18:30:00Z')
    const { status, output } = await run()
    expect(output).toMatch(
      /^The secret CLOUDFLARE_DNS_TOKEN of the environment dns was written at "2026-11-22T18:30:00Z", and the stack wrote it at "2026-11-22T17:00:00Z": somebody replaced it\. .* tokenRotation 20\S+, then pulumi up\.$/m,
    )
    expect(output).not.toContain('hidden-token')
    expect(status).toBe(1)
  })

  it('is reported if it is missing, or has another value', async () => {
    put({ HOMEPORT_HOSTNAME: 'elsewhere.example' }, null)
    const { output } = await run()
    expect(output).toContain('The environment dns has no secret CLOUDFLARE_DNS_TOKEN, which the stack')
    expect(output).toContain('The environment dns has no variable HOMEPORT_ZONE_ID, which the stack')
    expect(output).toContain(
      `The variable HOMEPORT_HOSTNAME of the environment dns is "elsewhere.example" instead of "${hostname}".`,
    )
  })

  it('is to be deleted if the state does not know it, because up cannot create it', async () => {
    put(declaredVariables(), null)
    const { output } = await run({ more: [] })
    expect(output).toMatch(
      /^The environment dns has the variable HOMEPORT_ZONE_ID, which the state does not know\. Every pulumi up fails with 409 .* gh variable delete HOMEPORT_ZONE_ID --env dns --repo homeport\/homeport, then pulumi up\.$/m,
    )
  })

  it.each([
    ['', /GITHUB_TOKEN is not set\. Set it to a token that can read environments/],
    ['wrong', /GitHub answered 401\. Check that the token in GITHUB_TOKEN can read environments/],
  ])('is not assumed to be right without an answer: token %j', async (token, line) => {
    const { status, output } = await run({ env: { GITHUB_TOKEN: token } })
    expect(output).toMatch(line)
    expect(status).toBe(1)
  })
})

describe('the DNS token', () => {
  const state = (modifiedOn: string) =>
    parseState(exported([{ type: types.userToken, name: 'dns-token', id: 'own', outputs: { modifiedOn } }]))
  const found = (modifiedOn: string) => [
    { id: 'own', name: 'homeport-dev', status: 'active', issuedOn: null, modifiedOn },
  ]

  it('is reported with both times if it was changed after the last run', () => {
    const [difference] = changedTokens(found('2026-11-22T17:10:00Z'), state('2026-11-22T17:00:00.5Z'))
    expect(difference?.text).toBe(
      'The DNS token was changed at "2026-11-22T17:10:00Z", and the last run saw it as of "2026-11-22T17:00:00.5Z": somebody edited or rolled it.',
    )
    expect(difference?.fix).toMatch(/tokenRotation 20\S+, then pulumi up\.$/)
  })

  it('is not to be deleted if it can be the one in use, although the state does not know it', () => {
    const place = { tokenNames: ['homeport-dev'], token: recordOf(settings).token }
    const all = found('2026-11-22T17:00:00Z')
    const second = { ...all[0], id: 'second' } as (typeof all)[number]
    const known = state('2026-11-22T17:00:00Z')
    const fixes = (tokens: typeof all) =>
      unknownTokens(tokens, { ...place, state: known }).map(one => one.fix)
    expect(fixes([...all, second])).toEqual([expect.stringMatching(/then delete it under/)])
    expect(fixes([second])).toEqual([
      expect.stringMatching(/^It can be the one in use.* Run pulumi up first/),
    ])
    expect(fixes([{ ...second, status: 'expired' }])).toEqual([])
  })
})
describe('a credential that expires within 30 days', () => {
  const soon = daysAgo(170)
  const inDays = (days: number) => `${new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 19)}Z`

  it.each([
    [
      'client secret',
      { secretRotationB: soon },
      /^The client secret b expires on .*, in (9|10) days\. Rotate it:/m,
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

  it.each([
    ['minting token', /pulumi config set --secret mintingApiToken/],
    ['deploy token', /CLOUDFLARE_DEPLOY_TOKEN of the environment infra,/],
    ['reading token', /of the environment infra-drift,/],
    ['clock token', /pulumi config set --secret clockToken/],
    ['GitHub token', /HOMEPORT_GITHUB_TOKEN/],
  ])('is reported if only the configuration knows it: %s', async (name, fix) => {
    const on = daysAgo(-20)
    const { status, output } = await drift({ config: { credentialsExpireOn: `${name} ${on}` } })
    expect(output).toContain(`The ${name} expires on ${on}, in 20 days. `)
    expect(output).toMatch(fix)
    expect(status).toBe(1)
    expect((await drift({ config: { credentialsExpireOn: `${name} ${daysAgo(-32)}` } })).status).toBe(0)
  })

  describe('is the subject of one issue', () => {
    const args = ['--issue']
    const deploy = { credentialsExpireOn: `deploy token ${daysAgo(-20)}` }
    const both = { ...deploy, tokenExpiresOn: inDays(5) }
    const title = 'Homeport: credentials of stack dev expire soon'
    async function notify(given: Readonly<Record<string, string>>) {
      const { output } = await drift({ args, config: given })
      return /^.*\b[Ii]ssue \d+.*$/m.exec(output)?.[0]
    }
    /** What people opened earlier: issues, and a pull request, which GitHub lists as an issue too. */
    const others = Array.from({ length: 120 }, (_, index) => ({
      number: index + 100,
      ...(index === 50 ? { title, isPullRequest: true } : { title: `Another ${index}` }),
      body: null,
      createdAt: '2026-01-01T00:00:00Z',
      updatedAt: '2026-01-01T00:00:00Z',
      closedAt: null,
    }))

    it('which is opened, edited as things change, closed and opened again', async () => {
      expect(await notify(deploy)).toBe(`Opened issue 1: ${title}`)
      expect(issues()[0]).toMatchObject({ title, state: 'open' })
      expect(issues()[0]?.body).toMatch(/^- The deploy token expires on 20\d\d-\d\d-\d\d\. Create/)
      // An open issue is found however old it is, and behind a page of others.
      const [first] = issues()
      sandbox.control.setState({
        github: { issues: [{ ...first, updatedAt: '2026-01-01T00:00:00Z' }, ...others] },
      } as never)
      expect(await notify(deploy)).toBe('Issue 1 is about these credentials.')
      expect(issues()).toHaveLength(121)

      expect(await notify(both)).toBe('Edited issue 1, which is about these credentials.')
      expect(issues()[0]?.body).toMatch(/^- The DNS token expires on .*\n- The deploy token expires on /)
      expect(await notify({})).toBe('Closed issue 1: no credential expires within 30 days.')
      expect(issues()[0]).toMatchObject({ state: 'closed' })
      expect(await notify({})).toBeUndefined()
      expect(await notify(deploy)).toBe('Opened issue 1 again: it is about these credentials.')
      expect(issues()[0]).toMatchObject({ title, state: 'open' })
      expect(issues()).toHaveLength(121)
    })

    it('which stays closed if somebody closed it, until something changes', async () => {
      const [first] = issues()
      sandbox.control.setState({ github: { issues: [{ ...first, state: 'closed' }] } } as never)
      expect(await notify(deploy)).toBe('Issue 1 is about these credentials. Somebody closed it.')
      expect(issues()[0]).toMatchObject({ state: 'closed' })
      expect(await notify(both)).toBe('Opened issue 1 again: it is about these credentials.')
    })

    it('but not without --issue, and not if the configuration is wrong', async () => {
      const before = issues()
      await drift({ config: {} })
      await drift({ args, config: { hostname: 'x' } })
      expect(issues()).toEqual(before)
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
    const run = { args: ['--issue'], config: { secretRotationB: daysAgo(160) } }
    const { status, problem } = await drift({ ...run, env: { HOMEPORT_ISSUE_TOKEN: 'wrong' } })
    expect(problem).toMatch(/^Could not list issues: GitHub answered 401\. Check that HOMEPORT_ISSUE_TOKEN/)
    expect(status).toBe(1)
  })
})

describe('the workflows of the repository', () => {
  afterAll(() => sandbox.control.setState({ github: { workflows: { 'infra-drift.yml': 'active' } } }))
  const set = (workflows: Readonly<Record<string, WorkflowState>>) =>
    sandbox.control.setState({ github: { workflows } })

  it('are reported if GitHub has switched one off', async () => {
    set({
      'reconcile.yml': 'disabled_inactivity',
      'ci.yml': 'disabled_manually',
      'infra-drift.yml': 'active',
    })
    const { status, output } = await drift()
    expect(output).toMatch(
      /^The workflow "reconcile\.yml" is switched off \(disabled_inactivity\).* gh workflow enable reconcile\.yml/m,
    )
    expect(output).toMatch(/one difference\.\n$/)
    expect(status).toBe(1)
  })

  it('are reported if somebody has switched the nightly comparison off', async () => {
    set({ 'infra-drift.yml': 'disabled_manually' })
    expect((await drift()).output).toMatch(
      /^The workflow "infra-drift\.yml" is switched off \(disabled_manually\)/m,
    )
  })

  it('are not assumed to run if the list is refused', async () => {
    const { token, workflowToken } = stateOf(sandbox.control).github.permissions
    sandbox.control.setState({
      github: { permissions: { token: { ...token, actions: 'none' }, workflowToken } },
    })
    const { status, output } = await drift()
    sandbox.control.setState({ github: { permissions: { token, workflowToken } } })
    expect(output).toMatch(
      /^Could not read the workflows: GitHub answered 403\. Give the token in HOMEPORT_ISSUE_TOKEN actions: read\.$/m,
    )
    expect(status).toBe(1)
    expect((await drift({ env: { HOMEPORT_ISSUE_TOKEN: '' } })).output).not.toContain('workflows')
  })
})

describe('the report', () => {
  const remote = {
    level: 'error',
    text: `Remote ${shown('a\n::set-env x\u202e`<b> ##[error]')}.`,
    fix: 'Fix it.',
  } as const

  it('escapes text from services for terminals, annotations and pages', () => {
    expect(remote.text).toBe('Remote "a\\n::set-env x\\u{202e}\\u{60}<b> #\\u{23}[error]".')
    expect(shown('x'.repeat(500)).length).toBeLessThan(110)
    expect(annotationOf({ ...remote, text: '100%\nnext' })).toBe('::error title=Drift::100%25%0Anext Fix it.')
    expect(summaryOf('dev', [remote])).toContain('&lt;b&gt;')
    expect(summaryOf('dev', [])).toMatch(/No drift\.\n$/)
  })

  it('puts no text from the service into a command', () => {
    const found = [{ id: '$(reboot)\u001b[2J', name: hostname, type: 'A', content: '203.0.113.7' }]
    const fixes = unknownRecords(found, {
      state: noState,
      name: hostname,
      plans: recordOf(settings).plans,
    }).map(({ fix }) => fix)
    expect(fixes.join()).toContain('Adopt it')
    expect(fixes.join()).not.toContain('reboot')
  })

  it('is appended to the summary of the job', async () => {
    const file = join(folder, 'summary.md')
    await drift({
      config: { credentialsExpireOn: `deploy token ${daysAgo(40)}` },
      env: { GITHUB_STEP_SUMMARY: file },
    })
    expect(await readFile(file, 'utf8')).toMatch(
      /^## Drift of stack dev\n\n<pre>\n(?:.*\n)*The deploy token expired on .*\n<\/pre>\n$/,
    )
  })
})

it('a program that ignores SIGTERM is killed after its time', async () => {
  const stubborn = 'process.on("SIGTERM", () => undefined); setInterval(() => undefined, 1000)'
  const call = { cwd: root, env: process.env, stdout: 'pipe', timeoutMs: 300 } as const
  expect(await runProgram(process.execPath, ['-e', stubborn], call)).toEqual({ status: null, output: '' })
})

it('a sign-in on a host alone has nothing at Cloudflare, so it needs no token', async () => {
  const run = { config: { record: 'false', signIn: 'host' }, env: { CLOUDFLARE_API_TOKEN: '' } }
  expect(await drift({ ...run, ids: {} })).toMatchObject({
    status: 0,
    output: 'No drift: stack dev is as the last run left it.\n',
  })
  // What an earlier run left is compared.
  expect(await drift(run)).toMatchObject({
    status: 1,
    problem: expect.stringMatching(/^CLOUDFLARE_API_TOKEN is not set\./),
  })
})

describe('the options', () => {
  it('are explained by --help, and unknown ones are refused', async () => {
    expect((await startDoctor('drift', ['--help'], {})).output).toMatch(/^Usage: npm run drift/)
    const { status, problem } = await startDoctor('drift', ['--fix'], {})
    expect(problem).toMatch(/'--fix'.*See npm run drift -- --help\.\n$/s)
    expect(status).toBe(2)
  })

  it.each([
    ['without a token', { CLOUDFLARE_API_TOKEN: '' }, /^CLOUDFLARE_API_TOKEN is not set\./],
    ['over http', { CLOUDFLARE_BASE_URL: 'http://api.example.com' }, /is not an https URL/],
    ['without the CLI', { PATH: '/nowhere' }, /^pulumi was not found\./],
  ])('are refused %s', async (_, env, message) => {
    const { status, problem } = await drift({ env })
    expect(problem).toMatch(message)
    expect(status).toBe(1)
  })
})
