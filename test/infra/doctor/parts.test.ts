import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkCloudflare } from '../../../infra/doctor/bootstrap/cloudflare.ts'
import { checkHandOverAlone } from '../../../infra/doctor/bootstrap/hand-over.ts'
import { checkHosts, checkPushHost } from '../../../infra/doctor/bootstrap/hosts.ts'
import { checkPushHosts, type Local } from '../../../infra/doctor/bootstrap/local.ts'
import { partsIn } from '../../../infra/doctor/bootstrap/parts.ts'
import { connectCloudflare } from '../../../infra/doctor/clients/cloudflare.ts'
import { servingDifferences } from '../../../infra/doctor/drift/worker.ts'
import type { StepFinding } from '../../../infra/doctor/finding.ts'
import { jurisdictionDifferences } from '../../../infra/doctor/jurisdiction.ts'
import type { Parts } from '../../../infra/settings/readers.ts'
import type { StackSettings } from '../../../infra/settings/stack-settings.ts'
import { pushNames, types } from '../../../infra/stack-facts.ts'
import { parseState } from '../../../infra/stack-state.ts'
import { startSandbox } from '../../../sandbox/sandbox.ts'
import { askCloudflare } from '../../support/services.ts'
import { exported, noState, resourcesWith } from '../support/exported.ts'
import { pushHash, pushHosts, settingsOf, withPush } from '../support/stacks.ts'

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
    expect(texts).toContain('ok The deploy token has DNS Write.')
    expect(texts).toContain('note CLOUDFLARE_READING_TOKEN is not set, so the reading token was not checked.')
    expect(texts).toContainEqual(
      expect.stringMatching(/^error home\.example\.com has an A record that no stack knows/),
    )
    expect(texts).toContain('ok home.example.com has no AAAA record. The stack creates it.')
    expect(texts.join()).not.toMatch(/Workers|ACCOUNT_ID|HOMEPORT_ORIGIN/)
    const without = textsOf(
      await checkCloudflare(localWith(alone), { ...env, CLOUDFLARE_API_TOKEN: '' }),
    ).join()
    expect(without).toContain(
      'permissionGroupKeys=%5B%7B%22key%22%3A%22dns%22%2C%22type%22%3A%22edit%22%7D%5D&',
    )
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
      'error home.example.org is not in the zone example.com, and a stack has one zone.',
    )
  })

  it('needs no GitHub, and looks at the environment if there is one', async () => {
    expect(textsOf((await checkHandOverAlone(localWith(alone), {})).findings)).toEqual([
      expect.stringMatching(/^note GITHUB_REPOSITORY is not set/),
    ])
    const { github } = sandbox.description
    const { findings } = await checkHandOverAlone(localWith(alone), {
      GITHUB_API_URL: github.baseUrl,
      GITHUB_REPOSITORY: `${github.owner}/${github.repository}`,
      GITHUB_TOKEN: github.token,
    })
    expect(textsOf(findings)).toEqual(['error There is no environment dns.'])
  })

  it('takes the parts from the stack, or else from the environment', () => {
    expect(partsIn(null, {})).toEqual({ record: true, signIn: 'worker', push: 'none' })
    expect(partsIn(settingsOf({ signIn: 'host' }), { HOMEPORT_SIGN_IN: 'none' }).signIn).toBe('host')
    expect(partsIn(null, { HOMEPORT_SIGN_IN: 'none' })).toEqual(alone)
    for (const wrong of [
      { HOMEPORT_SIGN_IN: 'yes' },
      { HOMEPORT_RECORD: '0' },
      { HOMEPORT_RECORD: 'false', HOMEPORT_SIGN_IN: 'none' },
      { HOMEPORT_PUSH: 'host' },
      { HOMEPORT_RECORD: 'false', HOMEPORT_PUSH: 'worker' },
    ]) {
      expect(() => partsIn(null, wrong)).toThrow(/HOMEPORT_/)
    }
  })
})

describe('the hosts of a sign-in at home', () => {
  const onHost: Parts = { record: true, signIn: 'host', push: 'none' }
  const hosts = ['home', 'wiki', 'elsewhere', 'missing'].map(name => `https://${name}.example.com`)

  it('are resolved, and compared with the kept hostname', async () => {
    const findings = await checkHosts(localWith(onHost), { ...env, HOMEPORT_ORIGIN: hosts.join(',') })
    expect(textsOf(findings)).toEqual([
      'ok home.example.com resolves.',
      'ok wiki.example.com leads to the same address as home.example.com.',
      'error elsewhere.example.com leads to another address than home.example.com.',
      'error missing.example.com does not resolve.',
    ])
    expect(findings[3]?.fix).toContain(
      'CNAME record for missing.example.com with the target home.example.com',
    )
  })

  it('may be missing before the stack creates the record', async () => {
    const settings = settingsOf({
      signIn: 'host',
      hostname: 'new.example.com',
      publicOrigin: 'https://new.example.com',
    })
    expect(textsOf(await checkHosts(localWith(onHost, settings), env))).toEqual([
      'note new.example.com does not resolve. The stack creates its record.',
    ])
  })

  it.each(['http://home.example.com', 'home.example.com', 'https://home.example.com/x', 'https://'])(
    'are refused as the stack will refuse them: %s',
    async origin => {
      const HOMEPORT_ORIGIN = `https://wiki.example.com,${origin}`
      expect(textsOf(await checkHosts(localWith(onHost), { ...env, HOMEPORT_ORIGIN }))).toEqual([
        expect.stringMatching(/^error HOMEPORT_ORIGIN has "h\S+", which is not an .*origin/),
      ])
    },
  )

  it('are asked for, and a name server must be an address', async () => {
    expect(textsOf(await checkHosts(localWith(onHost), env))).toEqual(['error HOMEPORT_ORIGIN is not set.'])
    const wrong = { ...env, HOMEPORT_ORIGIN: 'https://home.example.com', HOMEPORT_NAME_SERVERS: 'here' }
    await expect(checkHosts(localWith(onHost), wrong)).rejects.toThrow(/HOMEPORT_NAME_SERVERS has something/)
  })
})

describe('the check of a push endpoint', () => {
  const pushed: Parts = { record: true, signIn: 'none', push: 'worker' }

  it('asks for the permissions of a Worker, but not of a database, and for a host where nothing is', async () => {
    const { accountId } = sandbox.description.cloudflare
    const about = async (origin?: string) =>
      textsOf(
        await checkCloudflare(localWith(pushed), {
          ...env,
          CLOUDFLARE_ACCOUNT_ID: accountId,
          ...(origin === undefined ? {} : { HOMEPORT_PUSH_ORIGIN: origin }),
        }),
      )
    const texts = await about()
    expect(texts).toContain('ok The deploy token has DNS Write, Workers Routes Write, Workers Scripts Write.')
    expect(texts).toContain('error HOMEPORT_PUSH_ORIGIN is not set.')
    expect(texts.join()).not.toMatch(/D1|HOMEPORT_ORIGIN/)
    expect(await about('https://push.example.com')).toContain('ok Nothing is at push.example.com yet.')
    expect(await about('https://wiki.example.com')).toContain(
      'error wiki.example.com has a record, so the endpoint cannot be served there.',
    )
    const withoutAccount = await checkCloudflare(localWith(pushed), env)
    expect(textsOf(withoutAccount).join()).toContain('CLOUDFLARE_ACCOUNT_ID is not set to 32 hex digits')
  })

  it('resolves its host once the domain exists', async () => {
    const state = parseState(exported([{ type: types.domain, name: pushNames.domain, id: 'd' }]))
    const about = async (host: string, at = state) => {
      const settings = settingsOf({ ...withPush.config, pushOrigin: `https://${host}` })
      return textsOf(await checkPushHost(localWith(pushed, settings, at), env))
    }
    expect(await about('wiki.example.com')).toEqual(['ok wiki.example.com resolves.'])
    expect(await about('missing.example.com')).toEqual([
      'error missing.example.com does not resolve. A new custom domain takes minutes.',
    ])
    expect(await about('missing.example.com', noState)).toEqual([])
  })

  it('compares its hosts with the records, and prints no hash', () => {
    const settings = settingsOf(withPush.config)
    const about = (text: string) => textsOf(checkPushHosts(new Map([['pushHosts', text]]), settings))
    expect(about(pushHosts)).toEqual(['ok The hosts of the push endpoint are set.'])
    expect(about(`home.example.com AAAA sha256:${pushHash}`)).toEqual([
      expect.stringMatching(/^error homeport:pushHosts has home\.example\.com AAAA, but the stack declares/),
    ])
    expect(about(`home.example.com A ${pushHash}`).join()).not.toContain(pushHash)
    expect(checkPushHosts(new Map(), settings)[0]?.fix).toContain('pulumi config set --secret pushHosts')
    expect(checkPushHosts(new Map(), settingsOf())).toEqual([])
  })
})

describe('the jurisdiction of a database', () => {
  it('is chosen before the first run, and later only compared', async () => {
    const { cloudflare } = sandbox.description
    const path = `/accounts/${cloudflare.accountId}/d1/database`
    const body = { name: 'homeport-prod', jurisdiction: 'eu' }
    const { uuid } = await askCloudflare<{ uuid: string }>(cloudflare, 'POST', path, body)
    const state = parseState(exported(resourcesWith({ databaseId: uuid })))
    const parts: Parts = { record: true, signIn: 'worker', push: 'none' }
    const ids = { accountId: cloudflare.accountId, zoneId: cloudflare.zoneId }
    const about = async (declared: object, at = state) =>
      textsOf(await checkCloudflare(localWith(parts, settingsOf({ ...ids, ...declared }), at), env)).filter(
        text => /jurisdiction/i.test(text),
      )
    expect(await about({}, noState)).toEqual([expect.stringMatching(/^note databaseJurisdiction is not set/)])
    expect(await about({ databaseJurisdiction: 'eu' })).toEqual([])
    expect(await about({ databaseJurisdiction: 'us' })).toEqual([
      `error The database "${uuid}" has the jurisdiction "eu", but databaseJurisdiction is us. Only a new database can get one.`,
    ])
    expect(await about({})).toHaveLength(1)

    const read = connectCloudflare(cloudflare.apiUrl, cloudflare.adminToken)
    const declared = parseState(
      exported(resourcesWith({ databaseId: uuid }, { accountId: cloudflare.accountId })),
    )
    expect(await servingDifferences(declared, 'eu', read)).toEqual([])
    expect(await servingDifferences(declared, null, read)).toMatchObject([
      { level: 'error', fix: expect.stringContaining('databaseJurisdiction eu. To move') },
    ])
  })

  it('in a fix has no text of the service but a word', () => {
    const [finding] = jurisdictionDifferences('id', '$(reboot)', null)
    expect(finding?.fix).toContain('databaseJurisdiction …')
    expect(jurisdictionDifferences('id', null, 'eu')[0]?.fix).toContain(
      'pulumi config rm databaseJurisdiction',
    )
  })
})
