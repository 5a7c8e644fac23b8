import { beforeEach, describe, expect, test } from 'vitest'
import { azuread } from '../../../../sandbox/pulumi/plugins/azuread/package.ts'
import { operator } from '../../../../sandbox/pulumi/plugins/operate.ts'
import { resourceProvider } from '../../../../sandbox/pulumi/plugins/table.ts'
import type { Properties } from '../../../../sandbox/pulumi/properties.ts'
import { useServices } from './services.ts'

const stand = useServices()
const application = 'azuread:index/application:Application'
const principal = 'azuread:index/servicePrincipal:ServicePrincipal'
const password = 'azuread:index/applicationPassword:ApplicationPassword'

beforeEach(async () => {
  // Signed in already, so that only the calls of the test are seen.
  await stand().azuread.lookUp('azuread:index/getClientConfig:getClientConfig', {})
  await stand().forget()
})

const inputs = (owners?: readonly string[]): Properties => ({
  displayName: 'Homeport',
  signInAudience: 'AzureADMyOrg',
  ...(owners === undefined ? {} : { owners }),
  web: {
    redirectUris: ['https://people.example.com/auth/callback'],
    implicitGrant: { accessTokenIssuanceEnabled: false, idTokenIssuanceEnabled: false },
  },
  requiredResourceAccesses: [
    { resourceAppId: 'graph', resourceAccesses: [{ id: 'User.Read', type: 'Scope' }] },
  ],
})
const deployer = () => stand().entra.description.deployer.objectId

/** What the directory was asked, with identifiers taken out. */
const calls = () =>
  stand().entra.requests.map(
    ({ method, path, query }) =>
      `${method} ${path.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '*')}${query === '' ? '' : `?${decodeURIComponent(query)}`}`,
  )

describe('an application', () => {
  test('is made, renamed and named back, and loses its creator unless the program names it', async () => {
    const { id, state } = await stand().azuread.create(application, inputs())
    expect(id).toMatch(/^\/applications\/[0-9a-f-]{36}$/)
    expect(state).toMatchObject({ displayName: 'Homeport', clientId: expect.any(String) })
    expect(calls()).toEqual([
      'POST /v1.0/applications',
      'PATCH /v1.0/applications/*',
      'PATCH /v1.0/applications/*',
      'DELETE /v1.0/applications/*/owners/*/$ref',
      'GET /v1.0/applications/*',
    ])
    const denied = stand().azuread.update(application, id, inputs(), { inputs: inputs(), state })
    await expect(denied).rejects.toThrow(/403/)
  })

  test('with the deployer among its owners reads back calm, and changes by one PATCH', async () => {
    const said = inputs([deployer()])
    const { id, state } = await stand().azuread.create(application, said)
    await stand().forget()
    const found = await stand().azuread.read(application, id, { inputs: said, state })
    expect(found?.inputs).toEqual(said)
    expect(calls()).toEqual([
      'GET /v1.0/applications/*',
      'GET /beta/applications/*?$select=oauth2RequirePostResponse',
      'GET /v1.0/applications/*/owners',
    ])
    await stand().forget()
    const changed = { ...said, web: { redirectUris: ['https://people.example.com/back'] } }
    await stand().azuread.update(application, id, changed, { inputs: said, state })
    expect(calls().filter(call => !call.startsWith('GET'))).toEqual(['PATCH /v1.0/applications/*'])
  })

  test('is deleted, and looked for until it is missed five times in a row', async () => {
    const { id, state } = await stand().azuread.create(application, inputs([deployer()]))
    await stand().forget()
    await stand().azuread.delete(application, id, state)
    expect(calls()).toEqual(['DELETE /v1.0/applications/*', ...Array(5).fill('GET /v1.0/applications/*')])
    expect(await stand().azuread.read(application, id, { inputs: {}, state })).toBeUndefined()
  })

  test('whose redirects others changed differs, and one of the same name can be refused', async () => {
    const said = inputs([deployer()])
    const { id, state } = await stand().azuread.create(application, said)
    const { applications } = stand().entra.applications
    const kept = applications.get(id.split('/')[2] ?? '')
    if (kept === undefined) throw new Error('The application is not there.')
    const redirectUris = [...kept.web.redirectUris, 'https://elsewhere.example.net/']
    applications.set(kept.id, { ...kept, web: { ...kept.web, redirectUris } })
    const found = await stand().azuread.read(application, id, { inputs: said, state })
    expect(stand().azuread.diff(application, found?.inputs ?? {}, said).changes).toEqual(['web'])
    const again = stand().azuread.create(application, { ...said, preventDuplicateNames: true })
    await expect(again).rejects.toThrow(/is there/)
  })
})

describe('a client secret', () => {
  test('is looked for until it shows five times, and every change is another one', async () => {
    const { id } = await stand().azuread.create(application, inputs([deployer()]))
    await stand().forget()
    const said: Properties = { applicationId: id, displayName: 'a', rotateWhenChanged: { on: '1' } }
    const made = await stand().azuread.create(password, said)
    expect(made.state).toMatchObject({ value: expect.any(String), keyId: expect.any(String) })
    expect(calls()).toEqual([
      'GET /v1.0/applications/*',
      'POST /v1.0/applications/*/addPassword',
      ...Array(5).fill('GET /v1.0/applications/*'),
    ])
    const found = await stand().azuread.read(password, made.id, { inputs: said, state: made.state })
    expect(found?.inputs).toEqual(said)
    expect(found?.state['value']).toBe(made.state['value'])
    const rotated = { ...said, rotateWhenChanged: { on: '2' } }
    expect(stand().azuread.diff(password, said, rotated).replaces).toEqual(['rotateWhenChanged'])
    expect(() => stand().azuread.update(password, made.id, rotated, { inputs: said, state: {} })).toThrow(
      /replaced/,
    )

    await stand().azuread.delete(password, made.id, made.state)
    expect(await stand().azuread.read(password, made.id, { inputs: said, state: made.state })).toBeUndefined()
  })
})

describe('a service principal', () => {
  test('is made when there is none, and reads back calm', async () => {
    const owners = [deployer()]
    const { state: registered } = await stand().azuread.create(application, inputs(owners))
    await stand().forget()
    const said: Properties = {
      clientId: registered['clientId'] ?? null,
      owners,
      appRoleAssignmentRequired: false,
    }
    const { id, state } = await stand().azuread.create(principal, said)
    expect(calls()).toEqual([
      `GET /v1.0/servicePrincipals?$filter=appId+eq+'${said['clientId']}'`,
      'POST /v1.0/servicePrincipals',
      'PATCH /v1.0/servicePrincipals/*',
    ])
    expect((await stand().azuread.read(principal, id, { inputs: said, state }))?.inputs).toEqual(said)
    await expect(stand().azuread.create(principal, said)).rejects.toThrow(/has a service principal/)
    const known = { inputs: said, state }
    const strict = { ...said, appRoleAssignmentRequired: true }
    await stand().azuread.update(principal, id, strict, known)
    expect((await stand().azuread.read(principal, id, known))?.inputs).toEqual(strict)
    await stand().azuread.delete(principal, id, state)
    expect(await stand().azuread.read(principal, id, known)).toBeUndefined()
  })
})

describe('signing in', () => {
  const config = 'azuread:index/getClientConfig:getClientConfig'

  test('tells who deploys', async () => {
    const { deployer: who, tenantId } = stand().entra.description
    expect(await stand().azuread.lookUp(config, {})).toMatchObject({
      tenantId,
      clientId: who.clientId,
      objectId: who.objectId,
    })
  })

  test('goes by a token of somebody else when it is told so, and fails without any', async () => {
    const { ARM_CLIENT_SECRET: _secret, ...without } = stand().environment
    const vouched = { ...without, ARM_USE_OIDC: 'true', ARM_OIDC_TOKEN: 'aaa.bbb.ccc' }
    await expect(operator(azuread, {}, vouched).lookUp(config, {})).resolves.toMatchObject({
      objectId: deployer(),
    })
    await expect(operator(azuread, {}, without).lookUp(config, {})).rejects.toThrow(/ARM_CLIENT_SECRET/)
  })

  test('finds the directory only by an authority that it trusts', async () => {
    const { SSL_CERT_FILE: _file, ...without } = stand().environment
    await expect(operator(azuread, {}, without).lookUp(config, {})).rejects.toThrow(/certificate/)
  })
})

describe('what GitHub hands to workflows', () => {
  const place: Properties = { repository: 'homeport', environment: 'dns' }

  test('a secret is sealed on its way, and the state alone knows it', async () => {
    const type = 'github:index/actionsEnvironmentSecret:ActionsEnvironmentSecret'
    const said = { ...place, secretName: 'TOKEN', value: 'first' }
    const { id, state } = await stand().github.create(type, said)
    expect(id).toBe('homeport:dns:TOKEN')
    const opened = () => stand().hub.repository.environments.get('dns')?.secrets.get('TOKEN')?.value
    expect(opened()).toBe('first')
    await stand().github.update(type, id, { ...said, value: 'second' }, { inputs: said, state })
    expect(opened()).toBe('second')
    expect((await stand().github.read(type, id, { inputs: said, state }))?.inputs).toEqual(said)
    await stand().github.delete(type, id, state)
    expect(await stand().github.read(type, id, { inputs: said, state })).toBeUndefined()
  })

  test('a variable is compared with what the service has', async () => {
    const type = 'github:index/actionsEnvironmentVariable:ActionsEnvironmentVariable'
    const said = { ...place, variableName: 'ZONE', value: 'one' }
    const { id, state } = await stand().github.create(type, said)
    await stand().github.update(type, id, { ...said, value: 'two' }, { inputs: said, state })
    const found = await stand().github.read(type, id, { inputs: said, state })
    expect(stand().github.diff(type, found?.inputs ?? {}, said).changes).toEqual(['value'])
    await stand().github.delete(type, id, state)
  })

  test('a repository has its own, and environments are made by PUT', async () => {
    const secret = { repository: 'homeport', secretName: 'ALL', value: 'everywhere' }
    await stand().github.create('github:index/actionsSecret:ActionsSecret', secret)
    expect(stand().hub.repository.actions.secrets.get('ALL')?.value).toBe('everywhere')
    const variable = { repository: 'homeport', variableName: 'ALL', value: 'everywhere' }
    await stand().github.create('github:index/actionsVariable:ActionsVariable', variable)
    expect(stand().hub.repository.actions.variables.get('ALL')?.value).toBe('everywhere')
    const type = 'github:index/repositoryEnvironment:RepositoryEnvironment'
    const environment = { repository: 'homeport', environment: 'made' }
    const { id, state } = await stand().github.create(type, environment)
    const known = { inputs: environment, state }
    expect(await stand().github.read(type, id, known)).toMatchObject({ id, inputs: environment })
    await stand().github.delete(type, id, state)
    expect(await stand().github.read(type, id, known)).toBeUndefined()
  })
})

test('an engine without plugins makes the same resources by the same calls', async () => {
  const { apiUrl, adminToken, zoneId } = stand().sandbox.description.cloudflare
  const provider = resourceProvider(
    { cloudflare: { baseUrl: apiUrl, apiToken: adminToken } },
    stand().environment,
  )
  const record = { zoneId, name: 'inside.example.com', type: 'A', content: '192.0.2.1', ttl: 120 }
  const context = { configuration: {} }
  const { id, outputs } = await provider.create('cloudflare:index/dnsRecord:DnsRecord', record, context)
  expect(outputs).toMatchObject({ ...record, proxied: false })
  expect(id).toMatch(/^[0-9a-f]{32}$/)
  expect(await provider.invoke('azuread:index/getClientConfig:getClientConfig', {}, context)).toMatchObject({
    objectId: deployer(),
  })
  await expect(provider.create('random:index/id:Id', {}, context)).rejects.toThrow(/No emulated provider/)
})
