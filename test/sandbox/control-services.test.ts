import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { FaultAnswer, FaultError } from '../../sandbox/http/faults.ts'
import { type FullDescription, type Sandbox, startSandbox } from '../../sandbox/sandbox.ts'
import { type SandboxState, stateOf } from '../../sandbox/testing/state.ts'
import { ask, graphToken, requestGraphToken } from '../support/services.ts'

const redirectUri = 'http://localhost:9/callback'
const dayMs = 24 * 3600 * 1000

let sandbox: Sandbox<FullDescription>
let at: FullDescription
let initialState: SandboxState
beforeAll(async () => {
  sandbox = await startSandbox({ entra: { redirectUris: [redirectUri] }, github: true })
  at = sandbox.description
  initialState = structuredClone(stateOf(sandbox.control))
})
afterAll(() => sandbox.close())
beforeEach(() => {
  sandbox.control.setState({ ...initialState, faults: [] })
  sandbox.control.clearJournal()
})

const signIn = (fields: Readonly<Record<string, string>> = {}) => requestGraphToken(at.entra, fields)
const graph = (method: string, path: string, token: string, body?: object) =>
  ask(method, `${at.entra.graphUrl}/v1.0${path}`, token, body)
const github = (method: string, path: string) =>
  ask(method, `${at.github.baseUrl}${path}`, at.github.token, method === 'PUT' ? {} : undefined)

const environment = 'repos/homeport/homeport/environments/dns'

describe('a fault', () => {
  it('returns errors in the form of the service that it matches', async () => {
    const errors = (error: FaultError): FaultAnswer => ({ kind: 'errors', status: 503, errors: [error] })
    sandbox.control.setFaults([
      { match: { service: 'entra', path: '/token$' }, answer: errors({ code: 90033 }) },
      { match: { service: 'graph' }, answer: errors({ code: 'ServiceNotAvailable', message: 'Later.' }) },
      { match: { service: 'github' }, answer: errors({ message: 'Unavailable' }) },
    ])
    expect(await github('GET', 'user')).toMatchObject({ status: 503, body: { message: 'Unavailable' } })
    expect(await graph('GET', '/applications', 'any')).toMatchObject({
      status: 503,
      body: { error: { code: 'ServiceNotAvailable', message: 'Later.' } },
    })
    expect(await signIn()).toMatchObject({ status: 503, body: { error_codes: [90033] } })
    expect(sandbox.control.journal().map(({ service, status, fault }) => [service, status, fault])).toEqual([
      ['github', 503, 'errors'],
      ['graph', 503, 'errors'],
      ['entra', 503, 'errors'],
    ])
    expect((await signIn()).status).toBe(200)
  })
})

describe('the journal', () => {
  it('redacts the credentials of every service, wherever a client puts them', async () => {
    const { deployer, clientSecret } = at.entra
    const token = await graphToken(at.entra)
    await graph('GET', `/applications?a=${deployer.clientSecret}`, token)
    await fetch(`${at.echo[0]}/?${new URLSearchParams({ a: clientSecret, b: at.github.token })}`)
    await github('GET', `repos?token=${at.cloudflare.adminToken}`)
    const text = JSON.stringify(sandbox.control.journal())
    for (const secret of [deployer.clientSecret, clientSecret, token, at.github.token]) {
      expect(text).not.toContain(secret)
      expect(text).not.toContain(encodeURIComponent(secret))
      expect(text).not.toContain(`${new URLSearchParams({ a: secret })}`.slice(2))
    }
    expect(text).not.toContain(at.cloudflare.adminToken)
    expect(text).toContain('client_secret=<redacted>')
  })
})

describe('the clock', () => {
  it('expires client secrets, and sets the times of registrations', async () => {
    const token = await graphToken(at.entra)
    sandbox.control.setClock({ now: '2031-05-01T12:00:00Z' })
    const later = await graphToken(at.entra)
    expect((await graph('GET', '/applications', token)).status).toBe(401)
    const { id, appId, createdDateTime } = (
      await graph('POST', '/applications', later, { displayName: 'Clock' })
    ).body
    expect(createdDateTime).toMatch(/^2031-05-01T12:00:/)
    const { secretText, endDateTime } = (await graph('POST', `/applications/${id}/addPassword`, later, {}))
      .body
    expect(endDateTime).toMatch(/^2033-05-01T12:00:/)
    const own = { client_id: String(appId), client_secret: String(secretText) }
    expect((await signIn(own)).status).toBe(200)
    sandbox.control.setClock({ advanceMs: 2 * 366 * dayMs })
    expect(await signIn(own)).toMatchObject({ status: 401, body: { error_codes: [7000222] } })
  })
})

describe('the state', () => {
  it('can be sent back unchanged', async () => {
    const token = await graphToken(at.entra)
    const { id, appId } = (await graph('POST', '/applications', token, { displayName: 'Kept' })).body
    await graph('POST', `/applications/${id}/addPassword`, token, {})
    await graph('POST', '/servicePrincipals', token, { appId })
    await github('PUT', environment)
    const before = structuredClone(stateOf(sandbox.control))
    expect(before.entra).toMatchObject({ applications: [{ id, passwords: [{}] }] })
    expect(before.github).toMatchObject({
      actions: { secrets: {}, variables: {} },
      environments: { dns: { secrets: {}, variables: {} } },
    })
    sandbox.control.setState({ ...before })
    expect(stateOf(sandbox.control)).toEqual(before)
  })

  it('replaces environments, which keep the key that their secrets are sealed for', async () => {
    sandbox.control.setState({ github: { environments: { dns: { secrets: { token: 'one' } } } } })
    const key = await github('GET', `${environment}/secrets/public-key`)
    expect((await github('GET', `${environment}/secrets/TOKEN`)).status).toBe(200)
    sandbox.control.setState({ github: { environments: { dns: {}, other: {} } } })
    expect((await github('GET', `${environment}/secrets/TOKEN`)).status).toBe(404)
    expect(await github('GET', `${environment}/secrets/public-key`)).toEqual(key)
    sandbox.control.setState({ github: { environments: {} } })
    expect((await github('GET', environment)).status).toBe(404)
  })
})
