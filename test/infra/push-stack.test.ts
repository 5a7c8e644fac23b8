import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { judge } from '../../infra/policy/rules.ts'
import { pushBindings } from '../../infra/resources/push-bindings.ts'
import { compatibilityDate } from '../../infra/resources/worker-script.ts'
import { parseState } from '../../infra/stack-state.ts'
import { hashPassword } from '../../push/passwords.ts'
import { EmbeddedStack, type StackRun } from '../../sandbox/pulumi/engine/stack.ts'
import { resourceProvider } from '../../sandbox/pulumi/resource-provider.ts'
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts'
import { declaredIn } from '../support/declared.ts'
import { ping } from '../support/ping.ts'
import { askCloudflare, workerUpload } from '../support/services.ts'
import { compareStack } from './support/doctor.ts'
import { readText } from './support/golden.ts'
import { settingsOf } from './support/stacks.ts'

/** A stack with a record and the push endpoint, deployed to the sandbox by the embedded engine. The Worker runs there. */

const program = fileURLToPath(new URL('../../infra/index.ts', import.meta.url))
const hostname = 'office.example.com'
const host = 'push.example.com'
const service = 'homeport-dev-push'
const password = 'abcdefghijklmnopqrstuvwx23'

let sandbox: Sandbox
let stack: EmbeddedStack
let config: Record<string, string>

const at = () => sandbox.description.cloudflare
const api = <Result>(method: string, path: string, body?: unknown) =>
  askCloudflare<Result>(at(), method, path, body)
async function up(): Promise<StackRun> {
  const run = await stack.up()
  expect(run.succeeded, JSON.stringify(run.log)).toBe(true)
  expect(judge(declaredIn(run.graph))).toEqual([])
  return run
}

const tokens = async () =>
  (await api<{ id: string; name: string }[]>('GET', `/accounts/${at().accountId}/tokens`)).filter(
    ({ name }) => name.startsWith('homeport-dev'),
  )

/** Compares what the emulator has with the state, as `npm run drift` does. Returns the texts. */
async function drift(): Promise<readonly string[]> {
  const state = parseState(JSON.stringify(stack.export()))
  const env = { CLOUDFLARE_API_TOKEN: at().adminToken }
  return compareStack('dev', settingsOf(config), state, at().apiUrl, env)
}

beforeAll(async () => {
  sandbox = await startSandbox()
  const { accountId, zoneId, apiUrl, adminToken } = at()
  config = {
    zoneId,
    accountId,
    tokenOwner: 'account',
    signIn: 'none',
    hostname,
    push: 'worker',
    pushOrigin: `https://${host}`,
  }
  stack = new EmbeddedStack({
    program,
    name: 'dev',
    config: {
      'cloudflare:baseUrl': apiUrl,
      ...Object.fromEntries(Object.entries(config).map(([key, value]) => [`homeport:${key}`, value])),
    },
    secrets: {
      'homeport:mintingApiToken': adminToken,
      'homeport:pushHosts': `${hostname} A sha256:${await hashPassword(password)}`,
    },
    provider: resourceProvider({ cloudflare: { baseUrl: apiUrl, apiToken: adminToken } }),
    environment: { CLOUDFLARE_API_TOKEN: adminToken },
  })
  await up()
}, 60_000)
afterAll(() => sandbox.close())

describe('a stack with a push endpoint', { timeout: 60_000 }, () => {
  it('has no drift, and reports what somebody changed at the endpoint', async () => {
    expect(await drift()).toEqual([])
    const { accountId, zoneId } = at()
    const scripts = `/accounts/${accountId}/workers/scripts`
    // An upload of somebody else, with another limit and the token to be seen.
    await api('PUT', `${scripts}/other`, workerUpload('other', { bindings: [] }))
    await api(
      'PUT',
      `${scripts}/${service}`,
      workerUpload('here', {
        compatibility_date: compatibilityDate,
        bindings: [
          { name: 'API_TOKEN', type: 'plain_text', text: 'seen' },
          { name: 'BASE_URL', type: 'plain_text', text: 'https://elsewhere.example.com' },
          {
            name: 'WRONG_PASSWORDS',
            type: 'ratelimit',
            namespace_id: '7301',
            simple: { limit: 3000, period: 60 },
          },
          { name: 'ZONE_ID', type: 'plain_text', text: zoneId },
        ],
      }),
    )
    await api('POST', `/zones/${zoneId}/workers/routes`, { pattern: `${host}/nic/*`, script: 'other' })
    const own = (await tokens()).find(({ name }) => name === service)
    await api('PUT', `/accounts/${accountId}/tokens/${own?.id}`, { ...own, status: 'disabled' })
    const found = (await drift()).join('\n')
    for (const said of [
      /The Worker homeport-dev-push binds API_TOKEN as "plain_text" instead of secret_text\..*Then replace the secret/,
      /has BASE_URL = "https:\/\/elsewhere\.example\.com" instead of "http:\/\/127\.0\.0\.1:\d+"/,
      /has no binding HOSTS \(secret_text\)/,
      /has WRONG_PASSWORDS = "3000 in 60 s" instead of "30 in 60 s"/,
      /route "push\.example\.com\/nic\/\*".*to the Worker "other" instead of homeport-dev-push\. What gets them sees passwords of routers/,
      /The push endpoint's token "[0-9a-f]+" has status = "disabled" instead of "active"/,
    ])
      expect(found).toMatch(said)
    expect(found).not.toContain('The DNS token')
    expect(found).not.toContain('seen"')
  })

  it('reports what is gone, and the next up creates it again', async () => {
    const { accountId, zoneId } = at()
    for (const { id } of await api<{ id: string }[]>('GET', `/zones/${zoneId}/workers/routes`))
      await api('DELETE', `/zones/${zoneId}/workers/routes/${id}`)
    const [domain] = await api<{ id: string }[]>('GET', `/accounts/${accountId}/workers/domains`)
    await api('DELETE', `/accounts/${accountId}/workers/domains/${domain?.id}`)
    await api('DELETE', `/accounts/${accountId}/workers/scripts/${service}`)
    const own = (await tokens()).find(({ name }) => name === service)
    await api('DELETE', `/accounts/${accountId}/tokens/${own?.id}`)
    // A token of that name that the state does not know.
    await api('POST', `/accounts/${accountId}/tokens`, {
      name: service,
      policies: [
        {
          effect: 'allow',
          permission_groups: [{ id: '4755a26eedb94da69e1066d98aa820be' }],
          resources: { [`com.cloudflare.api.account.zone.${zoneId}`]: '*' },
        },
      ],
    })
    const found = await drift()
    expect(found).toEqual([
      expect.stringMatching(
        /^The push endpoint's token .* does not exist\. Run pulumi up, which creates another one and binds it/,
      ),
      expect.stringMatching(/^The Worker homeport-dev-push is in the state, but does not exist/),
      expect.stringMatching(/^The custom domain push\.example\.com is in the state, but does not exist/),
      expect.stringMatching(
        /^There is a token .* with the name homeport-dev-push.* It can be the one in use.*which creates another one\. Then run npm run drift again\.$/,
      ),
    ])
    const { steps } = await up()
    const planned = steps.map(({ operation, name }) => `${operation} ${name}`)
    expect(planned.toSorted()).toEqual(['domain', 'token', 'worker'].map(name => `create push-${name}`))
    const query = `hostname=${hostname}&myip=8.8.4.4`
    expect(await ping(sandbox.description, host, password, query)).toBe('200 good 8.8.4.4\n')
    expect(await drift()).toEqual([
      expect.stringMatching(/homeport-dev-push.* Make sure that no run is under way, then delete it/),
    ])
  })
})

describe('what the stack binds to the endpoint', () => {
  it('is what docs/push/wrangler.toml has', () => {
    const template = readText('docs/push/wrangler.toml')
    const limit = pushBindings('', null, { apiToken: '', hosts: '', clock: null }).find(
      ({ type }) => type === 'ratelimit',
    )
    if (limit?.type !== 'ratelimit') throw new Error('There is no limit.')
    expect(template).toContain(`name = "${limit.name}"\nnamespace_id = "${limit.namespaceId}"`)
    expect(template).toContain(`simple = { limit = ${limit.simple.limit}, period = ${limit.simple.period} }`)
    expect(template).toContain(`compatibility_date = "${compatibilityDate}"`)
  })
})
