import { describe, expect, it, vi } from 'vitest'
import { StoreFailure } from '../../src/employees/employee-store.ts'
import worker from '../../src/worker.ts'
import { candidate, jsonResponse, providerOf, startInProcess } from './support/in-process.ts'

describe('a refused sign-in', () => {
  it('tells a user without an employee record that they are not in the system, and whom to ask', async () => {
    const profile = { mail: 'bob@example.com' }
    const app = startInProcess({}, { findByName: async () => [] }, providerOf(profile))
    const { answer } = await app.signIn()
    expect(answer.status).toBe(401)
    expect(answer.headers.get('content-type')).toBe('application/problem+json')
    expect(answer.headers.get('www-authenticate')).toMatch(/^Homeport /)
    expect(await answer.json()).toEqual({
      type: 'urn:homeport:problem:not-in-system',
      title: expect.stringContaining('not in the employee system'),
      status: 401,
      detail: expect.stringMatching(/[Cc]ontractors.*ask HR or your contact.* You used bob@example\.com\.$/),
      code: 'not-in-system',
      correlationId: answer.headers.get('x-correlation-id'),
    })
    app.provider = providerOf({ mail: null })
    expect(await (await app.signIn()).answer.text()).toContain('You used ada@example.com.')
  })

  it.each([
    ['everybody', 'intern@example.com', { user: { username: 'boss' } }, true],
    ['employees', 'intern@example.com', { code: 'binding-required', status: 401 }, true],
    // A second name that belongs to no employee is an alias.
    ['employees', 'alias@example.com', { user: { username: 'boss' } }, undefined],
  ])(
    'with BIND_ON_FIRST_USE=%s treats %s with the mail of another person',
    async (bind, principal, body, security) => {
      const people = ['boss', 'intern'].map(userName => ({ ...candidate, id: userName, userName }))
      const unbound = people.map(person => ({ ...person, boundTo: null, askerBoundTo: null }))
      const findByName = async (names: readonly string[]) =>
        unbound.filter(({ userName }) => names.includes(userName))
      const profile = { id: 'D1', mail: 'boss@example.com', userPrincipalName: principal }
      const store = { findByName, bind: async () => true }
      const app = startInProcess({ BIND_ON_FIRST_USE: bind }, store, providerOf(profile))
      expect(await (await app.signIn()).answer.json()).toMatchObject(body)
      expect(app.logged.at(-1)?.security).toBe(security)
    },
  )

  it('is employees-unavailable if the store fails, never not-in-system', async () => {
    const findByName = () => Promise.reject(new StoreFailure('timeout'))
    const { answer } = await startInProcess({}, { findByName }).signIn()
    expect(await answer.json()).toMatchObject({ code: 'employees-unavailable', status: 503 })
    expect([answer.headers.get('retry-after'), answer.headers.getSetCookie()]).toEqual(['10', []])
  })

  it.each([
    [65001, 'consent-required', true, undefined],
    [65004, 'consent-required', false, true],
    [90094, 'consent-required', true, undefined],
    [50105, 'not-assigned', true, undefined],
    [53003, 'sign-in-refused', false, undefined],
  ])(
    'by AADSTS%i is %s, and asks for an administrator: %s',
    async (number, code, administrator, declined) => {
      const error = { error: 'invalid_grant', error_description: `AADSTS${number}: text` }
      const { answer } = await startInProcess({}, {}, async () => jsonResponse(400, error)).signIn()
      const body = (await answer.json()) as Readonly<Record<string, unknown>>
      expect(body).toMatchObject({ code, status: 403 })
      expect([/administrator/i.test(`${body['title']} ${body['detail']}`), body['declined']]).toEqual([
        ...[administrator, declined],
      ])
    },
  )
})

it('a Worker answers everything with misconfigured if a setting is wrong', async () => {
  const files = ['CLIENT_SECRET_FILE', 'CLIENT_CERTIFICATE_FILE', 'FEDERATED_TOKEN_FILE']
  const lines = vi.spyOn(console, 'log').mockImplementation(() => undefined)
  const env = {
    SCOPES: 'User.Read Directory.Read.All',
    SESSION_KEYS: 'x:y',
    REQUIRE_STAT: 'true',
    HTTPS_PROXY: 'http://127.0.0.1:9',
    ...Object.fromEntries(files.map(name => [name, '/x'])),
  }
  const request = new Request('https://people.example.com/api/session')
  const answer = await worker.fetch(request, env, { waitUntil: () => undefined })
  expect(await answer.json()).toMatchObject({ code: 'misconfigured', status: 500 })
  expect(answer.headers.get('cache-control')).toBe('no-store')
  const output = lines.mock.calls.join('\n')
  lines.mockRestore()
  for (const message of [
    /SCOPES asks for more/,
    /SESSION_KEYS has key 1/,
    /REQUIRE_STAT is not a setting.* Use REQUIRE_STATE/,
    /A Worker uses no proxy\. Remove HTTPS_PROXY/,
    /EMPLOYEES is not bound to a D1 database/,
    /"level":"error","event":"request",.*"code":"misconfigured"/,
    ...files.map(name => new RegExp(`${name} names a file, which a Worker cannot read\\.`)),
  ])
    expect(output).toMatch(message)
})
