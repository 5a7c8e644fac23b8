import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Fault, FaultAnswer, FaultError } from '../../sandbox/http/faults.ts'
import type { JournalEntry } from '../../sandbox/http/journal.ts'
import { type FullDescription, type Sandbox, startSandbox } from '../../sandbox/sandbox.ts'

interface Reply {
  readonly status: number
  readonly body: Record<string, unknown>
}

const redirectUri = 'http://localhost:9/callback'
const dayMs = 24 * 3600 * 1000

let sandbox: Sandbox<FullDescription>
let at: FullDescription
let initialState: unknown
beforeAll(async () => {
  sandbox = await startSandbox({ entra: { redirectUris: [redirectUri] }, github: true })
  at = sandbox.description
  initialState = (await control('GET', '/state')).body
})
afterAll(() => sandbox.close())
beforeEach(async () => {
  await control('PUT', '/state', { ...(initialState as object), faults: [] })
  await control('DELETE', '/journal')
})

async function send(url: string, init: RequestInit): Promise<Reply> {
  const response = await fetch(url, init)
  const text = await response.text()
  return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : { text } }
}

function control(method: string, path: string, body?: unknown): Promise<Reply> {
  return send(`${at.control}${path}`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
}

async function setFaults(...faults: readonly Fault[]): Promise<void> {
  expect(await control('PUT', '/faults', { faults })).toEqual({ status: 200, body: { ok: true } })
}

async function journal(): Promise<readonly JournalEntry[]> {
  return (await control('GET', '/journal')).body['entries'] as JournalEntry[]
}

function signIn(fields: Readonly<Record<string, string>> = {}): Promise<Reply> {
  const { instance, tenantId, graphUrl, deployer } = at.entra
  const form = {
    grant_type: 'client_credentials',
    client_id: deployer.clientId,
    client_secret: deployer.clientSecret,
    scope: `${graphUrl}/.default`,
    ...fields,
  }
  const url = `${instance}${tenantId}/oauth2/v2.0/token`
  return send(url, { method: 'POST', body: new URLSearchParams(form) })
}

async function graph(method: string, path: string, token: unknown, body?: unknown): Promise<Reply> {
  return send(`${at.entra.graphUrl}/v1.0${path}`, {
    method,
    headers: { authorization: `Bearer ${token}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
}

const environment = 'repos/homeport/homeport/environments/dns'

function github(method: string, path: string): Promise<Reply> {
  const { baseUrl, token } = at.github
  const headers = { authorization: `Bearer ${token}` }
  return send(`${baseUrl}${path}`, { method, headers, ...(method === 'PUT' ? { body: '{}' } : {}) })
}

describe('a fault', () => {
  it('returns errors in the form of the service that it matches', async () => {
    const errors = (error: FaultError): FaultAnswer => ({ kind: 'errors', status: 503, errors: [error] })
    await setFaults(
      { match: { service: 'entra', path: '/token$' }, answer: errors({ code: 90033 }) },
      { match: { service: 'graph' }, answer: errors({ code: 'ServiceNotAvailable', message: 'Later.' }) },
      { match: { service: 'github' }, answer: errors({ message: 'Unavailable' }) },
    )
    expect(await signIn()).toMatchObject({ status: 503, body: { error_codes: [90033] } })
    expect(await graph('GET', '/applications', 'any')).toMatchObject({
      status: 503,
      body: { error: { code: 'ServiceNotAvailable', message: 'Later.' } },
    })
    expect(await github('GET', 'user')).toMatchObject({ status: 503, body: { message: 'Unavailable' } })
    expect((await journal()).map(({ service, status, fault }) => [service, status, fault])).toEqual([
      ['entra', 503, 'errors'],
      ['graph', 503, 'errors'],
      ['github', 503, 'errors'],
    ])
    expect((await signIn()).status).toBe(200)
  })
})

describe('the journal', () => {
  it('redacts the credentials of every service, wherever a client puts them', async () => {
    const { deployer, clientSecret } = at.entra
    const { access_token: token } = (await signIn()).body
    await graph('GET', `/applications?a=${deployer.clientSecret}`, token)
    await fetch(`${at.echo[0]}/?${new URLSearchParams({ a: clientSecret, b: at.github.token })}`)
    await github('GET', `repos?token=${at.cloudflare.adminToken}`)
    const text = JSON.stringify(await journal())
    for (const secret of [deployer.clientSecret, clientSecret, String(token), at.github.token]) {
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
    const { access_token: token } = (await signIn()).body
    await control('PUT', '/clock', { now: '2031-05-01T12:00:00Z' })
    const { access_token: later } = (await signIn()).body
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
    await control('PUT', '/clock', { advanceMs: 2 * 366 * dayMs })
    expect(await signIn(own)).toMatchObject({ status: 401, body: { error_codes: [7000222] } })
  })
})

describe('the state', () => {
  it('can be sent back unchanged', async () => {
    const { access_token: token } = (await signIn()).body
    const { id, appId } = (await graph('POST', '/applications', token, { displayName: 'Kept' })).body
    await graph('POST', `/applications/${id}/addPassword`, token, {})
    await graph('POST', '/servicePrincipals', token, { appId })
    await github('PUT', environment)
    const before = await control('GET', '/state')
    expect(before.body['entra']).toMatchObject({ applications: [{ id, passwords: [{}] }] })
    expect(before.body['github']).toMatchObject({
      actions: { secrets: {}, variables: {} },
      environments: { dns: { secrets: {}, variables: {} } },
    })
    expect((await control('PUT', '/state', before.body)).body).toEqual({ ok: true })
    expect(await control('GET', '/state')).toEqual(before)
  })

  it('replaces environments, which keep the key that their secrets are sealed for', async () => {
    await control('PUT', '/state', { github: { environments: { dns: { secrets: { token: 'one' } } } } })
    const key = await github('GET', `${environment}/secrets/public-key`)
    expect((await github('GET', `${environment}/secrets/TOKEN`)).status).toBe(200)
    await control('PUT', '/state', { github: { environments: { dns: {}, other: {} } } })
    expect((await github('GET', `${environment}/secrets/TOKEN`)).status).toBe(404)
    expect(await github('GET', `${environment}/secrets/public-key`)).toEqual(key)
    await control('PUT', '/state', { github: { environments: {} } })
    expect((await github('GET', environment)).status).toBe(404)
  })
})
