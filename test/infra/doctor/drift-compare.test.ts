import { cp } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Application, ServicePrincipal } from '../../../sandbox/entra/graph/applications.ts'
import { createClientCertificate } from '../../../sandbox/testing/client-certificate.ts'
import { stateOf } from '../../../sandbox/testing/state.ts'
import { root } from '../../../tools/bundle.ts'
import type { DeployedStack } from '../../support/deployed-stack.ts'
import { Deployment } from '../../support/deployment.ts'
import { embeddedStack } from '../../support/embedded-stack.ts'
import { askCloudflare, workerUpload } from '../../support/services.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { runDoctor, startDoctor } from '../support/doctor.ts'

/** The embedded engine deploys the program in a few seconds. */
const timeout = 120_000

let deployment: Deployment
let stack: DeployedStack
let deployed: ReturnType<typeof stateOf>
beforeAll(async () => {
  deployment = await Deployment.start()
  stack = await embeddedStack(deployment)
  await stack.up()
  deployed = structuredClone(stateOf(deployment.sandbox.control))
}, timeout)
beforeEach(() => {
  deployment.sandbox.control.setState({ entra: structuredClone(deployed.entra) } as never)
  deployment.sandbox.control.clearJournal()
})
afterAll(async () => {
  await stack?.close()
  await deployment?.close()
})

/** Runs the command, in a process of its own by `startDoctor`. Resolves to its status and the differences that it prints. */
async function drift(env: NodeJS.ProcessEnv = {}, args: readonly string[] = [], run = runDoctor) {
  const ran = await run('drift', ['--stack', stack.name, ...args], { ...stack.environment, ...env })
  return { ...ran, lines: ran.output.trim().split('\n').slice(0, -1) }
}

const zone = () => `/zones/${deployment.sandbox.description.cloudflare.zoneId}`
const account = () => `/accounts/${deployment.sandbox.description.cloudflare.accountId}`
const api = <T>(method: string, path: string, body?: unknown) =>
  askCloudflare<T>(deployment.sandbox.description.cloudflare, method, path, body)

const matching = (...lines: readonly RegExp[]) => lines.map(line => expect.stringMatching(line))

function change(
  applications: (one: Application) => object,
  principals: (one: ServicePrincipal) => object = one => one,
) {
  const { entra } = stateOf(deployment.sandbox.control)
  deployment.sandbox.control.setState({
    entra: {
      applications: entra.applications.map(applications),
      servicePrincipals: entra.servicePrincipals.map(principals),
    },
  } as never)
}

describe('npm run drift, without an engine and a passphrase', { timeout }, () => {
  it('is green after a deployment, and sends only GET besides the request for its Graph token', async () => {
    const { status, output, problem } = await drift({}, [], startDoctor)
    expect({ status, output, problem }).toEqual({
      status: 0,
      output: `No drift: stack ${stack.name} is as the last run left it.\n`,
      problem: '',
    })
    const sent = deployment.sandbox.control.journal().filter(({ method }) => method !== 'GET')
    expect(sent.map(({ path }) => path)).toEqual(matching(/\/oauth2\/v2\.0\/token$/))
  })

  it('needs no installed package', async () => {
    const folder = temporaryFolder()
    for (const name of ['action', 'infra', 'lib', 'push', 'src', 'package.json']) {
      await cp(join(root, name), join(folder, name), { recursive: true })
    }
    const place = { cwd: folder, env: stack.environment }
    const program = relative(root, join(folder, 'infra/doctor/doctor.ts'))
    const { status, problem, output } = await deployment.run(program, ['drift', '--stack', stack.name], place)
    expect({ status, problem }, output).toEqual({ status: 0, problem: '' })
  })

  it('reports each field of the registration, its owners and the service principal', async () => {
    change(
      one => ({
        ...one,
        signInAudience: 'AzureADMultipleOrgs',
        web: { ...one.web, redirectUris: [...one.web.redirectUris, 'https://elsewhere.example.net/'] },
        owners: [...one.owners, '99999999-0000-4000-8000-000000000000'],
      }),
      one => ({ ...one, appRoleAssignmentRequired: true, accountEnabled: false }),
    )
    const { lines } = await drift()
    expect(lines).toEqual(
      matching(
        /^The registration has signInAudience = "AzureADMultipleOrgs" instead of "AzureADMyOrg"/,
        /^The registration has web\.redirectUris = \["https:\/\/elsewhere.* instead of \["https:/,
        /^The registration has owners = \[.*99999999-.*\] instead of \[/,
        /^The service principal has appRoleAssignmentRequired = true instead of false/,
        /^The service principal has accountEnabled = false instead of true/,
      ),
    )
  })

  it('reports a client secret that is gone, and one with another end', async () => {
    change(one => ({
      ...one,
      passwords: one.passwords
        .slice(1)
        .map(password => ({ ...password, endDateTime: '2099-01-01T00:00:00Z' })),
    }))
    const { lines } = await drift()
    expect(lines.toSorted()).toEqual(
      matching(
        /^The client secret homeport [ab] has endDateTime = "2099-01-01T00:00:00Z" instead of "20/,
        /^The client secret homeport [ab] is in the state, but does not exist\./,
      ),
    )
  })

  it('advises deleting no secret and no registration that can be the live one', async () => {
    const unknown = { displayName: 'newer', secretText: 'hidden', startDateTime: '2026-11-01T00:00:00Z' }
    const password = {
      ...unknown,
      keyId: 'eeeeeeee-0000-4000-8000-000000000000',
      endDateTime: '2099-01-01T00:00:00Z',
    }
    change(one => ({ ...one, passwords: [...one.passwords, password] }))
    expect((await drift()).lines).toEqual(matching(/then delete it: az ad app credential/))
    change(one => ({ ...one, passwords: one.passwords.slice(1) }))
    const { lines } = await drift()
    expect(lines.toSorted()).toEqual(
      matching(
        /^The client secret .* is in the state, but does not exist\./,
        /^There is a client secret .* The Worker can use it.* Run pulumi up first/,
      ),
    )

    const [own] = deployed.entra.applications
    const certificate = {
      keyId: 'cccccccc-0000-4000-8000-000000000000',
      displayName: 'host',
      key: createClientCertificate().der,
    }
    const federated = {
      id: 'ffffffff-0000-4000-8000-000000000000',
      name: 'host',
      issuer: 'https://issuer.example',
      subject: 'host',
      audiences: ['api://AzureADTokenExchange'],
    }
    const other = async (more: object) => {
      const ids = {
        id: '11111111-0000-4000-8000-000000000000',
        appId: '22222222-0000-4000-8000-000000000000',
      }
      deployment.sandbox.control.setState({
        entra: { applications: [own, { ...own, ...ids, passwords: [], ...more }] },
      } as never)
      return (await drift()).lines
    }
    for (const credential of [
      { keyCredentials: [certificate] },
      { federatedIdentityCredentials: [federated] },
    ]) {
      expect(await other(credential)).toEqual(
        matching(/^There is a registration .* It has a credential, so a handler can use it\. Find out who/),
      )
    }
    expect(await other({})).toEqual(matching(/It has no credential.* az ad app delete --id 2222/))
  })

  it('reports what somebody added to act as the application, and no part of it that is secret', async () => {
    const keyId = (part: string) => `${part.repeat(8)}-0000-4000-8000-000000000000`
    const times = { startDateTime: '2026-11-01T00:00:00Z', endDateTime: '2099-01-01T00:00:00Z' }
    const federated = {
      id: keyId('f'),
      name: 'elsewhere',
      issuer: 'https://token.actions.githubusercontent.com',
      subject: 'repo:somebody/else:ref:refs/heads/main',
      audiences: ['api://AzureADTokenExchange'],
    }
    const certificate = { keyId: keyId('c'), displayName: 'theirs', key: createClientCertificate().der }
    const password = { keyId: keyId('a'), displayName: 'sp', secretText: 'hidden-principal-secret', ...times }
    change(
      one => ({ ...one, federatedIdentityCredentials: [federated], keyCredentials: [certificate] }),
      one => ({ ...one, passwords: [password] }),
    )
    const { status, output, lines } = await drift()
    const clientId = stateOf(deployment.sandbox.control).entra.applications[0]?.appId
    expect(lines.toSorted()).toEqual([
      `The registration has a certificate "${keyId('c')}" ("theirs"), valid until "${/until "(.*?)"/.exec(output)?.[1]}", which the program does not declare. Anybody who has its key can act as the application. Find out who added it. If it is yours, list its ID in keptCredentials. If nobody needs it: az ad app credential delete --id ${clientId} --key-id ${keyId('c')} --cert.`,
      `The registration trusts "repo:somebody/else:ref:refs/heads/main" of "https://token.actions.githubusercontent.com" (federated credential "elsewhere"), which the program does not declare. Anybody who gets such a token can act as the application. Find out who added it. If it is yours, list its ID in keptCredentials. If nobody needs it: az ad app federated-credential delete --id ${clientId} --federated-credential-id ${keyId('f')}.`,
      `The service principal has a client secret "${keyId('a')}" ("sp"), valid until "2099-01-01T00:00:00Z", which the program does not declare. Anybody who has it can act as the application. Find out who added it. If it is yours, list its ID in keptCredentials. If nobody needs it: az ad sp credential delete --id ${clientId} --key-id ${keyId('a')}.`,
    ])
    expect(output).not.toContain('hidden-principal-secret')
    expect(status).toBe(1)
  })

  it('is calm about a credential that the configuration says is kept', async () => {
    const keyId = 'cccccccc-0000-4000-8000-000000000000'
    const federated = {
      id: keyId.replace('c', 'f'),
      name: 'ours',
      issuer: 'https://issuer.example',
      subject: 'ours',
      audiences: ['api://AzureADTokenExchange'],
    }
    const certificate = { keyId, displayName: 'ours', key: createClientCertificate().der }
    change(one => ({ ...one, federatedIdentityCredentials: [federated], keyCredentials: [certificate] }))
    expect((await drift()).lines).toHaveLength(2)
    await stack.configure({ keptCredentials: `${keyId},${federated.id}` })
    expect((await drift()).lines).toEqual([])
    await stack.configure({ keptCredentials: '' })
  })

  it('reports who can act for a user, or for the application, by a change of the registration', async () => {
    change(
      one => ({ ...one, isFallbackPublicClient: true, identifierUris: ['api://people'] }),
      one => ({
        ...one,
        appRoleAssignments: [{ id: 'r', appRoleId: 'aaaaaaaa-0000-4000-8000-000000000000', resourceId: 'g' }],
        oauth2PermissionGrants: [
          { id: 'own', scope: 'User.Read openid' },
          { id: 'more', scope: 'User.Read Mail.Read' },
        ],
      }),
    )
    expect((await drift()).lines.toSorted()).toEqual(
      matching(
        /^The registration has identifierUris = \["api:\/\/people"\] instead of \[\]/,
        /^The registration has isFallbackPublicClient = true instead of false/,
        /^The service principal has the application permission "aaaaaaaa-0000-4000-8000-000000000000" of "g"/,
        /^The service principal has the delegated permissions "Mail\.Read", which/,
      ),
    )
  })

  it('reports a registration and a service principal that are gone', async () => {
    deployment.sandbox.control.setState({ entra: { applications: [], servicePrincipals: [] } } as never)
    expect((await drift()).lines).toEqual(
      matching(
        /^The registration is in the state, but does not exist\. Nobody can sign in\./,
        /^The service principal is in the state, but does not exist\./,
      ),
    )
  })

  it.each([
    ['a Graph token', { AZURE_FEDERATED_TOKEN_FILE: '' }, 'Entra: HOMEPORT_GRAPH_TOKEN is not set.'],
    ['an accepted one', { HOMEPORT_GRAPH_TOKEN: 'old' }, 'the registration: Graph answered 401.'],
    ['a known identity', { AZURE_CLIENT_ID: 'x' }, 'Entra: the sign-in service answered 400.'],
  ])('is not green without %s', async (_, env, reason) => {
    const { status, output, lines } = await drift(env)
    expect(status).toBe(1)
    expect(lines).toContainEqual(expect.stringContaining(`Could not read ${reason}`))
    expect(output).not.toMatch(/ciphertext|v1:/)
  })

  it('sees a rolled token by its time until the next up', async () => {
    const [token] = await api<{ id: string }[]>('GET', `${account()}/tokens`)
    await new Promise(resolve => setTimeout(resolve, 1500))
    await api('PUT', `${account()}/tokens/${token?.id}/value`, {})
    expect((await drift()).lines).toEqual(matching(/^The DNS token was changed at "/))
    await stack.up()
    expect((await drift()).lines).toEqual([])
  })

  it('reports what somebody changed at Cloudflare, and then what somebody deleted there', async () => {
    const script = `${account()}/workers/scripts/homeport-${stack.name}`
    // Its time has whole seconds.
    await new Promise(resolve => setTimeout(resolve, 1100))
    await api('PUT', `${script}/secrets`, { name: 'SESSION_KEYS', text: 'theirs', type: 'secret_text' })
    expect((await drift()).lines).toEqual(
      matching(
        /^The Worker .* was changed at ".*", after the last run uploaded it at .*somebody replaced a secret\./,
      ),
    )

    const records = `${zone()}/dns_records`
    const [record] = await api<{ id: string }[]>('GET', `${records}?type=A&name=office.example.com`)
    await api('PATCH', `${records}/${record?.id}`, { ttl: 300, proxied: false, content: '203.0.113.9' })
    const [token] = await api<{ id: string; name: string }[]>('GET', `${account()}/tokens`)
    const policies = [
      {
        effect: 'allow',
        permission_groups: [{ id: '82e64a83756745bbbb1c9c2701bf816b' }],
        resources: { 'com.cloudflare.api.account.zone.*': '*' },
      },
    ]
    await api('PUT', `${account()}/tokens/${token?.id}`, { name: token?.name, policies, status: 'disabled' })
    await api('PUT', script, workerUpload('other', { keep_bindings: ['plain_text'] }))
    await api('PATCH', `${script}/script-settings`, { logpush: true, tail_consumers: [{ service: 'spy' }] })
    await api('POST', `${script}/subdomain`, { enabled: true, previews_enabled: true })
    const { lines: changed } = await drift()
    expect(changed[0]).toBe(
      'The record "office.example.com" has ttl = 300 instead of 120. Find out who changed it. Then run pulumi up, which sets it as declared.',
    )
    for (const line of [
      /^The DNS token ".*" has status = "disabled" instead of "active"\./,
      /^The DNS token ".*" has policies = .*zone\.\*.* instead of \["allow 4755a26e/,
      /^The DNS token was changed at /,
      /^The Worker .* has logpush = true instead of false/,
      /^The Worker .* has tail_consumers = \["spy"\] instead of \[\]/,
      /^The Worker .* has observability\.logs\.invocation_logs = nothing instead of false\./,
      /^The Worker .* has workers\.dev = true instead of false/,
      /^The Worker .* has preview URLs = true instead of false/,
      /^The Worker .* has other code than the last run/,
    ]) {
      expect(changed).toContainEqual(expect.stringMatching(line))
    }

    await api('DELETE', `${records}/${record?.id}`)
    await api('DELETE', `${account()}/tokens/${token?.id}`)
    const [domain] = await api<{ id: string }[]>('GET', `${account()}/workers/domains`)
    await api('DELETE', `${account()}/workers/domains/${domain?.id}`)
    const [database] = await api<{ uuid: string }[]>('GET', `${account()}/d1/database`)
    await api('DELETE', `${account()}/d1/database/${database?.uuid}`)
    const { lines: gone } = await drift()
    for (const line of [
      /^The record .* is in the state, but does not exist\./,
      /^The DNS token ".*" is in the state, but does not/,
      /^The custom domain people\.example\.com is in the state, but/,
      /^The database .* is in the state, but .* import your backup\.$/,
    ]) {
      expect(gone).toContainEqual(expect.stringMatching(line))
    }
  })
})
