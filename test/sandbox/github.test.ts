import sodium from 'libsodium-wrappers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { GitHubDescription } from '../../sandbox/github/github.ts'
import { type Sandbox, type SandboxDescription, startSandbox } from '../../sandbox/sandbox.ts'
import { stateOf } from '../../sandbox/testing/state.ts'
import { ask } from '../support/services.ts'

let sandbox: Sandbox<SandboxDescription & GitHubDescription>
beforeAll(async () => {
  sandbox = await startSandbox({ github: true })
})
afterAll(() => sandbox.close())

const call = (method: string, path: string, body?: object, token = sandbox.description.github.token) =>
  ask(method, `${sandbox.description.github.baseUrl}${path}`, token, body)

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

it('starts a workflow on a branch, and says why it does not', async () => {
  const runs = `${repository}/actions/workflows`
  const dispatch = (body: object, file = 'dns.yml') => call('POST', `${runs}/${file}/dispatches`, body)
  const workflows = { 'dns.yml': 'active', 'off.yml': 'disabled_manually' }
  sandbox.control.setState({
    github: { workflows, branches: ['trunk', 'next'], dispatches: [] },
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

it('has secrets only in an existing environment, and refuses one that it cannot decrypt, or with a wrong name', async () => {
  expect((await call('GET', `${secrets}/public-key`)).status).toBe(404)
  expect((await call('PUT', `${repository}/environments/dns`, {})).status).toBe(200)
  const good = await sealed('value')
  expect((await call('PUT', `${repository}/environments/infra`, {})).status).toBe(200)
  const elsewhere = await sealed('value', `${repository}/environments/infra/secrets`)
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

it('lets a token do no more than its permissions allow', async () => {
  const issues = `${repository}/issues`
  const asWorkflow = (method: string, path: string, body?: object) =>
    call(method, path, body, sandbox.description.github.workflowToken)
  sandbox.control.setState({ github: { permissions: { workflowToken: { issues: 'read' } } } })
  const refused = { status: 403, body: { message: 'Resource not accessible by integration' } }
  expect((await asWorkflow('GET', issues)).status).toBe(200)
  expect(await asWorkflow('POST', issues, { title: 'Refused' })).toMatchObject(refused)
  expect(await asWorkflow('GET', `${secrets}/public-key`)).toMatchObject(refused)
  expect(await asWorkflow('PUT', `${repository}/environments/dns`, {})).toMatchObject(refused)
})
