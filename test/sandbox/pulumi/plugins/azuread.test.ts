import { beforeEach, describe, expect, it } from 'vitest'
import type { Properties } from '../../../../sandbox/pulumi/properties.ts'
import { useServices } from './services.ts'

const fixture = useServices()
const application = 'azuread:index/application:Application'
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
