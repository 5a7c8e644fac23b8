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

it('gives a deployer a token of three parts with its object ID', async () => {
  const { deployer, tenantId } = entra.description
  const parts = token.split('.')
  expect(parts).toHaveLength(3)
  const claims = JSON.parse(Buffer.from(parts[1] ?? '', 'base64url').toString('utf8'))
  expect(claims).toMatchObject({ oid: deployer.objectId, appid: deployer.clientId, tid: tenantId })
  for (const [changes, status, code] of [
    [{ client_secret: 'wrong' }, 401, 7000215],
    [{ scope: 'User.Read' }, 400, 1002012],
    [{ scope: 'openid profile offline_access' }, 400, 1002012],
  ] as const) {
    const refused = await signIn(changes)
    expect([refused.status, refused.body['error_codes']]).toEqual([status, [code]])
  }
})

it('refuses an application what it has no permission for, and ignores repeated slashes', async () => {
  for (const path of ['/users', '/organization']) {
    const refused = await graph('GET', path)
    expect([path, refused.status, errorCode(refused)]).toEqual([path, 403, 'Authorization_RequestDenied'])
  }
  const me = await graph('GET', '/me')
  expect([me.status, errorCode(me)]).toEqual([400, 'BadRequest'])
  const { status, body } = await graph('GET', '//applications')
  expect([status, body['value']]).toEqual([200, expect.any(Array)])
})

it('changes only the fields of a PATCH, and checks redirect URIs', async () => {
  const { id } = await register()
  const redirectUris = ['https://people.example.com/auth/callback', 'http://localhost:8080/back']
  expect((await graph('PATCH', `/applications/${id}`, { web: { redirectUris } })).status).toBe(204)
  expect((await graph('GET', `/applications/${id}`)).body).toMatchObject({
    displayName: 'Homeport',
    web: { redirectUris },
  })
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

it('lets only owners write, and an owner remove itself', async () => {
  const { id } = await register()
  const path = `/applications/${id}`
  const reference = { '@odata.id': 'https://x/v1.0/directoryObjects/somebody' }
  expect((await graph('POST', `${path}/owners/$ref`, reference)).status).toBe(204)
  expect((await graph('POST', `${path}/owners/$ref`, reference)).status).toBe(400)
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

it('an application with Application.ReadWrite.OwnedBy registers others, and manages those it owns', async () => {
  const ci = await registerForCi('homeport-ci')
  const before = await ci.token()
  expect((await graph('GET', '/applications', undefined, before)).status).toBe(403)
  await ci.consent(readWriteOwnedBy)
  // A token has the permissions of the time at which it was issued.
  expect((await graph('GET', '/applications', undefined, before)).status).toBe(403)

  const own = await ci.token()
  const claims = JSON.parse(Buffer.from(own.split('.')[1] ?? '', 'base64url').toString('utf8'))
  expect(claims).toMatchObject({ oid: ci.principalId, roles: ['Application.ReadWrite.OwnedBy'] })
  const asCi = (method: string, path: string, body?: object) => graph(method, path, body, own)
  const created = await asCi('POST', '/applications', { displayName: 'Of CI' })
  expect(created.status).toBe(201)
  expect((await asCi('POST', '/servicePrincipals', { appId: created.body['appId'] })).status).toBe(201)
  expect((await asCi('DELETE', `/applications/${created.body['id']}`)).status).toBe(204)

  const owner = `https://x/v1.0/directoryObjects/${ci.principalId}`
  const shared = await register({ 'owners@odata.bind': [owner] })
  expect((await asCi('PATCH', `/applications/${shared['id']}`, { displayName: 'Shared' })).status).toBe(204)
  expect((await asCi('POST', `/applications/${shared['id']}/addPassword`, {})).status).toBe(200)
  expect((await asCi('GET', `/applications/${ci.id}`)).status).toBe(200)
  const refused = await asCi('PATCH', `/applications/${ci.id}`, { displayName: 'Mine' })
  expect([refused.status, errorCode(refused)]).toEqual([403, 'Authorization_RequestDenied'])
})

it('an application with Application.Read.All reads all applications and changes none', async () => {
  const drift = await registerForCi('homeport-ci-drift')
  await drift.consent(readAll)
  const own = await drift.token()
  const shared = await register({ 'owners@odata.bind': [`https://x/${drift.principalId}`] })
  const path = `/applications/${shared['id']}`
  expect((await graph('GET', path, undefined, own)).status).toBe(200)
  expect((await graph('PATCH', path, { displayName: 'Mine' }, own)).status).toBe(403)
  expect((await graph('POST', '/applications', { displayName: 'Mine' }, own)).status).toBe(403)
})

it('adds several secrets, each shown once and valid until its end', async () => {
  const { id, appId } = await register()
  const add = async (fields: object) =>
    (await graph('POST', `/applications/${id}/addPassword`, { passwordCredential: fields })).body
  const [one, other] = [await add({ displayName: 'a' }), await add({ endDateTime: '2099-01-01T00:00:00Z' })]
  const years = (Date.parse(String(one['endDateTime'])) - Date.now()) / (365 * 24 * 3600 * 1000)
  expect(Math.round(years)).toBe(2)
  expect(other['endDateTime']).toBe('2099-01-01T00:00:00Z')
  const read = await graph('GET', `/applications/${id}`)
  expect(read.body['passwordCredentials']).toMatchObject([{ secretText: null }, { secretText: null }])
  const own = (secret: unknown) => signIn({ client_id: String(appId), client_secret: String(secret) })
  expect((await own(one['secretText'])).status).toBe(200)
  expect((await graph('POST', `/applications/${id}/removePassword`, { keyId: one['keyId'] })).status).toBe(
    204,
  )
  expect((await own(one['secretText'])).body['error_codes']).toEqual([7000215])
  expect((await own(other['secretText'])).status).toBe(200)
  const past = await add({ startDateTime: '2020-01-01T00:00:00Z', endDateTime: '2021-01-01T00:00:00Z' })
  expect((await own(past['secretText'])).body['error_codes']).toEqual([7000222])
  expect((await graph('POST', `/applications/${id}/removePassword`, { keyId: 'none' })).status).toBe(400)
  const denied = String((await own(other['secretText'])).body['access_token'])
  expect((await graph('GET', '/applications', undefined, denied)).status).toBe(403)
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
