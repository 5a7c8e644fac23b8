import { afterEach, describe, expect, it } from 'vitest'
import { runApplication } from './application.ts'

const application = runApplication()
afterEach(() => application.entra.setUsers(application.entra.description.users))

const failure = (code: string) => ({
  error: {
    code,
    message: expect.any(String),
    innerError: {
      date: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/),
      'request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
      'client-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    },
  },
})

describe('the profile', () => {
  it('has the default fields and @odata.context', async () => {
    const { graphUrl } = application.entra.description
    const response = await application.me(await application.token())
    expect(await response.json()).toEqual({
      '@odata.context': `${graphUrl}/v1.0/$metadata#users/$entity`,
      businessPhones: [],
      displayName: 'Alice Archer',
      givenName: 'Alice',
      jobTitle: null,
      mail: 'alice@example.com',
      mobilePhone: null,
      officeLocation: null,
      preferredLanguage: null,
      surname: 'Archer',
      userPrincipalName: 'alice@example.com',
      id: application.users.alice.id,
    })
  })
})

describe('the profile is refused', () => {
  it.each([
    ['without a token', undefined],
    ['with an unknown token', 'x'.repeat(43)],
    ['with a malformed token', '%00'],
  ])('%s', async (_, token) => {
    const response = await application.me(token)
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toMatch(/^Bearer realm="", authorization_uri="/)
    expect(await response.json()).toEqual(failure('InvalidAuthenticationToken'))
  })

  it('with a token that has expired', async () => {
    const token = await application.token()
    application.entra.expireTokens()
    expect((await application.me(token)).status).toBe(401)
  })

  it('for users who have been disabled or deleted', async () => {
    const { alice, others } = application.users
    const token = await application.token()
    application.entra.setUsers([{ ...alice, outcome: 'disabled' }, ...others])
    const disabled = await application.me(token)
    expect(disabled.status).toBe(401)
    expect(await disabled.json()).toEqual(failure('Authorization_IdentityDisabled'))
    application.entra.setUsers(others)
    const deleted = await application.me(token)
    expect(deleted.status).toBe(404)
    expect(await deleted.json()).toEqual(failure('Request_ResourceNotFound'))
  })
})
