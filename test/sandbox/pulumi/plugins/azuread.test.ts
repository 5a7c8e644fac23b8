import { beforeEach, describe, expect, it } from 'vitest'
import type { Properties } from '../../../../sandbox/pulumi/properties.ts'
import { stateOf } from '../../../../sandbox/testing/state.ts'
import { useServices } from './services.ts'

const fixture = useServices()
const application = 'azuread:index/application:Application'
const principal = 'azuread:index/servicePrincipal:ServicePrincipal'
const password = 'azuread:index/applicationPassword:ApplicationPassword'

beforeEach(async () => {
  // Sign in first, so that the journal has only the calls of the test.
  await fixture().azuread.lookUp('azuread:index/getClientConfig:getClientConfig', {})
  fixture().control.clearJournal()
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
const deployer = () => fixture().sandbox.description.entra.deployer.objectId

/** Lists the requests to Graph without identifiers. */
const calls = () =>
  fixture()
    .sandbox.control.journal()
    .filter(({ service }) => service === 'graph')
    .map(
      ({ method, path, query }) =>
        `${method} ${path.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '*')}${query === '' ? '' : `?${decodeURIComponent(query)}`}`,
    )

describe('an application', () => {
  it('is created, renamed and renamed back, and loses its creator unless the program declares them', async () => {
    const { id, state } = await fixture().azuread.create(application, inputs())
    expect(id).toMatch(/^\/applications\/[0-9a-f-]{36}$/)
    expect(state).toMatchObject({ displayName: 'Homeport', clientId: expect.any(String) })
    expect(calls()).toEqual([
      'POST /v1.0/applications',
      'PATCH /v1.0/applications/*',
      'PATCH /v1.0/applications/*',
      'DELETE /v1.0/applications/*/owners/*/$ref',
      'GET /v1.0/applications/*',
    ])
    const denied = fixture().azuread.update(application, id, inputs(), { inputs: inputs(), state })
    await expect(denied).rejects.toThrow(/403/)
  })

  it('that the deployer owns reads back unchanged, and is updated by one PATCH', async () => {
    const declared = inputs([deployer()])
    const { id, state } = await fixture().azuread.create(application, declared)
    fixture().control.clearJournal()
    const found = await fixture().azuread.read(application, id, { inputs: declared, state })
    expect(found?.inputs).toEqual(declared)
    expect(calls()).toEqual([
      'GET /v1.0/applications/*',
      'GET /beta/applications/*?$select=oauth2RequirePostResponse',
      'GET /v1.0/applications/*/owners',
    ])
    fixture().control.clearJournal()
    const changed = { ...declared, web: { redirectUris: ['https://people.example.com/back'] } }
    await fixture().azuread.update(application, id, changed, { inputs: declared, state })
    expect(calls().filter(call => !call.startsWith('GET'))).toEqual(['PATCH /v1.0/applications/*'])
  })

  it('shows redirect URIs that others changed, and can refuse a duplicate name', async () => {
    const declared = inputs([deployer()])
    const { id, state } = await fixture().azuread.create(application, declared)
    const { control } = fixture().sandbox
    const changed = stateOf(control).entra.applications.map(kept => {
      const redirectUris = [...kept.web.redirectUris, 'https://elsewhere.example.net/']
      return id.endsWith(kept.id) ? { ...kept, web: { ...kept.web, redirectUris } } : kept
    })
    control.setState({ entra: { applications: changed } })
    const found = await fixture().azuread.read(application, id, { inputs: declared, state })
    expect(fixture().azuread.diff(application, found ?? { inputs: {}, state: {} }, declared).changes).toEqual(
      ['web'],
    )
    const again = fixture().azuread.create(application, { ...declared, preventDuplicateNames: true })
    await expect(again).rejects.toThrow(/already exists/)
  })
})

describe('a client secret', () => {
  it('is read until it appears five times, and every change replaces it', async () => {
    const { id } = await fixture().azuread.create(application, inputs([deployer()]))
    fixture().control.clearJournal()
    const declared: Properties = { applicationId: id, displayName: 'a', rotateWhenChanged: { on: '1' } }
    const made = await fixture().azuread.create(password, declared)
    expect(made.state).toMatchObject({ value: expect.any(String), keyId: expect.any(String) })
    expect(calls()).toEqual([
      'GET /v1.0/applications/*',
      'POST /v1.0/applications/*/addPassword',
      ...Array(5).fill('GET /v1.0/applications/*'),
    ])
    const found = await fixture().azuread.read(password, made.id, { inputs: declared, state: made.state })
    expect(found?.inputs).toEqual(declared)
    expect(found?.state['value']).toBe(made.state['value'])
    const rotated = { ...declared, rotateWhenChanged: { on: '2' } }
    expect(fixture().azuread.diff(password, { inputs: declared, state: {} }, rotated).replaces).toEqual([
      'rotateWhenChanged',
    ])
    expect(() =>
      fixture().azuread.update(password, made.id, rotated, { inputs: declared, state: {} }),
    ).toThrow(/replaced/)

    await fixture().azuread.delete(password, made.id, made.state)
    expect(
      await fixture().azuread.read(password, made.id, { inputs: declared, state: made.state }),
    ).toBeNull()
  })
})

describe('a service principal', () => {
  it('is created if there is none, and reads back unchanged', async () => {
    const owners = [deployer()]
    const { state: registered } = await fixture().azuread.create(application, inputs(owners))
    fixture().control.clearJournal()
    const declared: Properties = {
      clientId: registered['clientId'] ?? null,
      owners,
      appRoleAssignmentRequired: false,
    }
    const { id, state } = await fixture().azuread.create(principal, declared)
    expect(calls()).toEqual([
      `GET /v1.0/servicePrincipals?$filter=appId+eq+'${declared['clientId']}'`,
      'POST /v1.0/servicePrincipals',
      'PATCH /v1.0/servicePrincipals/*',
    ])
    expect((await fixture().azuread.read(principal, id, { inputs: declared, state }))?.inputs).toEqual(
      declared,
    )
    await expect(fixture().azuread.create(principal, declared)).rejects.toThrow(
      /^A resource with the ID "[0-9a-f-]{36}" already exists/,
    )
    const known = { inputs: declared, state }
    const strict = { ...declared, appRoleAssignmentRequired: true }
    await fixture().azuread.update(principal, id, strict, known)
    expect((await fixture().azuread.read(principal, id, known))?.inputs).toEqual(strict)
    await fixture().azuread.delete(principal, id, state)
    expect(await fixture().azuread.read(principal, id, known)).toBeNull()
  })
})

describe('secrets and variables of GitHub', () => {
  const place: Properties = { repository: 'homeport', environment: 'dns' }

  it('a secret is encrypted on the wire, and only the state knows it', async () => {
    const type = 'github:index/actionsEnvironmentSecret:ActionsEnvironmentSecret'
    const declared = { ...place, secretName: 'TOKEN', value: 'first' }
    const { id, state } = await fixture().github.create(type, declared)
    expect(id).toBe('homeport:dns:TOKEN')
    const opened = () => stateOf(fixture().sandbox.control).github.environments['dns']?.secrets['TOKEN']
    expect(opened()).toBe('first')
    await fixture().github.update(type, id, { ...declared, value: 'second' }, { inputs: declared, state })
    expect(opened()).toBe('second')
    expect((await fixture().github.read(type, id, { inputs: declared, state }))?.inputs).toEqual(declared)
    await fixture().github.delete(type, id, state)
    expect(await fixture().github.read(type, id, { inputs: declared, state })).toBeNull()
  })
})
