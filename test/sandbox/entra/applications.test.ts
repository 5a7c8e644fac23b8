import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { Entra } from '../../../sandbox/testing/entra.ts'
import { type Answer, ask, graphToken, requestGraphToken } from '../../support/services.ts'

let entra: Entra
let token = ''
beforeAll(async () => {
  entra = await Entra.start({ redirectUris: ['http://127.0.0.1:8080/auth/callback'] })
})
afterAll(() => entra.close())
beforeEach(async () => {
  entra.control.setState({ entra: { applications: [], servicePrincipals: [] } })
  token = await graphToken(entra.description)
})

const signIn = (changes: Parameters<typeof requestGraphToken>[1]) =>
  requestGraphToken(entra.description, changes)

const graph = (method: string, path: string, body?: object, bearer = token) =>
  ask(method, `${entra.description.graphUrl}/v1.0${path}`, bearer, body)

async function register(fields: object = {}): Promise<Record<string, unknown>> {
  const { status, body } = await graph('POST', '/applications', { displayName: 'Homeport', ...fields })
  expect(status).toBe(201)
  return body
}

const errorCode = ({ body }: Answer): unknown => (body['error'] as { code?: string } | undefined)?.code

it('refuses a deployer a token for a wrong secret or scope', async () => {
  for (const [changes, status, code] of [
    [{ client_secret: 'wrong' }, 401, 7000215],
    [{ scope: 'User.Read' }, 400, 1002012],
    [{ scope: 'openid profile offline_access' }, 400, 1002012],
  ] as const) {
    const refused = await signIn(changes)
    expect([refused.status, refused.body['error_codes']]).toEqual([status, [code]])
  }
})

it('refuses an application what it has no permission for', async () => {
  for (const path of ['/users', '/organization']) {
    const refused = await graph('GET', path)
    expect([path, refused.status, errorCode(refused)]).toEqual([path, 403, 'Authorization_RequestDenied'])
  }
})

it('refuses redirect URIs that no application can have', async () => {
  const { id } = await register()
  for (const wrong of [
    ['http://people.example.com/'],
    ['https://people.example.com/#part'],
    ['https://*.example.com/'],
    [`https://example.com/${'a'.repeat(256)}`],
    ['https://example.com/', 'https://example.com/'],
    ['nothing'],
    'text',
  ]) {
    const refused = await graph('PATCH', `/applications/${id}`, { web: { redirectUris: wrong } })
    expect([refused.status, errorCode(refused)]).toEqual([400, 'Request_BadRequest'])
  }
})

it('lets only owners write', async () => {
  const { id } = await register()
  const path = `/applications/${id}`
  const own = entra.description.deployer.objectId
  expect((await graph('DELETE', `${path}/owners/${own}/$ref`)).status).toBe(204)
  const refused = await graph('PATCH', path, { displayName: 'Mine' })
  expect([refused.status, errorCode(refused)]).toEqual([403, 'Authorization_RequestDenied'])
  expect((await graph('GET', path)).status).toBe(200)
  expect((await graph('GET', path, undefined, 'nobody')).status).toBe(401)
})

// Application.ReadWrite.OwnedBy and Application.Read.All of Microsoft Graph.
const readWriteOwnedBy = '18a4783c-866b-4cc7-a460-3d5e5662c884'
const readAll = '9a5d68dd-52b0-4cc2-bd40-abcf44ac3a30'

/** Registers an application for CI with a permission, as the set-up does. Returns its object ID and its sign-in. */
async function registerForCi(displayName: string) {
  const { id, appId } = await register({ displayName })
  const principalId = String((await graph('POST', '/servicePrincipals', { appId })).body['id'])
  const secret = (await graph('POST', `/applications/${id}/addPassword`, {})).body['secretText']
  return {
    id,
    principalId,
    consent: (appRoleId: string) =>
      graph('POST', `/servicePrincipals/${principalId}/appRoleAssignments`, {
        principalId,
        appRoleId,
        resourceId: 'graph',
      }),
    token: async () =>
      String(
        (await signIn({ client_id: String(appId), client_secret: String(secret) })).body['access_token'],
      ),
  }
}

it('an application has only the permissions that it was granted before its token was issued', async () => {
  const ci = await registerForCi('homeport-ci')
  const asCi = async (method: string, path: string, token: string) =>
    (await graph(method, path, method === 'GET' ? undefined : { displayName: 'Mine' }, token)).status
  const owners = [`https://x/v1.0/directoryObjects/${ci.principalId}`]
  const shared = `/applications/${(await register({ 'owners@odata.bind': owners }))['id']}`
  const before = await ci.token()
  await ci.consent(readAll)
  expect(await asCi('GET', shared, before)).toBe(403)
  const reading = await ci.token()
  expect(await asCi('GET', shared, reading)).toBe(200)
  expect(await asCi('PATCH', shared, reading)).toBe(403)
  expect(await asCi('POST', '/applications', reading)).toBe(403)
  await ci.consent(readWriteOwnedBy)
  const writing = await ci.token()
  expect(await asCi('PATCH', shared, writing)).toBe(204)
  expect(await asCi('PATCH', `/applications/${ci.id}`, writing)).toBe(403)
})

it('refuses a secret that has expired or was removed', async () => {
  const { id, appId } = await register()
  const add = async (fields: object) =>
    (await graph('POST', `/applications/${id}/addPassword`, { passwordCredential: fields })).body
  const own = async (secret: unknown) =>
    (await signIn({ client_id: String(appId), client_secret: String(secret) })).body['error_codes']
  const past = await add({ startDateTime: '2020-01-01T00:00:00Z', endDateTime: '2021-01-01T00:00:00Z' })
  expect(await own(past['secretText'])).toEqual([7000222])
  const { secretText, keyId } = await add({})
  expect(await own(secretText)).toBeUndefined()
  expect((await graph('POST', `/applications/${id}/removePassword`, { keyId })).status).toBe(204)
  expect(await own(secretText)).toEqual([7000215])
})

it('a registered application signs users in at its own redirect URI only', async () => {
  const { appId } = await register({ web: { redirectUris: ['https://people.example.com/auth/callback'] } })
  const { instance, tenantId } = entra.description
  function authorize(redirectUri: string) {
    const parameters = new URLSearchParams({
      client_id: String(appId),
      response_type: 'code',
      redirect_uri: redirectUri,
      scope: 'User.Read',
      code_challenge: 'c'.repeat(43),
      code_challenge_method: 'S256',
    })
    return fetch(`${instance}${tenantId}/oauth2/v2.0/authorize?${parameters}`, { redirect: 'manual' })
  }
  const begun = await authorize('https://people.example.com/auth/callback')
  expect(begun.headers.get('location')).toMatch(/\/interaction\//)
  const refused = await authorize('https://elsewhere.example.net/')
  expect(await refused.text()).toContain('AADSTS50011')
})
