import type Cloudflare from 'cloudflare'
import { toFile } from 'cloudflare'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { request } from './request.ts'
import { type Envelope, runSandbox } from './running.ts'
import { sdkClient } from './sdk-client.ts'

const sandbox = runSandbox()

const client = () => sdkClient(sandbox)
const account = () => ({ account_id: sandbox.at.cloudflare.accountId })

const upload = async (
  name: string,
  code: string,
  bindings: Cloudflare.Workers.ScriptUpdateParams.Metadata['bindings'] = [],
) =>
  client().workers.scripts.update(name, {
    ...account(),
    metadata: { main_module: 'worker.js', compatibility_date: '2026-01-01', bindings },
    files: [await toFile(Buffer.from(code), 'worker.js', { type: 'application/javascript+module' })],
  })

const attach = (hostname: string, service: string) =>
  client().workers.domains.update({
    ...account(),
    hostname,
    service,
    zone_id: sandbox.at.cloudflare.zoneId,
  })

/** Requests a URL from the sandbox, whatever its host. HTTPS trusts only the sandbox's authority. */
const visit = (url: string, options: Parameters<typeof request>[1] = {}) =>
  request(url, {
    ...options,
    ca: sandbox.at.ca,
    port: url.startsWith('https:')
      ? sandbox.at.https.port
      : Number(new URL(sandbox.at.cloudflare.baseUrl).port),
  })

const employees = `export default {
  async fetch(request, env) {
    console.log('requested', new URL(request.url).pathname)
    const { results } = await env.EMPLOYEES.prepare('SELECT user_name FROM employees WHERE id = ?').bind(1).all()
    return Response.json(
      { url: request.url, greeting: env.GREETING, secret: env.KEY.length, limits: env.LIMITS, results },
      { headers: [['set-cookie', 'a=1'], ['set-cookie', 'b=2']] },
    )
  },
}`

describe('a Worker uploaded by the SDK', () => {
  beforeAll(async () => {
    const { uuid = '' } = await client().d1.database.create({ ...account(), name: 'employees' })
    const sql = `CREATE TABLE employees (id INTEGER PRIMARY KEY, user_name TEXT);
      INSERT INTO employees VALUES (1, 'ada');`
    for await (const { success } of client().d1.database.query(uuid, { ...account(), sql })) {
      expect(success).toBe(true)
    }
    await upload('staff', employees, [
      { type: 'plain_text', name: 'GREETING', text: 'hello' },
      { type: 'secret_text', name: 'KEY', text: '12345' },
      { type: 'json', name: 'LIMITS', json: { deep: 'three' } },
      { type: 'd1', name: 'EMPLOYEES', database_id: uuid },
    ])
    await attach('staff.example.com', 'staff')
  })

  it.each(['http', 'https'])(
    'answers on its custom domain over %s, with data from its database',
    async scheme => {
      const url = `${scheme}://staff.example.com/path?x=1`
      const { status, headers, text } = await visit(url)
      expect(status).toBe(200)
      expect(JSON.parse(text)).toEqual({
        url,
        greeting: 'hello',
        secret: 5,
        limits: { deep: 'three' },
        results: [{ user_name: 'ada' }],
      })
      expect(headers['set-cookie']).toEqual(['a=1', 'b=2'])
    },
  )

  it('sees changes made through the API in its database', async () => {
    const { uuid = '' } = (await client().d1.database.list(account())).result[0] ?? {}
    const sql = 'UPDATE employees SET user_name = ? WHERE id = 1'
    await client().d1.database.query(uuid, { ...account(), sql, params: ['grace'] })
    expect((await visit('http://staff.example.com/')).text).toContain('grace')
  })

  it('writes to a console that GET /console returns', async () => {
    await visit('http://staff.example.com/console')
    const { body } = await sandbox.control('GET', '/console')
    expect(body['lines']).toContainEqual({
      at: expect.any(String),
      level: 'log',
      message: 'requested /console',
    })
  })

  it('appears in the journal without the contents of requests', async () => {
    await visit('http://staff.example.com/callback?code=topsecret', {
      method: 'POST',
      body: 'password=topsecret',
    })
    const entries = await sandbox.journal()
    expect(JSON.stringify(entries)).not.toContain('topsecret')
    expect(entries.at(-1)).toMatchObject({
      service: 'workers',
      path: '/callback',
      query: 'code=…',
      body: '18 bytes',
      ledger: ['workers.fetch'],
    })
  })
})

describe('a request to a Worker', () => {
  beforeAll(async () => {
    await upload(
      'mirror',
      `export default { async fetch(request) {
        const { pathname, searchParams } = new URL(request.url)
        if (pathname === '/throw') throw new Error('on purpose')
        if (pathname === '/fetch') return fetch(searchParams.get('url'))
        return Response.json({ method: request.method, headers: [...request.headers], body: await request.text() },
          { status: 418 })
      } }`,
    )
    await attach('mirror.example.com', 'mirror')
  })

  it('counts calls of a key with a rate limit, whose period the service allows', async () => {
    const code = `export default {
      fetch: async (request, { CALLS }) => Response.json(await CALLS.limit({ key: new URL(request.url).pathname })),
    }`
    const limitOf = (period: number) => ({
      type: 'ratelimit' as const,
      name: 'CALLS',
      namespace_id: '7',
      simple: { limit: 2, period },
    })
    await expect(upload('counting', code, [limitOf(30)])).rejects.toThrow(/simple.period of 10 or 60/)
    await upload('counting', code, [limitOf(60)])
    await attach('counting.example.com', 'counting')
    const call = async (key: string) =>
      JSON.parse((await visit(`http://counting.example.com/${key}`)).text) as { success: boolean }
    const calls = [await call('a'), await call('a'), await call('a'), await call('b')]
    expect(calls.map(({ success }) => success)).toEqual([true, true, false, true])
  })

  it('carries the method, the headers, the body and the client address', async () => {
    const { status, text } = await visit('https://mirror.example.com/', {
      method: 'PUT',
      headers: { cookie: 'a=1', 'x-own': 'yes', 'content-type': 'text/plain' },
      body: 'häl\u0000lo',
    })
    expect(status).toBe(418)
    const { method, headers, body } = JSON.parse(text)
    expect({ method, body }).toEqual({ method: 'PUT', body: 'häl\u0000lo' })
    expect(Object.fromEntries(headers)).toMatchObject({
      host: 'mirror.example.com',
      cookie: 'a=1',
      'x-own': 'yes',
      'cf-connecting-ip': '127.0.0.1',
      'x-forwarded-proto': 'https',
    })
  })

  it('can make it fetch over HTTPS from the sandbox, whose authority the Worker trusts', async () => {
    const url = `https://localhost:${sandbox.at.https.port}/client/v4/ips`
    const { text } = await visit(`http://mirror.example.com/fetch?url=${encodeURIComponent(url)}`)
    expect(JSON.parse(text)).toMatchObject({ success: false })
  })

  it('gets the error page of the service if the Worker throws', async () => {
    expect(await visit('http://mirror.example.com/throw')).toMatchObject({
      status: 500,
      text: 'error code: 1101\n',
    })
  })

  it('is matched by the most specific route', async () => {
    const routes = client().workers.routes
    const { zoneId: zone_id } = sandbox.at.cloudflare
    await routes.create({ zone_id, pattern: '*.example.com/api/*', script: 'mirror' })
    const open = await routes.create({ zone_id, pattern: 'app.example.com/api/open/*' })
    expect((await visit('http://app.example.com/api/x')).status).toBe(418)
    expect((await visit('http://app.example.com/api/open/x')).status).toBe(404)
    await routes.delete(open.id, { zone_id })
    expect((await visit('http://app.example.com/api/open/x')).status).toBe(418)
    expect((await visit('http://app.example.com/elsewhere')).status).toBe(404)
  })

  it('can be answered by a fault', async () => {
    await sandbox.control('PUT', '/faults', {
      faults: [{ match: { service: 'workers' }, answer: { kind: 'respond', status: 503, body: 'down' } }],
    })
    expect(await visit('http://mirror.example.com/')).toMatchObject({ status: 503, text: 'down' })
    expect((await visit('http://mirror.example.com/')).status).toBe(418)
  })
})

describe('a new version of a Worker', () => {
  afterEach(() => sandbox.control('DELETE', '/journal'))

  it('is live immediately, unless it fails to start', async () => {
    await upload('version', 'export default { fetch: () => new Response("one") }')
    await attach('version.example.com', 'version')
    expect((await visit('http://version.example.com/')).text).toBe('one')
    await upload('version', 'export default { fetch: () => new Response("two") }')
    expect((await visit('http://version.example.com/')).text).toBe('two')
    const broken = upload('version', 'throw new Error("at the start")')
    await expect(broken).rejects.toMatchObject({
      status: 400,
      errors: [{ code: 10021, message: expect.stringContaining('Uncaught Error: at the start') }],
    })
    expect((await visit('http://version.example.com/')).text).toBe('two')
  })

  it('does not interrupt responses in progress', async () => {
    const slow =
      'export default { async fetch() { await scheduler.wait(400); return new Response("whole") } }'
    await upload('slow', slow)
    await attach('slow.example.com', 'slow')
    const answers = Array.from({ length: 3 }, () => visit('http://slow.example.com/'))
    await upload('version', 'export default { fetch: () => new Response("two") }')
    expect((await Promise.all(answers)).map(({ text }) => text)).toEqual(['whole', 'whole', 'whole'])
  })

  it('starts when a secret changes', async () => {
    await upload('keeper', 'export default { fetch: (_, env) => new Response(env.KEY ?? "none") }')
    await attach('keeper.example.com', 'keeper')
    expect((await visit('http://keeper.example.com/')).text).toBe('none')
    const { secrets } = client().workers.scripts
    await secrets.update('keeper', { ...account(), name: 'KEY', text: 'new', type: 'secret_text' })
    expect((await visit('http://keeper.example.com/')).text).toBe('new')
  })

  // The requests of the second `wrangler deploy`, version 4.86.0.
  it('is live once wrangler deploys it, and keeps the secrets of the script', async () => {
    const script = `/accounts/${sandbox.at.cloudflare.accountId}/workers/scripts/keeper`
    const metadata = { main_module: 'worker.js', bindings: [], compatibility_date: '2026-01-01' }
    async function postVersion(code: string) {
      const body = new FormData()
      body.set('metadata', JSON.stringify(metadata))
      body.set('worker.js', new File([code], 'worker.js', { type: 'application/javascript+module' }))
      const headers = { authorization: `Bearer ${sandbox.at.cloudflare.adminToken}` }
      const url = `${sandbox.at.cloudflare.apiUrl}${script}/versions?bindings_inherit=strict`
      const answer = await fetch(url, { method: 'POST', headers, body })
      return (await answer.json()) as Envelope<{ id: string; resources: { script: { etag: string } } }>
    }
    const deploy = (version_id: string) =>
      sandbox.api('POST', `${script}/deployments`, {
        body: { strategy: 'percentage', versions: [{ version_id, percentage: 100 }], annotations: {} },
      })
    const seen = async () => (await visit('http://keeper.example.com/')).text

    const { result } = await postVersion('export default { fetch: (_, env) => new Response("2 " + env.KEY) }')
    expect(result.resources.script.etag).toMatch(/^[0-9a-f]{64}$/)
    expect(await seen()).toBe('new')
    expect((await deploy(result.id)).body.result).toMatchObject({ versions: [{ version_id: result.id }] })
    const body = { observability: { enabled: false }, tags: [] }
    expect((await sandbox.api('PATCH', `${script}/script-settings`, { body })).body.result).toEqual(body)
    expect(await seen()).toBe('2 new')
    const settings = await sandbox.api('GET', `${script}/settings`)
    expect(settings.body.result).toMatchObject({ ...body, compatibility_date: '2026-01-01' })

    expect((await postVersion('throw 1')).errors).toMatchObject([{ code: 10021 }])
    expect(await deploy('none')).toMatchObject({ status: 404, body: { errors: [{ code: 10007 }] } })
  })

  it('is not lost when many change at once', async () => {
    const names = ['many-a', 'many-b']
    const keys = ['A', 'B']
    const code = 'export default { fetch: (_, env) => Response.json(Object.keys(env).sort()) }'
    await Promise.all([
      ...names.map(name => upload(name, code)),
      client().d1.database.create({ ...account(), name: 'many' }),
    ])
    const { secrets } = client().workers.scripts
    await Promise.all([
      ...keys.map(name => secrets.update('many-a', { ...account(), name, text: 'x', type: 'secret_text' })),
      ...names.map(name => attach(`${name}.example.com`, name)),
    ])
    const answers = await Promise.all(names.map(name => visit(`http://${name}.example.com/`)))
    expect(answers.map(({ text }) => JSON.parse(text))).toEqual([keys, []])
  })

  it('does not answer after it is deleted', async () => {
    await client().workers.scripts.delete('version', account())
    expect((await visit('http://version.example.com/')).status).toBe(404)
    expect(await sandbox.named('version.example.com')).toEqual([])
  })
})
