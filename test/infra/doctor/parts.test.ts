import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkCloudflare } from '../../../infra/doctor/bootstrap/cloudflare.ts'
import type { Local } from '../../../infra/doctor/bootstrap/stack.ts'
import type { StepFinding } from '../../../infra/doctor/finding.ts'
import type { Parts } from '../../../infra/settings/readers.ts'
import type { StackSettings } from '../../../infra/settings/stack-settings.ts'
import { startSandbox } from '../../../sandbox/sandbox.ts'
import { askCloudflare } from '../../support/services.ts'
import { noState } from '../support/exported.ts'

const hostname = 'home.example.com'
const start = () => startSandbox({ github: true })
let sandbox: Awaited<ReturnType<typeof start>>
let env: NodeJS.ProcessEnv
beforeAll(async () => {
  sandbox = await start()
  const { cloudflare, nameServer } = sandbox.description
  const records = `/zones/${cloudflare.zoneId}/dns_records`
  for (const [name, type, content] of [
    ['wiki', 'CNAME', hostname],
    ['elsewhere', 'A', '203.0.113.99'],
  ] as const) {
    await askCloudflare(cloudflare, 'POST', records, { name: `${name}.example.com`, type, content, ttl: 120 })
  }
  env = {
    CLOUDFLARE_BASE_URL: cloudflare.apiUrl,
    CLOUDFLARE_ZONE_ID: cloudflare.zoneId,
    CLOUDFLARE_API_TOKEN: cloudflare.adminToken,
    HOMEPORT_HOSTNAME: hostname,
    HOMEPORT_NAME_SERVERS: `${nameServer.host}:${nameServer.port}`,
  }
})
afterAll(() => sandbox.close())

const textsOf = (findings: readonly StepFinding[]) => findings.map(({ level, text }) => `${level} ${text}`)

function localWith(parts: Parts, settings: StackSettings | null = null, state = noState): Local {
  const { apiUrl, adminToken } = sandbox.description.cloudflare
  const stack = {
    name: 'prod',
    serviceName: 'homeport-prod',
    tokenNames: [],
    push: { serviceName: 'homeport-prod-push', tokenNames: [] },
    cloudflareBaseUrl: null,
    problems: [],
    apiUrl,
    state,
    settings,
  }
  return { findings: [], parts, stack: settings && stack, mintingToken: adminToken }
}

describe('the check of a record alone', () => {
  const alone: Parts = { record: true, signIn: 'none', push: 'none' }

  it('asks for no account, Worker or reading token, and looks at each record', async () => {
    const findings = await checkCloudflare(localWith(alone), { ...env, HOMEPORT_RECORD_TYPE: 'A,AAAA' })
    const texts = textsOf(findings)
    expect(texts).toContain('note CLOUDFLARE_READING_TOKEN is not set, so the reading token was not checked.')
    expect(texts).toContainEqual(
      expect.stringMatching(/^error home\.example\.com has an A record that no stack knows/),
    )
    expect(texts).toContain('ok home.example.com has no AAAA record. The stack creates it.')
    expect(texts.join()).not.toMatch(/lacks|ACCOUNT_ID/)
    expect(findings.find(({ fix }) => fix?.includes('importRecordId'))?.fix).toMatch(
      /importRecordId 'home\.example\.com A [0-9a-f]{32}'$/,
    )
  })

  it('names what is wrong with the hostnames and types that the stack will have', async () => {
    const textsWith = async (change: NodeJS.ProcessEnv) =>
      textsOf(await checkCloudflare(localWith(alone), { ...env, ...change })).join('\n')
    expect(await textsWith({ HOMEPORT_HOSTNAME: '' })).toContain('error HOMEPORT_HOSTNAME is not set.')
    const wrong = await textsWith({ HOMEPORT_HOSTNAME: 'Home.example.com', HOMEPORT_RECORD_TYPE: 'MX' })
    expect(wrong).toMatch(/^error HOMEPORT_HOSTNAME is not a full hostname/m)
    expect(wrong).toMatch(/^error HOMEPORT_RECORD_TYPE is not A, AAAA or both/m)
    expect(wrong).not.toContain('HOMEPORT_HOSTNAME is not set')
    expect(await textsWith({ HOMEPORT_HOSTNAME: `${hostname},home.example.org` })).toContain(
      'error home.example.org is not in the zone "example.com", and a stack has one zone.',
    )
  })
})

describe('the check of a push endpoint', () => {
  const pushed: Parts = { record: true, signIn: 'none', push: 'worker' }

  it('asks for the permissions of a Worker, but not of a database', async () => {
    const { accountId } = sandbox.description.cloudflare
    const texts = textsOf(
      await checkCloudflare(localWith(pushed), { ...env, CLOUDFLARE_ACCOUNT_ID: accountId }),
    )
    expect(texts).toContain('ok The deploy token may read DNS, Workers Routes, Workers Scripts.')
    const withoutAccount = await checkCloudflare(localWith(pushed), env)
    expect(textsOf(withoutAccount).join()).toContain('CLOUDFLARE_ACCOUNT_ID is not set to 32 hex digits')
  })
})
