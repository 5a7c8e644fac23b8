import type Cloudflare from 'cloudflare'
import { NotFoundError, toFile } from 'cloudflare'
import { beforeAll, describe, expect, it } from 'vitest'
import { domainView } from '../../sandbox/cloudflare/workers/domain-resource.ts'
import { routeView } from '../../sandbox/cloudflare/workers/route-resource.ts'
import type { scriptView } from '../../sandbox/cloudflare/workers/script.ts'
import { type Envelope, runSandbox } from './running.ts'
import { sdkClient } from './sdk-client.ts'

const sandbox = runSandbox()

const client = () => sdkClient(sandbox)
const account = () => ({ account_id: sandbox.at.cloudflare.accountId })
const zone = () => ({ zone_id: sandbox.at.cloudflare.zoneId })
const workers = () => `/accounts/${sandbox.at.cloudflare.accountId}/workers`

/** A script as served, to be compared with the types of the SDK. */
type Listed = Omit<ReturnType<typeof scriptView>, 'observability'> & {
  // The emulator returns this as sent, without a type of its own.
  observability?: Cloudflare.Workers.Script.Observability
}
const listedFitsSdk = (script: Listed): Cloudflare.Workers.Script => script
const uploadedFitsSdk = (
  script: Listed & { startup_time_ms: number },
): Cloudflare.Workers.ScriptUpdateResponse => script

const domainFitsSdk = (domain: ReturnType<typeof domainView>): Cloudflare.Workers.DomainUpdateResponse =>
  domain
const routeFitsSdk = (route: ReturnType<typeof routeView>): Cloudflare.Workers.RouteCreateResponse => route

interface Part {
  name: string
  content: string
  type?: string
  filename?: string
}

/** Uploads a script as the infrastructure providers do: metadata as a JSON part, modules as files. */
async function put(name: string, metadata: object | string, parts: readonly Part[]) {
  const form = new FormData()
  const text = typeof metadata === 'string' ? metadata : JSON.stringify(metadata)
  form.append('metadata', new Blob([text], { type: 'application/json' }))
  for (const { name: part, content, type = 'application/javascript+module', filename = part } of parts) {
    form.append(part, new Blob([content], { type }), filename)
  }
  const response = await fetch(`${sandbox.at.cloudflare.apiUrl}${workers()}/scripts/${name}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${sandbox.at.cloudflare.adminToken}` },
    body: form,
  })
  return { status: response.status, body: (await response.json()) as Envelope<object> }
}

const hello = { name: 'worker.js', content: 'export default { fetch: () => new Response("hello") }' }
const metadata = { main_module: 'worker.js' }

// A script that several tests share, because each upload restarts the runtime.
beforeAll(async () => {
  const bindings = [{ type: 'plain_text', name: 'KEPT', text: 'a' }]
  const sent = { ...metadata, compatibility_date: '2026-01-01', bindings }
  expect(await put('first', sent, [hello])).toMatchObject({ status: 200 })
})

describe('a script', () => {
  it('has no settings that were not sent, except an empty placement', async () => {
    const { status, body } = await put('bare', metadata, [hello])
    expect(status).toBe(200)
    expect(Object.keys(body.result)).toEqual([
      'id',
      'etag',
      'created_on',
      'modified_on',
      'has_assets',
      'has_modules',
      'startup_time_ms',
    ])
    const settings = await sandbox.api('GET', `${workers()}/scripts/bare/settings`)
    expect(settings.body.result).toEqual({ placement: {}, bindings: [] })
    await put('bare', { ...metadata, placement: { mode: 'smart' } }, [hello])
    const placed = await sandbox.api('GET', `${workers()}/scripts/bare/settings`)
    expect(placed.body.result).toEqual({ placement: { mode: 'smart' }, bindings: [] })
  })

  it('returns its settings as sent, without the values of secrets', async () => {
    const sent = {
      compatibility_date: '2026-01-01',
      compatibility_flags: ['nodejs_compat'],
      usage_model: 'standard',
      logpush: false,
      observability: { enabled: true, head_sampling_rate: 0.5 },
      tags: ['one'],
    }
    const bindings = [
      { type: 'plain_text', name: 'A', text: 'plain' },
      { type: 'secret_text', name: 'B', text: 'secret-value' },
      { type: 'json', name: 'C', json: { deep: [1, { two: null }] } },
    ]
    await put('settings', { ...metadata, ...sent, bindings }, [hello])
    const { text, body } = await sandbox.api('GET', `${workers()}/scripts/settings/settings`)
    expect(body.result).toEqual({
      ...sent,
      placement: {},
      bindings: [bindings[0], { name: 'B', type: 'secret_text' }, bindings[2]],
    })
    const everything = await Promise.all(
      ['scripts', 'services/settings', 'scripts/settings/secrets', 'scripts/settings/secrets/B'].map(path =>
        sandbox.api('GET', `${workers()}/${path}`),
      ),
    )
    for (const answer of [text, ...everything.map(({ text: one }) => one)]) {
      expect(answer).not.toContain('secret-value')
    }
    expect(JSON.stringify(await sandbox.journal())).not.toContain('secret-value')
  })

  it('has one deployment, with a new version for every upload and change', async () => {
    async function versionNow() {
      const { body } = await sandbox.api<{
        deployments: { versions: { version_id: string; percentage: number }[] }[]
      }>('GET', `${workers()}/scripts/deployed/deployments`)
      return body.result.deployments.flatMap(({ versions }) => versions)
    }
    const missing = await sandbox.api('GET', `${workers()}/scripts/deployed/deployments`)
    expect(missing).toMatchObject({ status: 404, body: { errors: [{ code: 10007 }] } })
    await put('deployed', metadata, [hello])
    const first = await versionNow()
    expect(first).toEqual([{ version_id: expect.stringMatching(/^[0-9a-f-]{36}$/), percentage: 100 }])
    await sandbox.api('PUT', `${workers()}/scripts/deployed/secrets`, {
      body: { name: 'S', text: 'value', type: 'secret_text' },
    })
    expect(await versionNow()).not.toEqual(first)
  })

  it('returns its code as a form with the main module first, named in a header', async () => {
    await put('parts', metadata, [{ name: 'text.txt', content: 'häl\r\nlo', type: 'text/plain' }, hello])
    const response = await client().workers.scripts.content.get('parts', account())
    expect(response.headers.get('cf-entrypoint')).toBe('worker.js')
    const form = [...(await response.formData()).entries()]
    expect(form.map(([name]) => name)).toEqual(['worker.js', 'text.txt'])
    const [code, text] = form.map(([, file]) => file)
    expect(code).toBeInstanceOf(File)
    expect((code as File).type).toBe('application/javascript+module')
    expect(await (code as File).text()).toBe(hello.content)
    expect(await (text as File).text()).toBe('häl\r\nlo')
  })

  it('gets other code by its content alone, and keeps its settings and bindings', async () => {
    const { content, scriptAndVersionSettings: settings } = client().workers.scripts
    const before = await settings.get('first', account())
    const type = 'application/javascript+module'
    const updated = await content.update('first', {
      ...account(),
      metadata: { main_module: 'other.js' },
      files: [await toFile(Buffer.from(`${hello.content}//`), 'other.js', { type })],
    })
    expect(updated).toMatchObject({ id: 'first', startup_time_ms: expect.any(Number) })
    expect((await content.get('first', account())).headers.get('cf-entrypoint')).toBe('other.js')
    expect(await settings.get('first', account())).toEqual(before)
    const missing = content.update('none', { ...account(), metadata: { main_module: 'other.js' } })
    await expect(missing).rejects.toBeInstanceOf(NotFoundError)
  })

  it('in the service worker syntax is plain code', async () => {
    const code = 'addEventListener("fetch", event => event.respondWith(new Response("old")))'
    const response = await fetch(`${sandbox.at.cloudflare.apiUrl}${workers()}/scripts/old`, {
      method: 'PUT',
      headers: {
        authorization: `Bearer ${sandbox.at.cloudflare.adminToken}`,
        'content-type': 'application/javascript',
      },
      body: code,
    })
    const { result } = (await response.json()) as Envelope<object>
    expect(result).toMatchObject({ id: 'old', has_modules: false })
    expect(await (await client().workers.scripts.content.get('old', account())).text()).toBe(code)
  })

  it('appears as a service, which gets 404 if it does not exist', async () => {
    const { body } = await sandbox.api<{ default_environment: { script: object } }>(
      'GET',
      `${workers()}/services/first`,
    )
    expect(body.result.default_environment.script).toMatchObject({ id: 'first', has_modules: true })
    expect(await sandbox.api('GET', `${workers()}/services/none`)).toMatchObject({
      status: 404,
      body: { errors: [{ code: 10007 }] },
    })
  })

  it.each([
    ['a missing main module', { main_module: 'other.js' }, [hello], 10021, 'no part "other.js"'],
    ['no main module', {}, [hello], 10021, 'neither a main_module'],
    [
      'an unsupported binding type',
      { ...metadata, bindings: [{ type: 'kv_namespace', name: 'K' }] },
      [hello],
      10021,
      'kv_namespace',
    ],
    [
      'a binding to a database that does not exist',
      { ...metadata, bindings: [{ type: 'd1', name: 'D', id: 'x' }] },
      [hello],
      10021,
      'was not found',
    ],
    [
      'two bindings with one name',
      { ...metadata, bindings: [1, 2].map(() => ({ type: 'plain_text', name: 'A', text: '' })) },
      [hello],
      10021,
      'two bindings',
    ],
    ['code that does not parse', metadata, [{ ...hello, content: 'export default {' }], 10021, 'SyntaxError'],
    [
      'an import of a missing module',
      metadata,
      [{ ...hello, content: 'import "./x.js"\nexport default {}' }],
      10021,
      'No such module',
    ],
    ['metadata that is not JSON', '{', [hello], 10026, 'Could not parse'],
  ])('is refused with %s', async (_, given, parts, code, message) => {
    const { status, body } = await put('refused', given, parts)
    expect(status).toBe(400)
    expect(body.errors).toMatchObject([{ code, message: expect.stringContaining(message) }])
    expect((await sandbox.api('GET', `${workers()}/services/refused`)).status).toBe(404)
  })

  it.each(['../up', 'UPPER', 'a'.repeat(64)])('cannot be called %j', async name => {
    const { status } = await put(encodeURIComponent(name), metadata, [hello])
    expect(status).toBe(400)
  })

  it('is refused with hostile field names', async () => {
    const form = new FormData()
    for (const name of ['metadata[__proto__][polluted]', 'metadata[constructor][prototype][polluted]']) {
      form.append(name, 'yes')
    }
    form.append(`metadata${'[a]'.repeat(5000)}`, 'deep')
    form.append('metadata[main_module]', 'worker.js')
    const response = await fetch(`${sandbox.at.cloudflare.apiUrl}${workers()}/scripts/hostile`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${sandbox.at.cloudflare.adminToken}` },
      body: form,
    })
    expect(response.status).toBe(400)
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
  })
})

describe('through the SDK', () => {
  it('a script can be uploaded, listed and deleted, and fits the types', async () => {
    const uploaded = await client().workers.scripts.update('by-sdk', {
      ...account(),
      metadata: {
        main_module: 'worker.js',
        compatibility_flags: ['nodejs_compat'],
        bindings: [
          { type: 'plain_text', name: 'ONE', text: 'true' },
          { type: 'plain_text', name: 'TWO', text: '2' },
        ],
        observability: { enabled: true },
      },
      files: [
        await toFile(Buffer.from(hello.content), 'worker.js', { type: 'application/javascript+module' }),
      ],
    })
    expect(uploadedFitsSdk(uploaded as Listed & { startup_time_ms: number }).id).toBe('by-sdk')
    const names = []
    for await (const script of client().workers.scripts.list(account())) {
      names.push(listedFitsSdk(script as Listed).id)
    }
    expect(names).toContain('by-sdk')
    const settings = await client().workers.scripts.scriptAndVersionSettings.get('by-sdk', account())
    expect(settings).toEqual({
      placement: {},
      compatibility_flags: ['nodejs_compat'],
      observability: { enabled: true },
      bindings: [
        { type: 'plain_text', name: 'ONE', text: 'true' },
        { type: 'plain_text', name: 'TWO', text: '2' },
      ],
    })
    expect(await client().workers.scripts.delete('by-sdk', account())).toBeNull()
    const failure = client().workers.scripts.delete('by-sdk', account())
    await expect(failure).rejects.toBeInstanceOf(NotFoundError)
  })

  it('settings that are not sent stay unchanged', async () => {
    const { scriptAndVersionSettings: settings, secrets } = client().workers.scripts
    await secrets.update('first', { ...account(), name: 'KEY', text: 'value', type: 'secret_text' })
    await settings.edit('first', { ...account(), settings: { logpush: true } })
    const changed = await settings.edit('first', {
      ...account(),
      settings: {
        bindings: [
          { type: 'inherit', name: 'KEY' },
          { type: 'plain_text', name: 'A', text: '1' },
        ],
      },
    })
    expect(changed).toMatchObject({
      logpush: true,
      bindings: [
        { type: 'secret_text', name: 'KEY' },
        { type: 'plain_text', name: 'A' },
      ],
    })
  })

  it('an upload can keep existing secrets', async () => {
    await put('first', { ...metadata, keep_bindings: ['secret_text'] }, [hello])
    const names = []
    for await (const secret of client().workers.scripts.secrets.list('first', account()))
      names.push(secret.name)
    expect(names).toEqual(['KEY'])
    await client().workers.scripts.secrets.delete('KEY', { ...account(), script_name: 'first' })
    const gone = client().workers.scripts.secrets.get('KEY', { ...account(), script_name: 'first' })
    await expect(gone).rejects.toBeInstanceOf(NotFoundError)
  })

  it('the workers.dev subdomain can be enabled', async () => {
    const { subdomain } = client().workers.scripts
    expect(await subdomain.get('first', account())).toEqual({ enabled: false, previews_enabled: false })
    await subdomain.create('first', { ...account(), enabled: true })
    expect(await subdomain.get('first', account())).toMatchObject({ enabled: true })
    await client().workers.subdomains.update({ ...account(), subdomain: 'mine' })
    expect(await client().workers.subdomains.get(account())).toEqual({ subdomain: 'mine' })
  })
})

it('an account has five cron triggers on the free plan', async () => {
  await put('first', metadata, [hello])
  const { schedules } = client().workers.scripts
  const crons = (count: number) =>
    Array.from({ length: count }, (_, minute) => ({ cron: `${minute} * * * *` }))
  const set = (count: number) => schedules.update('first', { ...account(), body: crons(count) })
  expect(await schedules.get('first', account())).toEqual({ schedules: [] })
  expect((await set(5)).schedules).toMatchObject(crons(5))
  await expect(set(6)).rejects.toMatchObject({ errors: [{ code: 10072 }] })
  expect((await schedules.get('first', account())).schedules).toHaveLength(5)
  const unreadable = await sandbox.api('PUT', `${workers()}/scripts/first/schedules`, {
    body: '{"cron":"* * * * *"}',
  })
  expect(unreadable.status).toBe(400)
  await set(0)
})

describe('a custom domain', () => {
  beforeAll(() => put('second', metadata, [hello]))
  const domains = () => client().workers.domains
  const attach = (hostname: string, service = 'first') =>
    domains().update({ ...account(), hostname, service, ...zone() })

  it('has a read-only record that is deleted with it', async () => {
    const domain = await attach('App.example.com')
    expect(domain).toMatchObject({ hostname: 'app.example.com', service: 'first', zone_name: 'example.com' })
    const [record] = await sandbox.named('app.example.com')
    expect(record).toMatchObject({ type: 'AAAA', content: '100::', proxied: true, meta: { read_only: true } })
    const denied = await sandbox.api('DELETE', `${sandbox.records}/${record?.id}`)
    expect(denied.body.success).toBe(false)
    expect(await domains().get(domain.id, account())).toEqual(domain)
    const answer = await sandbox.api('DELETE', `${workers()}/domains/${domain.id}`)
    expect(answer.body).toMatchObject({ success: true, result: null })
    expect(await sandbox.named('app.example.com')).toEqual([])
    await expect(domains().get(domain.id, account())).rejects.toBeInstanceOf(NotFoundError)
  })

  it('keeps its id when it is put again, and its service unless overridden', async () => {
    const { id } = await attach('again.example.com')
    expect((await attach('again.example.com')).id).toBe(id)
    await expect(attach('again.example.com', 'second')).rejects.toMatchObject({
      status: 409,
      errors: [{ code: 100116 }],
    })
    const body = { hostname: 'again.example.com', service: 'second', override_existing_origin: true }
    const moved = await sandbox.api('PUT', `${workers()}/domains`, { body })
    expect(moved.body.result).toMatchObject({ id, service: 'second' })
    const found = await domains().list({ ...account(), service: 'second' })
    expect(found.result.map(({ hostname }) => hostname)).toEqual(['again.example.com'])
  })

  it('cannot have a hostname that has a record', async () => {
    await expect(attach('home.example.com')).rejects.toMatchObject({
      status: 409,
      errors: [{ code: 100117, message: expect.stringContaining("'home.example.com'") }],
    })
  })

  it('requires an existing script and zone', async () => {
    await expect(attach('none.example.com', 'none')).rejects.toMatchObject({ status: 404 })
    await expect(attach('none.example.org')).rejects.toMatchObject({ status: 400 })
  })
})

describe('a route', () => {
  it('can be created, read, replaced, listed and deleted', async () => {
    const { routes } = client().workers
    const created = await routes.create({ ...zone(), pattern: 'example.com/*', script: 'first' })
    expect(await routes.get(created.id, zone())).toEqual(created)
    const twice = routes.create({ ...zone(), pattern: 'example.com/*' })
    await expect(twice).rejects.toMatchObject({ status: 409, errors: [{ code: 10020 }] })
    const replaced = await routes.update(created.id, { ...zone(), pattern: 'www.example.com/*' })
    expect(replaced).toEqual({ id: created.id, pattern: 'www.example.com/*' })
    expect((await routes.list(zone())).result).toEqual([replaced])
    expect(await routes.delete(created.id, zone())).toEqual({ id: created.id })
    await expect(routes.get(created.id, zone())).rejects.toBeInstanceOf(NotFoundError)
  })

  it.each(['example.org/*', 'a*b.example.com/', 'example.com/*/x', 'example.com/?q', ''])(
    'cannot have the pattern %j',
    async pattern => {
      const failure = client().workers.routes.create({ ...zone(), pattern })
      await expect(failure).rejects.toMatchObject({ status: 400 })
    },
  )
})

it('a fault without commit does not upload the script', async () => {
  await sandbox.control('PUT', '/faults', {
    faults: [
      { match: { method: 'PUT', path: '/scripts/unlucky$' }, answer: { kind: 'respond', status: 502 } },
    ],
  })
  await put('unlucky', metadata, [hello]).catch(() => undefined)
  expect((await sandbox.api('GET', `${workers()}/services/unlucky`)).status).toBe(404)
})

it('a custom domain and a route as served fit the types of the SDK', () => {
  const zone = { zoneId: 'z', zoneName: 'example.com' }
  const names = { hostname: 'a.example.com', service: 's', environment: 'production' }
  const domain = domainView({ id: 'd', ...names, ...zone, certificateId: 'c', recordId: 'r' })
  expect(Object.keys(domainFitsSdk(domain))).not.toContain('recordId')
  const route = { id: 'r', zoneId: 'z', pattern: 'example.com/*' }
  expect(routeFitsSdk(routeView({ ...route, script: null }))).toEqual({
    id: 'r',
    pattern: 'example.com/*',
  })
})
