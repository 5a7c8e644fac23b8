import { describe, expect, it } from 'vitest'
import { readStackSettings } from '../../../infra/settings/stack-settings.ts'
import { readHosts } from '../../../push/hosts.ts'
import { readWorkflow, readWorkflowToken } from '../../../push/workflow.ts'
import { daysAgo, minimalConfig, sessionKeys } from '../../support/configuration.ts'
import {
  mintingApiToken,
  pushHash,
  pushHosts,
  recordOf,
  settingsOf,
  signInOf,
  withClock,
  withPush,
} from '../support/stacks.ts'

const zoneId = '0123456789abcdef0123456789abcdef'
const recordAlone = { signIn: 'none', zoneId, hostname: 'home.example.com', mintingApiToken }
const signInAlone = {
  record: 'false',
  signIn: 'host',
  publicOrigin: 'https://home.example.com',
  secretRotationA: daysAgo(10),
  secretRotationB: daysAgo(60),
  allowedDomains: 'example.com',
  sessionKeys,
}

const read = (given: Readonly<Record<string, string>>) =>
  readStackSettings(new Map(Object.entries(given)), Date.now(), [], {
    readHosts,
    readWorkflow,
    readWorkflowToken,
  })

function settingsIn(given: Readonly<Record<string, string>>) {
  const reading = read(given)
  if ('problems' in reading) throw new Error(reading.problems.join('\n'))
  return reading.value
}

function problemsIn(given: Readonly<Record<string, string>>): readonly string[] {
  const reading = read(given)
  return 'problems' in reading ? reading.problems : []
}

describe('the parts of a stack', () => {
  it('need only their own keys', () => {
    expect(settingsIn(recordAlone)).toMatchObject({ zoneId, accountId: null, signIn: null, unused: [] })
    expect(settingsIn(signInAlone)).toMatchObject({ zoneId: null, accountId: null, record: null, unused: [] })
  })

  it('need an account only for a Worker, or for a token that it owns', () => {
    expect(problemsIn({ ...recordAlone, tokenOwner: 'account' })).toEqual([
      'accountId is missing. Set it: pulumi config set --plaintext accountId …',
    ])
    expect(problemsIn({ ...signInAlone, signIn: 'worker', zoneId })).toEqual([
      'accountId is missing. Set it: pulumi config set --plaintext accountId …',
    ])
  })

  it.each([
    ['signIn', 'None', 'signIn must be worker, host or none. Set one of them.'],
    ['record', 'no', 'record is neither true nor false. Set it: pulumi config set --plaintext record …'],
  ])('are not guessed if %s is %s', (key, value, problem) => {
    expect(problemsIn({ ...signInAlone, [key]: value })).toEqual([problem])
  })

  it('are at least one', () => {
    expect(problemsIn({ record: 'false', signIn: 'none' })).toEqual([
      'record is false and signIn is none, so the stack would have nothing. Set one of them: pulumi config set --plaintext record true',
    ])
  })

  it('leave keys of other parts unread, and name them', () => {
    const { unused } = settingsIn({ ...minimalConfig, ...recordAlone, sessionKeys, appName: 'a\tb' })
    expect(unused).toEqual([
      'publicOrigin',
      'secretRotationA',
      'secretRotationB',
      'allowedDomains',
      'sessionKeys',
      'appName',
    ])
    expect(settingsIn({ ...signInAlone, hostname: 'not a name', databaseJurisdiction: 'eu' }).unused).toEqual(
      ['hostname', 'databaseJurisdiction'],
    )
  })

  it('refuse to adopt what they do not have', () => {
    expect(problemsIn({ ...signInAlone, importRecordId: 'a'.repeat(32) })).toEqual([
      expect.stringMatching(/^importRecordId adopts a record.*pulumi config rm importRecordId$/),
    ])
  })
})

describe('a sign-in on a host', () => {
  const both = { ...recordAlone, ...signInAlone, record: 'true' }

  it('may use the dynamic hostname, ports and several origins, each with its redirect URI', () => {
    const publicOrigin = 'https://home.example.com\nhttps://wiki.example.com, https://files.example.com:8443'
    const signIn = signInOf(settingsIn({ ...both, publicOrigin, basePath: '/_homeport' }))
    expect(signIn.worker).toBeNull()
    expect(signIn.redirectUris).toEqual([
      'https://home.example.com/_homeport/auth/callback',
      'https://wiki.example.com/_homeport/auth/callback',
      'https://files.example.com:8443/_homeport/auth/callback',
    ])
  })

  it.each([
    ['https://home.example.com https://home.example.com:8443', /has the host home\.example\.com twice/],
    [
      'https://home.example.com http://b.example.com',
      /has "http:\/\/b\.example\.com", which is not an https origin/,
    ],
    [
      Array.from({ length: 21 }, (_, at) => `https://h${at}.example.com`).join(','),
      /21 origins\. Set one to 20/,
    ],
    [',', /0 origins\. Set one to 20/],
  ])('refuses the origins %s', (publicOrigin, message) => {
    expect(problemsIn({ ...both, publicOrigin })).toEqual([expect.stringMatching(message)])
  })
})

describe('a push endpoint', () => {
  const accountId = 'fedcba9876543210fedcba9876543210'
  const pushed = { ...recordAlone, ...withPush.config, accountId, pushHosts }
  const signIn = { ...signInAlone, record: 'true' }

  it('has a host of its own', () => {
    expect(settingsIn(pushed)).toMatchObject({
      unused: [],
      push: {
        accountId,
        zoneId,
        origin: 'https://push.example.com',
        host: 'push.example.com',
      },
      clock: null,
    })
    expect(JSON.stringify(settingsIn(pushed))).not.toContain(pushHash)
    expect(settingsIn({ ...pushed, push: 'none' })).toMatchObject({
      push: null,
      unused: ['pushOrigin', 'pushHosts'],
    })
  })

  it('can be a clock, with a workflow and a token', () => {
    const { clock } = withClock.config
    const given = { ...pushed, ...withClock.config, ...withClock.secrets }
    expect(settingsIn(given)).toMatchObject({ unused: [], clock })
    expect(JSON.stringify(settingsIn(given))).not.toContain(withClock.secrets.clockToken)
    expect(settingsOf({ ...withPush.config, clock })).toMatchObject({ clock })
    expect(problemsIn({ ...pushed, clock })).toEqual([
      'clockToken is missing. Set it: pulumi config set --secret clockToken',
    ])
    expect(problemsIn({ ...pushed, ...withClock.secrets })).toEqual([
      expect.stringMatching(/^clock is missing/),
    ])
    expect(
      problemsIn({ ...given, clock: 'dns.yml', clockToken: `"${withClock.secrets.clockToken}"` }),
    ).toEqual([
      expect.stringMatching(/^clock is "dns\.yml"\. Use owner\/repository\/file\.yml/),
      'clockToken is not a token of GitHub. Paste it again, on one line and without quotes.',
    ])
    expect(settingsIn({ ...given, push: 'none' })).toMatchObject({
      unused: ['pushOrigin', 'pushHosts'],
      push: null,
      clock,
    })
    const alone = { ...recordAlone, ...withClock.config, ...withClock.secrets }
    expect(problemsIn(alone)).toEqual([expect.stringMatching(/^accountId is missing/)])
    expect(settingsIn({ ...alone, accountId })).toMatchObject({ unused: [], accountId, push: null, clock })
  })

  it('needs records, an account and its own keys', () => {
    const { accountId: _, ...withoutAccount } = pushed
    expect(problemsIn(withoutAccount)).toEqual([expect.stringMatching(/^accountId is missing/)])
    expect(problemsIn({ ...signInAlone, ...withPush.config, pushHosts, accountId })).toEqual([
      expect.stringMatching(/^push is worker, but record is false.*pulumi config set --plaintext push none$/),
    ])
    expect(problemsIn({ ...recordAlone, accountId, push: 'worker' })).toEqual([
      'pushOrigin is missing. Set it: pulumi config set --plaintext pushOrigin …',
      'pushHosts is missing. Create it: npm run push -- add HOSTNAME --hosts FILE, then pulumi config set --secret pushHosts < FILE',
    ])
    expect(problemsIn({ ...pushed, push: 'host' })).toEqual([
      expect.stringMatching(/^push must be none or worker/),
    ])
  })

  it.each([
    [
      'https://home.example.com',
      /^pushOrigin has the host home\.example\.com, which is a hostname of the records/,
    ],
    [
      'https://people.example.com',
      /^pushOrigin has the host people\.example\.com, which is that of publicOrigin/,
    ],
    ['http://push.example.com', /^pushOrigin is not an https origin.*https:\/\/push\.example\.com/],
    ['https://push.example.com:8443', /^pushOrigin has a port/],
    ['https://push.example.com/nic', /^pushOrigin is not an origin as browsers spell it/],
  ])('refuses the origin %s', (pushOrigin, message) => {
    const both = { ...signIn, ...pushed, signIn: 'worker', publicOrigin: 'https://people.example.com' }
    expect(problemsIn({ ...both, pushOrigin })).toEqual([expect.stringMatching(message)])
  })

  it.each([
    [
      `other.example.com A sha256:${pushHash}`,
      /has other\.example\.com A, but the stack declares home\.example\.com A\./,
    ],
    [
      `home.example.com A,AAAA sha256:${pushHash}`,
      /has home\.example\.com AAAA, but the stack declares home\.example\.com A\./,
    ],
    [`home.example.com A ${pushHash}`, /line 1 has no valid hash for home\.example\.com/],
    [`${pushHosts}secret-password`, /line 2 is not a name, types and hashes/],
  ])('refuses hosts that its stack does not declare, or that are wrong (%#)', (hosts, message) => {
    const problems = problemsIn({ ...pushed, pushHosts: hosts })
    expect(problems).toEqual([expect.stringMatching(/^pushHosts /)])
    expect(problems.join()).toMatch(message)
    expect(problems.join()).not.toContain(pushHash)
  })

  it('has as many hosts as the text of a secret takes', () => {
    const names = Array.from({ length: 60 }, (_, at) => `host${at}.example.com`)
    const hosts = names.map(name => `${name} A sha256:${pushHash}`).join('\n')
    expect(problemsIn({ ...pushed, hostname: names.join(','), pushHosts: hosts })).toEqual([
      expect.stringMatching(/^pushHosts has \d{4} bytes, and a secret can have 5120/),
    ])
    expect(
      problemsIn({
        ...pushed,
        hostname: names.join(','),
        pushHosts: hosts.slice(0, 3000).split('\n').slice(0, -1).join('\n'),
      }),
    ).toEqual([])
  })
})

describe('several records', () => {
  it('come from every hostname and type, in the given order', () => {
    const hostname = '["home.example.com","wiki.example.com"]'
    const { plans } = recordOf(settingsIn({ ...recordAlone, hostname, recordType: 'A, AAAA' }))
    expect(plans).toEqual([
      { name: 'home.example.com', type: 'A', importId: null },
      { name: 'home.example.com', type: 'AAAA', importId: null },
      { name: 'wiki.example.com', type: 'A', importId: null },
      { name: 'wiki.example.com', type: 'AAAA', importId: null },
    ])
    const turned = recordOf(settingsIn({ ...recordAlone, hostname, recordType: 'AAAA,A' })).plans
    expect(turned.map(({ type }) => type)).toEqual(['AAAA', 'A', 'AAAA', 'A'])
  })

  it.each(['A,A', 'AAAA,A,AAAA', 'A,', 'a', 'A,MX', 'A AAAA'])('refuse the types %s', recordType => {
    expect(problemsIn({ ...recordAlone, recordType })).toEqual([
      'recordType is not A, AAAA or both. Set A, AAAA or A,AAAA.',
    ])
  })

  it('are adopted one by one', () => {
    const [one, other] = ['a'.repeat(32), 'b'.repeat(32)]
    const several = { ...recordAlone, recordType: 'A,AAAA' }
    const importRecordId = `home.example.com AAAA ${other}\r\nhome.example.com  A ${one}\n`
    const { plans } = recordOf(settingsIn({ ...several, importRecordId }))
    expect(plans.map(({ importId }) => importId)).toEqual([one, other])
    expect(problemsIn({ ...several, importRecordId: one })).toEqual([
      `importRecordId does not say which of 2 records it is. Use a line for each, such as home.example.com A ${one}.`,
    ])
  })
})
