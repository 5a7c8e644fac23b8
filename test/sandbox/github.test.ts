import sodium from 'libsodium-wrappers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { GitHubDescription } from '../../sandbox/github/github.ts'
import { type Sandbox, type SandboxDescription, startSandbox } from '../../sandbox/sandbox.ts'
import { stateOf } from '../../sandbox/testing/state.ts'
import { ask } from '../support/services.ts'

let sandbox: Sandbox<SandboxDescription & GitHubDescription>
beforeAll(async () => {
  sandbox = await startSandbox({ github: true })
})
afterAll(() => sandbox.close())

const call = (
  method: string,
  path: string,
  body?: object,
  token: string | null = sandbox.description.github.token,
) => ask(method, `${sandbox.description.github.baseUrl}${path}`, token, body)

const repository = 'repos/homeport/homeport'
const secrets = `${repository}/environments/dns/secrets`

/** Encrypts a secret with the public key, as any client does. */
async function sealed(plain: string, at = secrets): Promise<Record<string, unknown>> {
  await sodium.ready
  const { body } = await call('GET', `${at}/public-key`)
  const key = new Uint8Array(Buffer.from(String(body['key']), 'base64'))
  const box = sodium.crypto_box_seal(plain, key)
  return { encrypted_value: Buffer.from(box).toString('base64'), key_id: body['key_id'] }
}

it('refuses a missing or wrong token, at the root and below /api/v3', async () => {
  expect(await call('GET', repository, undefined, null)).toMatchObject({
    status: 401,
    body: { message: 'Requires authentication' },
  })
  expect(await call('GET', repository, undefined, 'wrong')).toMatchObject({
    status: 401,
    body: { message: 'Bad credentials' },
  })
  const { github } = stateOf(sandbox.control)
  sandbox.control.setState({ github: { ...github, tokenExpiresOn: '2020-01-01T00:00:00Z' } })
  expect(await call('GET', repository)).toMatchObject({ status: 401, body: { message: 'Bad credentials' } })
  sandbox.control.setState({ github })
  expect((await call('GET', repository)).body).toMatchObject({ full_name: 'homeport/homeport' })
  expect((await call('GET', `api/v3/${repository}`)).status).toBe(200)
  expect((await call('GET', 'repos/somebody/else')).status).toBe(404)
})

it('has secrets and variables only in an existing environment', async () => {
  expect((await call('GET', `${secrets}/public-key`)).status).toBe(404)
  expect((await call('GET', `${repository}/environments/dns`)).status).toBe(404)
  expect((await call('PUT', `${repository}/environments/dns`, {})).body).toMatchObject({ name: 'dns' })
  expect((await call('PUT', `${repository}/environments/a%2Fb`, {})).body).toMatchObject({ name: 'a/b' })
  expect((await call('DELETE', `${repository}/environments/a%2Fb`)).status).toBe(204)
  expect((await call('GET', `${secrets}/public-key`)).status).toBe(200)
})

it('starts a workflow on a branch, and says why it does not', async () => {
  const runs = `${repository}/actions/workflows`
  const dispatch = (body: object, file = 'dns.yml') => call('POST', `${runs}/${file}/dispatches`, body)
  const workflows = { 'dns.yml': 'active', 'off.yml': 'disabled_manually', 'push.yml': 'active' }
  sandbox.control.setState({
    github: { workflows, withoutDispatch: ['push.yml'], branches: ['trunk', 'next'], dispatches: [] },
  })
  expect((await call('GET', repository)).body).toMatchObject({ default_branch: 'trunk' })
  expect((await dispatch({ ref: 'trunk' })).status).toBe(204)
  expect((await dispatch({ ref: 'refs/heads/next' })).status).toBe(204)
  const refused: readonly (readonly [object, string, number, RegExp])[] = [
    [{ ref: 'main' }, 'dns.yml', 422, /No ref found for: main/],
    [{}, 'dns.yml', 422, /"ref" wasn't supplied/],
    [{ ref: 'trunk', branch: 'x' }, 'dns.yml', 422, /"branch" is not a permitted key/],
    [{ ref: 'trunk', inputs: { a: 'b' } }, 'dns.yml', 422, /Unexpected inputs/],
    [{ ref: 'trunk' }, 'off.yml', 422, /disabled workflow/],
    [{ ref: 'trunk' }, 'push.yml', 422, /does not have 'workflow_dispatch' trigger/],
    [{ ref: 'trunk' }, 'other.yml', 404, /Not Found/],
  ]
  for (const [body, file, status, message] of refused)
    expect(await dispatch(body, file)).toMatchObject({
      status,
      body: { message: expect.stringMatching(message) },
    })
  const asWorkflow = sandbox.description.github.workflowToken
  expect((await call('POST', `${runs}/dns.yml/dispatches`, { ref: 'trunk' }, asWorkflow)).status).toBe(403)
  const { dispatches } = stateOf(sandbox.control).github
  expect(dispatches).toMatchObject([
    { workflow: 'dns.yml', branch: 'trunk' },
    { workflow: 'dns.yml', branch: 'next' },
  ])
})

it('lists workflows with their state, and switches one on', async () => {
  const path = `${repository}/actions/workflows`
  const { body } = await call('GET', path)
  expect(body).toMatchObject({ total_count: 3 })
  sandbox.control.setState({ github: { workflows: { 'nightly.yml': 'disabled_inactivity' } } })
  expect((await call('GET', path)).body).toMatchObject({
    workflows: [{ path: '.github/workflows/nightly.yml', state: 'disabled_inactivity' }],
  })
  expect((await call('PUT', `${path}/nightly.yml/enable`)).status).toBe(204)
  expect((await call('GET', path)).body).toMatchObject({ workflows: [{ state: 'active' }] })
  expect((await call('PUT', `${path}/other.yml/enable`)).status).toBe(404)
})

it('decrypts secrets, and never returns them', async () => {
  expect((await call('PUT', `${secrets}/TOKEN`, await sealed('first'))).status).toBe(201)
  expect((await call('PUT', `${secrets}/token`, await sealed('second'))).status).toBe(204)
  expect(stateOf(sandbox.control).github.environments['dns']?.secrets).toEqual({ TOKEN: 'second' })
  expect(Object.keys((await call('GET', `${secrets}/TOKEN`)).body)).toEqual([
    'name',
    'created_at',
    'updated_at',
  ])
  expect((await call('GET', secrets)).body).toMatchObject({ total_count: 1 })
  expect((await call('DELETE', `${secrets}/TOKEN`)).status).toBe(204)
  expect((await call('GET', `${secrets}/TOKEN`)).status).toBe(404)
})

it('refuses a secret that it cannot decrypt, or with a wrong name', async () => {
  const good = await sealed('value')
  const elsewhere = await sealed('value', `${repository}/actions/secrets`)
  for (const wrong of [
    { ...good, key_id: 'other' },
    { ...good, encrypted_value: 'AAAA' },
    { ...good, encrypted_value: elsewhere['encrypted_value'] },
    {},
  ]) {
    expect((await call('PUT', `${secrets}/TOKEN`, wrong)).status).toBe(422)
  }
  for (const name of ['1TOKEN', 'GITHUB_TOKEN', 'A-B']) {
    expect((await call('PUT', `${secrets}/${name}`, good)).status).toBe(422)
  }
})

it('returns variables in plain text', async () => {
  for (const place of [`${repository}/environments/dns`, `${repository}/actions`]) {
    const variables = `${place}/variables`
    expect((await call('POST', variables, { name: 'ZONE', value: 'one' })).status).toBe(201)
    expect(await call('POST', variables, { name: 'zone', value: 'one' })).toMatchObject({
      status: 409,
      body: { message: 'Already exists - Variable already exists' },
    })
    expect((await call('POST', variables, { name: 'ZONE' })).status).toBe(422)
    expect((await call('PATCH', `${variables}/ZONE`, { name: 'ZONE', value: 'two' })).status).toBe(204)
    expect((await call('GET', `${variables}/ZONE`)).body).toMatchObject({ name: 'ZONE', value: 'two' })
    expect((await call('GET', variables)).body).toMatchObject({ total_count: 1 })
    expect((await call('DELETE', `${variables}/ZONE`)).status).toBe(204)
    expect((await call('PATCH', `${variables}/ZONE`, { value: 'two' })).status).toBe(404)
  }
})

describe('issues', () => {
  const issues = `${repository}/issues`
  const asWorkflow = (method: string, path: string, body?: object) =>
    call(method, path, body, sandbox.description.github.workflowToken)
  async function titles(query: string) {
    const { body } = await asWorkflow('GET', `${issues}${query}`)
    // `call` has the type of an object, and this is a list.
    return (body as unknown as { title: string }[]).map(({ title }) => title)
  }
  function allowIssues(access: 'none' | 'read' | 'write') {
    sandbox.control.setState({ github: { permissions: { workflowToken: { issues: access } } } })
  }

  it('are opened and closed by a workflow, and found by title and state', async () => {
    sandbox.control.setClock({ now: '2031-05-06T07:08:09Z' })
    const opened = await asWorkflow('POST', issues, { title: 'A secret expires', body: 'Soon.' })
    expect(opened).toMatchObject({
      status: 201,
      body: {
        number: 1,
        state: 'open',
        title: 'A secret expires',
        created_at: '2031-05-06T07:08:09Z',
      },
    })
    await asWorkflow('POST', issues, { title: 'Another' })
    expect(await titles('')).toEqual(['Another', 'A secret expires'])
    expect((await asWorkflow('PATCH', `${issues}/1`, { state: 'closed' })).body).toMatchObject({
      state: 'closed',
      updated_at: expect.stringMatching(/^2031-05-06T07:08:\d\dZ$/),
    })
    expect((await asWorkflow('GET', `${issues}/1`)).body).toMatchObject({ title: 'A secret expires' })
    expect(await titles('')).toEqual(['Another'])
    expect(await titles('?state=closed')).toEqual(['A secret expires'])
    expect(await titles('?state=all')).toEqual(['Another', 'A secret expires'])
    expect(await titles('?state=all&since=2031-05-06T07:00:00Z')).toHaveLength(2)
    expect(await titles('?state=all&since=2031-05-07T00:00:00Z')).toEqual([])
  })

  it('need the permission of the token', async () => {
    allowIssues('none')
    const refused = { status: 403, body: { message: 'Resource not accessible by integration' } }
    expect(await asWorkflow('GET', issues)).toMatchObject(refused)
    allowIssues('read')
    expect((await asWorkflow('GET', issues)).status).toBe(200)
    expect(await asWorkflow('POST', issues, { title: 'Refused' })).toMatchObject(refused)
    expect(await asWorkflow('PATCH', `${issues}/1`, { state: 'open' })).toMatchObject(refused)
    expect(await asWorkflow('GET', `${secrets}/public-key`)).toMatchObject(refused)
    expect(await asWorkflow('PUT', `${repository}/environments/dns`, {})).toMatchObject(refused)
    expect((await asWorkflow('GET', repository)).status).toBe(200)
    expect((await call('GET', issues)).status).toBe(200)
    allowIssues('write')
  })
})
