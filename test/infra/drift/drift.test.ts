import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { compare } from '../../../infra/drift/drift.ts'
import { lookAt } from '../../../infra/drift/look.ts'
import { findIn, parseState, type StateResource } from '../../../infra/exported-state.ts'
import { timeOf } from '../../../infra/json.ts'
import { types } from '../../../infra/resource-names.ts'
import { bootstrapAddresses } from '../../../infra/resources/record-arguments.ts'
import { dnsWrite } from '../../../infra/resources/token-policy.ts'
import { namesOf } from '../../../infra/stack-view.ts'
import type { Application, ServicePrincipal } from '../../../sandbox/entra/graph/applications.ts'
import { createClientCertificate } from '../../../sandbox/testing/client-certificate.ts'
import { stateOf } from '../../../sandbox/testing/state.ts'
import { root } from '../../../tools/bundle.ts'
import { deployerEnvironment } from '../../../tools/pulumi-project.ts'
import { startNode } from '../../support/command.ts'
import { readRecording } from '../../support/engine/recording.ts'
import { Services } from '../../support/engine/services.ts'
import { hostname, publicOrigin, pushHost } from '../../support/engine/stack.ts'
import { workerUpload } from '../../support/services.ts'
import { emulatedCli } from '../support/commands.ts'
import { type Line, matching } from '../support/facts.ts'
import { settingsOf } from '../support/stacks.ts'

/** A stack that the real CLI deployed, and what somebody changes behind its back. `advice.test.ts` recorded it. */

const service = 'homeport-dev'
const pushService = `${service}-push`
const signInHost = new URL(publicOrigin).host

let deployment: Services
let recorded: ReturnType<typeof readRecording>
let config: Record<string, string>
let handedOverAt = 0
beforeAll(async () => {
  deployment = await Services.start()
  recorded = readRecording(deployment)
  const own = Object.entries(recorded.config).filter(([key]) => key.startsWith('homeport:'))
  config = Object.fromEntries(own.map(([key, { value = '' }]) => [key.slice('homeport:'.length), value]))
  handedOverAt = timeOf(findIn(readState(), types.environmentSecret)?.outputs['updatedAt']) ?? 0
})
beforeEach(() => {
  // A secret of GitHub that is put back has the time of the clock.
  control().setClock({ now: new Date(handedOverAt).toISOString() })
  control().setState(structuredClone(recorded.services) as never)
  control().clearJournal()
})
afterAll(() => deployment?.close())

const control = () => deployment.sandbox.control
const readState = () => parseState(JSON.stringify(recorded.state))
/** An operator's environment. */
const credentials = () => deployerEnvironment(deployment.sandbox.description, deployment.authority)
/** The same with an emulated CLI, which prints the recording. */
const environment = () => ({
  PATH: emulatedCli,
  ANSWER_CONFIG: JSON.stringify(recorded.config),
  ANSWER_STATE: JSON.stringify(recorded.state),
  ...credentials(),
})

type Change = (resources: readonly StateResource[]) => readonly StateResource[]

/** What differs from how the stack was left. */
interface Changes {
  readonly state?: Change
  readonly config?: Readonly<Record<string, string>>
  readonly env?: NodeJS.ProcessEnv
}

/** Compares what exists with the state, as `npm run drift` does. Resolves to the lines. */
async function lines({ state: change = all => all, config: changes, env }: Changes = {}) {
  const { resources, pending } = readState()
  const state = { resources: change(resources), pending }
  const name = 'dev'
  const { apiUrl } = deployment.sandbox.description.cloudflare
  const settings = settingsOf({ ...config, ...changes })
  const names = namesOf(name, state)
  const view = { name, ...names, settings, problems: [], apiUrl, state }
  const found = await compare(lookAt(view, settings, { ...credentials(), ...env }, Date.now()))
  return found.map(({ text, fix }) => `${text} ${fix}`)
}

const zone = () => `/zones/${deployment.sandbox.description.cloudflare.zoneId}`
const account = () => `/accounts/${deployment.sandbox.description.cloudflare.accountId}`
const script = (name = service) => `${account()}/workers/scripts/${name}`
const api = <T = { id: string }>(method: string, path: string, body?: unknown) =>
  deployment.api<T>(method, path, body)
const recordPath = async () => {
  const [record] = await api<{ id: string }[]>('GET', `${zone()}/dns_records?type=A&name=${hostname}`)
  return `${zone()}/dns_records/${record?.id}`
}
const tokenPath = async (named = service) => {
  const tokens = await api<{ id: string; name: string }[]>('GET', `${account()}/tokens`)
  return `${account()}/tokens/${tokens.find(({ name }) => name === named)?.id}`
}
const addRecord = (body: object) =>
  api('POST', `${zone()}/dns_records`, { name: hostname, ttl: 120, ...body })

const change = (
  applications: (one: Application) => object,
  principals: (one: ServicePrincipal) => object = one => one,
) => {
  const { entra } = stateOf(control())
  control().setState({
    entra: {
      applications: entra.applications.map(applications),
      servicePrincipals: entra.servicePrincipals.map(principals),
    },
  } as never)
}
const changePrincipal = (principals: (one: ServicePrincipal) => object) => change(one => one, principals)
const setEnvironment = (secrets: object, variables: object) =>
  control().setState({ github: { environments: { dns: { secrets, variables } } } } as never)
const handedOver = () => stateOf(control()).github.environments['dns']

const guid = (digit: string) => `${digit.repeat(8)}-0000-4000-8000-000000000000`
const password = (keyId: string) => ({
  keyId,
  displayName: 'theirs',
  secretText: 'hidden',
  startDateTime: '2026-11-01T00:00:00Z',
  endDateTime: '2099-01-01T00:00:00Z',
})
const certificate = { keyId: guid('c'), displayName: 'theirs', key: createClientCertificate().der }
const federated = {
  id: guid('f'),
  name: 'elsewhere',
  issuer: 'https://token.actions.githubusercontent.com',
  subject: 'repo:somebody/else:ref:refs/heads/main',
  audiences: ['api://AzureADTokenExchange'],
}
/** Adds registrations with the redirect URI of the stack. */
const addRegistrations = (...all: readonly object[]) => {
  const [own] = stateOf(control()).entra.applications
  const others = all.map((more, index) => {
    const id = guid(String(index + 2))
    return { ...own, id, appId: id, passwords: [], ...more }
  })
  control().setState({ entra: { applications: [own, ...others] } } as never)
}

type Planted = readonly [what: string, plant: () => unknown, ...expected: Line[]]

/** What a refresh would see, too. */
const fields: readonly Planted[] = [
  [
    'the ttl of a record, and not its content',
    async () => api('PATCH', await recordPath(), { ttl: 300, content: '203.0.113.9' }),
    /^The record "dyn\.example\.com" \(A\) has ttl = 300 instead of 120\. Find out who changed it\. Then run pulumi up, which sets it as declared\.$/,
  ],
  [
    'what limits a token',
    async () => {
      control().setClock({ advanceMs: 2000 })
      const resources = { 'com.cloudflare.api.account.zone.*': '*' }
      const permission_groups = [{ id: '82e64a83756745bbbb1c9c2701bf816b' }]
      const policies = [{ effect: 'allow', permission_groups, resources }]
      const condition = { request_ip: { in: ['203.0.113.0/24'] } }
      const expires_on = '2099-01-01T00:00:00Z'
      const changed = { name: service, policies, condition, expires_on, status: 'disabled' }
      await api('PUT', await tokenPath(), changed)
    },
    'DNS token … status = "disabled" … "active"',
    'DNS token … expires_on = "2099-01-01T00:00:00Z" … nothing',
    'DNS token … policies = … zone.* … ["allow 4755a26e',
    'DNS token … its ranges = ["203.0.113.0/24"] … []',
    'DNS token … changed at',
  ],
  [
    'fields of the registration and of the service principal, and their owners',
    () => {
      changePrincipal(one => ({
        ...one,
        appRoleAssignmentRequired: true,
        accountEnabled: false,
        owners: [...one.owners, guid('9')],
      }))
      change(one => ({
        ...one,
        signInAudience: 'AzureADMultipleOrgs',
        web: {
          ...one.web,
          redirectUris: [...one.web.redirectUris, 'https://elsewhere.example.net/'],
          implicitGrantSettings: { enableAccessTokenIssuance: false, enableIdTokenIssuance: true },
        },
        spa: { redirectUris: ['https://spa.example.net/'] },
        publicClient: { redirectUris: ['http://localhost'] },
        isFallbackPublicClient: true,
        identifierUris: ['api://people'],
        appRoles: [{ value: 'Admin' }],
        api: { ...one.api, oauth2PermissionScopes: [{ value: 'access' }] },
        requiredResourceAccess: JSON.parse(
          JSON.stringify(one.requiredResourceAccess).replaceAll('"Scope"', '"Role"'),
        ),
        owners: [...one.owners, guid('9')],
      }))
    },
    'registration … signInAudience = "AzureADMultipleOrgs" … "AzureADMyOrg"',
    'registration … web.redirectUris = ["https://elsewhere.example.net/',
    'registration … spa.redirectUris = ["https://spa.example.net/"] … []',
    'registration … publicClient.redirectUris = ["http://localhost"] … []',
    'registration … identifierUris = ["api://people"] … []',
    'registration … isFallbackPublicClient = true … false',
    'registration … appRoles = ["Admin"] … []',
    'registration … api.oauth2PermissionScopes = ["access"] … []',
    'registration … web.implicitGrantSettings.enableIdTokenIssuance = true … false',
    'registration … requiredResourceAccess = ["00000003- … Role"] … ["00000003- … Scope"]',
    'service principal … appRoleAssignmentRequired = true … false',
    'service principal … accountEnabled = false … true',
    'registration … owners = [ … 99999999- … ] … [',
    'service principal … owners = [ … 99999999- … ] … [',
  ],
  [
    'a client secret that is gone, and one with another end',
    () =>
      change(one => ({
        ...one,
        passwords: one.passwords
          .filter(({ displayName }) => displayName === 'homeport b')
          .map(each => ({ ...each, endDateTime: '2099-01-01T00:00:00Z' })),
      })),
    'client secret homeport a is in the state',
    'client secret homeport b … endDateTime = "2099-01-01T00:00:00Z" … "20',
  ],
  [
    'a variable with another value',
    () =>
      setEnvironment(handedOver()?.secrets ?? {}, { ...handedOver()?.variables, HOMEPORT_ZONE_ID: 'other' }),
    'variable HOMEPORT_ZONE_ID … dns … value = "other"',
  ],
  [
    'everything that is gone',
    async () => {
      await api('DELETE', await recordPath())
      for (const name of [service, pushService]) await api('DELETE', await tokenPath(name))
      for (const { id } of await api<{ id: string }[]>('GET', `${account()}/workers/domains`))
        await api('DELETE', `${account()}/workers/domains/${id}`)
      for (const { uuid } of await api<{ uuid: string }[]>('GET', `${account()}/d1/database`))
        await api('DELETE', `${account()}/d1/database/${uuid}`)
      for (const name of [service, pushService]) await api('DELETE', script(name))
      control().setState({ entra: { applications: [], servicePrincipals: [] } } as never)
      setEnvironment({}, {})
    },
    'record … is in the state … 192.0.2.1',
    'DNS token … is in the state … pulumi up',
    "push endpoint's token … is in the state … pulumi up",
    'Worker homeport-dev-push is in the state',
    /^The Worker homeport-dev is in the state, but does not exist\. Run pulumi up, which creates it again\.$/,
    'custom domain push.example.com is in the state',
    'custom domain people.example.com is in the state',
    'database … is in the state … backup',
    'registration is in the state',
    'service principal is in the state',
    ...['HOSTNAME', 'RECORD_TYPE', 'ZONE_ID'].map(name => `variable HOMEPORT_${name} … dns is in the state`),
    'secret CLOUDFLARE_DNS_TOKEN … dns is in the state',
  ],
]

/** What no refresh sees. */
const unseen: readonly Planted[] = [
  [
    'a token that was rolled',
    async () => {
      control().setClock({ advanceMs: 2000 })
      await api('PUT', `${await tokenPath()}/value`, {})
    },
    /^The DNS token was changed at ".*", and the last run saw it as of ".*"\. Somebody edited .* tokenRotation 20\S+, then pulumi up\.$/,
  ],
  [
    'more tokens with the names of the stack',
    async () => {
      const resources = { [`com.cloudflare.api.account.zone.${zone().split('/').at(-1)}`]: '*' }
      const policies = [{ effect: 'allow', permission_groups: [{ id: dnsWrite.id }], resources }]
      for (const name of [service, pushService, `${service}-other`])
        await api('POST', `${account()}/tokens`, { name, policies })
    },
    /^There is a token ".*" with the name homeport-dev, created "20.*Z", which the state does not know\. It can change the zone\. Make sure that no run is under way, then delete it under Manage account/,
    'a token " … homeport-dev-push',
  ],
  [
    'a second address at the name, which it does not print',
    () => addRecord({ type: 'A', content: '203.0.113.77' }),
    /^There is a record "[0-9a-f]{32}" \(dyn\.example\.com, A\)(?!.*(?:[Dd]elete|203\.0\.113\.77))/,
  ],
  [
    'a second address that can go, because nobody is there',
    async () => {
      await api('PATCH', await recordPath(), { content: '203.0.113.77' })
      await addRecord({ type: 'A', content: bootstrapAddresses.A })
    },
    'record … bootstrap address … delete it',
  ],
  [
    'records of other types at the name, and never a TXT',
    async () => {
      await addRecord({ type: 'HTTPS', data: { priority: 1, target: 'elsewhere.example', value: '' } })
      await addRecord({ type: 'TXT', content: '"text"' })
      await addRecord({ type: 'AAAA', content: '2001:db8::1' })
    },
    /^There is a record ".*" \(dyn\.example\.com, HTTPS\)(?!.*[Dd]elete)/,
    'record … (dyn.example.com, AAAA) … remove it there … recordType A,AAAA, then … dyn.example.com AAAA',
  ],
  [
    'a certificate and a federated credential',
    () =>
      change(one => ({ ...one, federatedIdentityCredentials: [federated], keyCredentials: [certificate] })),
    'registration … certificate "cccccccc- … keptCredentials … az ad app credential delete --id … --key-id cccccccc- … --cert',
    'registration trusts "repo:somebody/else: … az ad app federated-credential delete --id … --federated-credential-id ffffffff-',
  ],
  [
    'a client secret of the service principal, and no part of it',
    () => changePrincipal(one => ({ ...one, passwords: [password(guid('a'))] })),
    /^The service principal has a client secret "aaaaaaaa-(?!.*hidden).*: az ad sp credential delete --id [0-9a-f-]{36} --key-id aaaaaaaa-/,
  ],
  [
    'an app role and a delegated permission of the service principal',
    () =>
      changePrincipal(one => ({
        ...one,
        appRoleAssignments: [{ id: 'r', appRoleId: guid('a'), resourceId: 'g' }],
        oauth2PermissionGrants: [
          { id: 'own', scope: 'User.Read openid' },
          { id: 'more', scope: 'User.Read Mail.Read' },
        ],
      })),
    'service principal … application permission "aaaaaaaa- … "g"',
    'service principal … delegated permissions "Mail.Read"',
  ],
  [
    'a client secret that the state does not know',
    () => change(one => ({ ...one, passwords: [...one.passwords, password(guid('e'))] })),
    'client secret "eeeeeeee- … az ad app credential delete --id … --key-id eeeeeeee-',
  ],
  [
    'a client secret that can be the one in use, which is not to be deleted',
    () => change(one => ({ ...one, passwords: [...one.passwords.slice(1), password(guid('e'))] })),
    'client secret … is in the state',
    /^There is a client secret "eeeeeeee-(?!.*az ad app credential delete).* pulumi up/,
  ],
  [
    'registrations, of which only the one without a credential is to be deleted',
    () =>
      addRegistrations({}, { keyCredentials: [certificate] }, { federatedIdentityCredentials: [federated] }),
    'registration "2 … az ad app delete --id 22222222-',
    /^There is a registration "3(?!.*az ad app delete)/,
    /^There is a registration "4(?!.*az ad app delete)/,
  ],
]

/** What somebody changed of a Worker. */
const ofWorkers: readonly Planted[] = [
  [
    'routes that take a host over, and none to its own Worker',
    () => {
      const { zoneId } = deployment.sandbox.description.cloudflare
      const routes = [
        { id: '1', zoneId, pattern: `${signInHost}/*`, script: null },
        { id: '2', zoneId, pattern: `https://${signInHost}/api/auth/callback`, script: 'another' },
        { id: '3', zoneId, pattern: '*.example.com/*', script: service },
      ]
      control().setState({ workers: { ...recorded.services.workers, routes } })
    },
    `Workers route "${signInHost}/*" ("1") … ${signInHost} … no Worker … ${service} … cookies`,
    `Workers route "https://${signInHost}/api/auth/callback" ("2") … ${signInHost} … "another" … ${service} … cookies`,
    `Workers route "*.example.com/*" ("3") … ${pushHost} … "${service}" … ${pushService} … passwords`,
  ],
  [
    'a secret that was replaced',
    async () => {
      control().setClock({ advanceMs: 3_600_000 })
      await api('PUT', `${script()}/secrets`, { name: 'SESSION_KEYS', text: 'theirs', type: 'secret_text' })
    },
    /^The Worker .* was changed at ".*"\. .*somebody replaced a secret, and with SESSION_KEYS can sign in as anybody\. .* sessionKeys, then pulumi up\.$/,
  ],
  [
    'cron triggers of Workers without a clock',
    async () => {
      for (const name of [service, pushService])
        await api('PUT', `${script(name)}/schedules`, [{ cron: '0 3 * * *' }])
    },
    ...[pushService, service].map(
      name => `${name} has cron triggers = ["0 3 * * *"] … [] … ${name}, Settings, Trigger Events`,
    ),
  ],
  [
    'who gets a copy of its log, and addresses at workers.dev',
    async () => {
      const consumers = { logpush: true, tail_consumers: [{ service: 'spy' }] }
      await api('PATCH', `${script()}/script-settings`, consumers)
      await api('POST', `${script()}/subdomain`, { enabled: true, previews_enabled: true })
    },
    'logpush = true … false … in the dashboard, under Workers & Pages, homeport-dev, Settings, Observability.',
    'tail_consumers = ["spy"] … []',
    /has workers\.dev = true instead of false\. .* switch it off in the dashboard, .* Domains & Routes\.$/,
    'preview URLs = true … false',
  ],
]

describe('npm run drift reports what somebody changed:', () => {
  for (const [what, plant, ...expected] of [...fields, ...unseen, ...ofWorkers])
    it(what, async () => {
      await plant()
      expect(await lines()).toEqual(matching(expected))
    })
})

/** Removes the resources of a type from the state. */
const without =
  (removed: string): Change =>
  all =>
    all.filter(({ type }) => type !== removed)
/** Changes the resources of a type in the state. */
const changed =
  (wanted: string, alter: (one: StateResource) => Partial<StateResource>): Change =>
  all =>
    all.map(one => (one.type === wanted ? { ...one, ...alter(one) } : one))
/** Adds a copy of the token to the state. */
const copied =
  (fields: Partial<StateResource>): Change =>
  all => [...all, ...all.filter(({ name }) => name === 'dns-token').map(one => ({ ...one, ...fields }))]

describe('npm run drift reports what the state does not know, or knows of a run that failed:', () => {
  const rows: readonly (readonly [what: string, state: Change, ...expected: Line[]])[] = [
    [
      'nothing, although an import leaves out defaults',
      changed(types.record, ({ inputs: { proxied: _, ...inputs } }) => ({ inputs })),
    ],
    [
      'a record, with the commands that adopt it',
      without(types.record),
      /^There is a record ".*" \(dyn\.example\.com, A\), which the state does not know\. Adopt it: pulumi config set --plaintext importRecordId [0-9a-f]{32}, then pulumi up, then pulumi config rm importRecordId\.$/,
    ],
    [
      'a database, with the command that adopts it',
      without(types.database),
      'database … homeport-dev … pulumi import cloudflare:index/d1Database:D1Database handler-database … --generate-code=false … pulumi up',
    ],
    [
      'tokens that can be the ones in use, which are not to be deleted',
      without(types.accountToken),
      "the state lacks: … DNS token … endpoint's token",
      /^There is a token .* It can be the one in use.* Run pulumi up first, which creates another one, and hand it over/,
      'token … homeport-dev-push … npm run drift',
    ],
    ['a service principal', without(types.principal), 'service principal … az ad sp delete --id … pulumi up'],
    [
      'a variable, which stops every up',
      without(types.environmentVariable),
      'variable HOMEPORT_ZONE_ID … gh variable delete HOMEPORT_ZONE_ID --env dns --repo homeport/homeport … pulumi up',
      'variable HOMEPORT_HOSTNAME',
      'variable HOMEPORT_RECORD_TYPE',
    ],
    [
      'what the configuration declares',
      () => [],
      /^The configuration declares what the state lacks: the DNS token, the secret at GitHub, the registration, client secret a, client secret b, the Worker, its custom domain, the Worker of the endpoint, the endpoint's custom domain, the endpoint's token\. Run pulumi up, which creates it\.$/,
      'a token "',
      'a token "',
      'a record "',
      'a database "',
      'a registration "',
      'the state lacks: … service principal',
      'variable HOMEPORT_ZONE_ID',
      'variable HOMEPORT_HOSTNAME',
      'variable HOMEPORT_RECORD_TYPE',
    ],
    [
      'a secret that somebody replaced at GitHub',
      changed(types.environmentSecret, ({ outputs }) => ({
        outputs: { ...outputs, updatedAt: '2026-11-22 17:00:00 +0000 UTC' },
      })),
      'secret CLOUDFLARE_DNS_TOKEN … dns … changed … 2026-11-22 17:00:00 +0000 UTC … tokenRotation 20 … pulumi up',
    ],
    ['a token that is replaced, and not yet deleted', copied({ toDelete: true }), '-token" … is replaced'],
    ['a rotation that did not finish', copied({ name: 'dns-token-16367aac' }), 'DNS token was rotated'],
  ]
  for (const [what, state, ...expected] of rows)
    it(what, async () => {
      expect(await lines({ state })).toEqual(matching(expected))
    })
})

it('npm run drift names a variable that neither the state nor GitHub has, and a cron trigger that the state lacks', async () => {
  const { secrets = {}, variables = {} } = handedOver() ?? {}
  const { HOMEPORT_RECORD_TYPE: _, ...others } = variables
  setEnvironment(secrets, others)
  const isIt = ({ inputs }: StateResource) => inputs['variableName'] === 'HOMEPORT_RECORD_TYPE'
  const state: Change = all => all.filter(one => !isIt(one))
  expect(await lines({ state, config: { clock: 'you/dns/dns.yml' } })).toEqual(
    expect.arrayContaining(
      matching([
        'the state lacks: the variable HOMEPORT_RECORD_TYPE … pulumi up',
        'the state lacks: … Worker of the clock … cron trigger',
      ]),
    ),
  )
})

it('npm run drift reports no credential that the configuration says is kept', async () => {
  change(one => ({
    ...one,
    federatedIdentityCredentials: [federated],
    keyCredentials: [certificate],
    passwords: [...one.passwords, password(guid('e'))],
  }))
  const keptCredentials = [certificate.keyId, federated.id, guid('e')].join(',')
  expect(await lines({ config: { keptCredentials } })).toEqual([])
})

/** Loads nothing but Node's modules and files of this repository. */
const onlyOwnModules = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module'
  registerHooks({ resolve(name, context, next) {
    if (/^(node:|file:|[./])/.test(name)) return next(name, context)
    throw new Error(name + ' has to be installed.')
  } })`)}`

describe('npm run drift', () => {
  it('is green after a deployment without an installed package, and sends only GET besides the request for its Graph token', async () => {
    const args = ['--import', onlyOwnModules, join(root, 'infra/drift/drift.ts')]
    const { status, stdout, stderr } = await startNode(args, environment()).ended
    const output = 'No drift: stack dev is as the last run left it.\n'
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: output, stderr: '' })
    const sent = control()
      .journal()
      .filter(({ method }) => method !== 'GET')
    expect(sent.map(({ path }) => path)).toEqual([expect.stringMatching(/\/oauth2\/v2\.0\/token$/)])
  })

  it.each([
    ['a Graph token', { AZURE_FEDERATED_TOKEN_FILE: '' }, 'Entra: HOMEPORT_GRAPH_TOKEN is not set.'],
    ['an accepted one', { HOMEPORT_GRAPH_TOKEN: 'old' }, 'the registration: Graph answered 401.'],
    ['a known identity', { AZURE_CLIENT_ID: 'x' }, 'Entra: Entra answered 400.'],
    [
      'a token for Cloudflare',
      { CLOUDFLARE_API_TOKEN: 'x'.repeat(40) },
      'the tokens: Cloudflare answered 401 (10000). The token in CLOUDFLARE_API_TOKEN is not valid: paste it again',
    ],
  ])('is not green without %s', async (_, env, reason) => {
    expect(await lines({ env })).toContainEqual(expect.stringContaining(`Could not read ${reason}`))
  })

  it('names the permission for each kind of read that a service refuses', async () => {
    const { control } = deployment.sandbox
    const answer = { kind: 'errors', status: 403, errors: [{ code: 9109 }] } as const
    const services = ['cloudflare', 'graph', 'github']
    control.setFaults(services.map(service => ({ match: { service, method: 'GET' }, times: null, answer })))
    const said = (await lines()).join('\n')
    control.setFaults([])
    for (const [variable, permission] of [
      ['CLOUDFLARE_API_TOKEN', 'DNS Read'],
      ['CLOUDFLARE_API_TOKEN', 'Workers Scripts Read'],
      ['CLOUDFLARE_API_TOKEN', 'Workers Routes Read'],
      ['CLOUDFLARE_API_TOKEN', 'D1 Read'],
      ['HOMEPORT_GRAPH_TOKEN', 'Application.Read.All'],
      ['GITHUB_TOKEN', 'environments: read'],
    ])
      expect(said).toContain(`Give the token in ${variable} this permission: ${permission}.`)
    expect(said).toContain('If it is that one, give it this permission: Account API Tokens Read.')
    // Only in a zone does a token that does not exist get this code.
    const unsure = [...said.matchAll(/this permission: ([^.]+)\. If it has it/g)].map(([, name]) => name)
    expect([...new Set(unsure)].toSorted()).toEqual(['DNS Read', 'Workers Routes Read'])
  })
})

it('npm run drift takes a declared certificate as declared, and names one that is gone, another, and its end', async () => {
  const soon = new Date(Date.now() + 20 * 86_400_000).toISOString()
  const own = findIn(readState(), types.password)
  const declared: StateResource = {
    ...(own as StateResource),
    type: types.certificate,
    name: 'sign-in-certificate-0',
    inputs: { endDate: soon },
    outputs: { keyId: guid('d') },
  }
  const state: Change = all => [...all, declared]
  const found = async (...keyIds: readonly string[]) => {
    change(one => ({ ...one, keyCredentials: keyIds.map(keyId => ({ ...certificate, keyId })) }))
    return (await lines({ state })).filter(line => !line.includes('CLIENT_CERTIFICATE'))
  }
  const ending =
    /^The certificate of the registration expires on .*, in 20 days\. Create one: openssl req .*Next, then pulumi up\.$/
  expect(await found(guid('d'))).toEqual(matching([ending]))
  expect((await found(guid('c'))).toSorted()).toEqual(
    matching([
      'A certificate of the registration is in the state … pulumi up, which registers it again',
      ending,
      'The registration has a certificate "cccccccc- … keptCredentials',
    ]),
  )
  expect((await lines({ state })).join('\n')).toContain('has no binding CLIENT_CERTIFICATE')
})

describe('npm run drift reports of a Worker', () => {
  it('a jurisdiction that is not declared', async () => {
    expect(await lines({ config: { databaseJurisdiction: 'eu' } })).toEqual(
      matching(['database … jurisdiction = nothing … "eu"']),
    )
  })

  it('a binding that somebody changed, removed, added, or no longer keeps secret', async () => {
    const { bindings } = await api<{ bindings: { name: string; type: string }[] }>(
      'GET',
      `${script()}/settings`,
    )
    const plain = (name: string, text: string) => ({ name, type: 'plain_text', text })
    const { uuid } = await api<{ uuid: string }>('POST', `${account()}/d1/database`, { name: 'theirs' })
    const theirs = [
      plain('ALLOWED_DOMAINS', '*'),
      plain('CLIENT_ID', 'theirs'),
      plain('TENANT_ID', 'theirs'),
      plain('DEBUG', 'hidden'),
      plain('SESSION_KEYS', 'hidden'),
      { name: 'EMPLOYEES', type: 'd1', id: uuid },
    ]
    const kept = bindings.filter(
      one => ![...theirs.map(({ name }) => name), 'REQUIRE_STATE'].includes(one.name),
    )
    const own = kept.map(one => (one.type === 'secret_text' ? { ...one, text: 'hidden' } : one))
    await api('PUT', script(), workerUpload('other', { bindings: [...own, ...theirs] }))
    const limit = { simple: { limit: 3000, period: 60 }, namespace_id: '7301' }
    const ofPush = [plain('API_TOKEN', 'hidden'), { ...limit, name: 'WRONG_PASSWORDS', type: 'ratelimit' }]
    await api('PUT', script(pushService), workerUpload('other', { bindings: ofPush }))
    const found = await lines()
    const facts = [
      'Worker homeport-dev has ALLOWED_DOMAINS = "*" … "example.com"',
      ...['CLIENT_ID', 'TENANT_ID'].map(name => `Worker homeport-dev has ${name} = "theirs" …`),
      `Worker homeport-dev has EMPLOYEES = "${uuid}" …`,
      'Worker homeport-dev has no binding REQUIRE_STATE',
      'Worker homeport-dev has a binding "DEBUG" ("plain_text")',
      'Worker homeport-dev binds SESSION_KEYS … "plain_text" … secret_text',
      'Worker homeport-dev-push binds API_TOKEN … "plain_text" … secret_text',
      'Worker homeport-dev-push has no binding HOSTS',
      'Worker homeport-dev-push has WRONG_PASSWORDS = "3000 in 60 s" … "30 in 60 s"',
    ]
    expect(found).toEqual(expect.arrayContaining(matching(facts)))
    expect(found.join()).not.toContain('hidden')
  })

  it('other code, and what an upload of it resets', async () => {
    await api('PUT', script(), workerUpload('theirs', { keep_bindings: ['plain_text'] }))
    const facts = [
      'observability.logs.invocation_logs = nothing … false',
      'Worker homeport-dev has code … SHA-256 = … secret',
    ]
    expect(await lines()).toEqual(expect.arrayContaining(matching(facts)))
  })
})
