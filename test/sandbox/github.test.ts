import sodium from 'libsodium-wrappers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { GitHubDescription } from '../../sandbox/github/github.ts'
import { ledger } from '../../sandbox/github/ledger.ts'
import { type Sandbox, type SandboxDescription, startSandbox } from '../../sandbox/sandbox.ts'
import { stateOf } from '../support/state.ts'

const reached = new Set<string>()

/** A test of these behaviours of the ledger. */
const reaches = (ids: readonly (keyof typeof ledger)[], name: string, body: () => Promise<void>) => {
  for (const id of ids) reached.add(id)
  test(name, body)
}

let sandbox: Sandbox<SandboxDescription & GitHubDescription>
beforeAll(async () => {
  sandbox = await startSandbox({ github: true })
})
afterAll(() => sandbox.close())

interface Reply {
  readonly status: number
  readonly body: Record<string, unknown>
}

const call = async (
  method: string,
  path: string,
  body?: unknown,
  authorization: string | null = `Bearer ${sandbox.description.github.token}`,
): Promise<Reply> => {
  const response = await fetch(`${sandbox.description.github.baseUrl}${path}`, {
    method,
    ...(authorization === null ? {} : { headers: { authorization } }),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>) }
}

const repository = 'repos/homeport/homeport'
const secrets = `${repository}/environments/dns/secrets`

/** Seals as any client does, with the key that the service gives. */
const sealed = async (plain: string, at = secrets): Promise<Record<string, unknown>> => {
  await sodium.ready
  const { body } = await call('GET', `${at}/public-key`)
  const key = new Uint8Array(Buffer.from(String(body['key']), 'base64'))
  const box = sodium.crypto_box_seal(plain, key)
  return { encrypted_value: Buffer.from(box).toString('base64'), key_id: body['key_id'] }
}

reaches(['github.credential', 'github.path'], 'knows its token, at the root and below /api/v3', async () => {
  expect(await call('GET', repository, undefined, null)).toMatchObject({
    status: 401,
    body: { message: 'Requires authentication' },
  })
  expect(await call('GET', repository, undefined, 'token wrong')).toMatchObject({
    status: 401,
    body: { message: 'Bad credentials' },
  })
  expect((await call('GET', repository)).body).toMatchObject({ full_name: 'homeport/homeport' })
  expect(
    (await call('GET', `api/v3/${repository}`, undefined, `token ${sandbox.description.github.token}`))
      .status,
  ).toBe(200)
  expect((await call('GET', 'repos/somebody/else')).status).toBe(404)
})

reaches(
  ['github.environment', 'github.environment.missing'],
  'has secrets and variables only in an environment that is there',
  async () => {
    expect((await call('GET', `${secrets}/public-key`)).status).toBe(404)
    expect((await call('GET', `${repository}/environments/dns`)).status).toBe(404)
    expect((await call('PUT', `${repository}/environments/dns`, {})).body).toMatchObject({ name: 'dns' })
    expect((await call('PUT', `${repository}/environments/a%2Fb`, {})).body).toMatchObject({ name: 'a/b' })
    expect((await call('DELETE', `${repository}/environments/a%2Fb`)).status).toBe(204)
    expect((await call('GET', `${secrets}/public-key`)).status).toBe(200)
  },
)

reaches(
  ['github.public-key', 'github.secret.put', 'github.secret.sealed', 'github.secret.get'],
  'opens what is sealed for an environment, and shows it to nobody',
  async () => {
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
  },
)

reaches(
  ['github.secret.unsealed', 'github.secret.name'],
  'refuses what it cannot open, and wrong names',
  async () => {
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
  },
)

reaches(['github.variable.create', 'github.variable.change'], 'keeps variables in clear', async () => {
  for (const place of [`${repository}/environments/dns`, `${repository}/actions`]) {
    const variables = `${place}/variables`
    expect((await call('POST', variables, { name: 'ZONE', value: 'one' })).status).toBe(201)
    expect((await call('POST', variables, { name: 'zone', value: 'one' })).status).toBe(409)
    expect((await call('POST', variables, { name: 'ZONE' })).status).toBe(422)
    expect((await call('PATCH', `${variables}/ZONE`, { name: 'ZONE', value: 'two' })).status).toBe(204)
    expect((await call('GET', `${variables}/ZONE`)).body).toMatchObject({ name: 'ZONE', value: 'two' })
    expect((await call('GET', variables)).body).toMatchObject({ total_count: 1 })
    expect((await call('DELETE', `${variables}/ZONE`)).status).toBe(204)
    expect((await call('PATCH', `${variables}/ZONE`, { value: 'two' })).status).toBe(404)
  }
})

test('a fault meets the requests that it is narrowed to, and only so many', async () => {
  const match = { service: 'github', method: 'GET', path: '/homeport$' }
  sandbox.control.setFaults([{ match, answer: { kind: 'respond', status: 502, body: '{}' } }])
  expect((await call('GET', `${secrets}/public-key`)).status).toBe(200)
  expect((await call('GET', repository)).status).toBe(502)
  expect((await call('GET', repository)).status).toBe(200)
})

test('what is no JSON or nowhere is refused, and requests are counted', async () => {
  sandbox.control.clearJournal()
  expect((await call('POST', `${repository}/actions/variables`, 'text')).status).toBe(400)
  expect((await call('GET', `${repository}/issues`)).status).toBe(404)
  expect((await call('GET', 'user')).status).toBe(404)
  expect(sandbox.control.journal().map(({ status }) => status)).toEqual([400, 404, 404])
})

test('every behaviour of the ledger is reached, and says where it is known from', () => {
  expect([...reached].sort()).toEqual(Object.keys(ledger).sort())
  for (const { what, where } of Object.values(ledger))
    expect([what.at(-1), where !== '']).toEqual(['.', true])
})
