import { describe, expect, it } from 'vitest'
import { daysAgo, sessionKeys } from '../../support/configuration.ts'
import {
  mintingApiToken,
  problemsIn,
  pushHash,
  pushHosts,
  settingsIn,
  settingsOf,
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

describe('the parts of a stack', () => {
  it('need only their own keys', () => {
    expect(settingsIn(recordAlone)).toMatchObject({ zoneId, accountId: '', signIn: null, unused: [] })
    expect(settingsIn(signInAlone)).toMatchObject({ zoneId: '', accountId: '', record: null, unused: [] })
  })

  it('need an account only for a Worker, or for a token that it owns', () => {
    expect(problemsIn({ ...recordAlone, tokenOwner: 'account' })).toEqual([
      'accountId is missing. Set it: pulumi config set --plaintext accountId …',
    ])
    expect(problemsIn({ ...signInAlone, signIn: 'worker', zoneId })).toEqual([
      'accountId is missing. Set it: pulumi config set --plaintext accountId …',
    ])
  })

  it('name the key that is missing, where another one needs it', () => {
    expect(problemsIn({ ...signInAlone, sessionRecheck: '1h' })).toEqual([
      expect.stringMatching(
        /^sessionRecheck needs AUTO_SIGN_IN=true.*pulumi config set --plaintext autoSignIn …$/,
      ),
    ])
  })

  it('are at least one', () => {
    expect(problemsIn({ record: 'false', signIn: 'none' })).toEqual([
      'record is false and signIn is none, so the stack would have nothing. Set one of them: pulumi config set --plaintext record true',
    ])
  })

  it('leave keys of other parts unread, and name them', () => {
    const unusedIn = (given: Readonly<Record<string, string>>) => settingsIn(given).unused
    expect(unusedIn({ ...recordAlone, publicOrigin: 'x', sessionKeys, appName: 'a\tb' })).toEqual([
      'publicOrigin',
      'sessionKeys',
      'appName',
    ])
    expect(unusedIn({ ...signInAlone, hostname: 'not a name', databaseJurisdiction: 'eu' })).toEqual([
      'hostname',
      'databaseJurisdiction',
    ])
  })

  it('refuse to adopt what they do not have', () => {
    expect(problemsIn({ ...signInAlone, importRecordId: 'a'.repeat(32) })).toEqual([
      expect.stringMatching(/^importRecordId adopts a record.*pulumi config rm importRecordId$/),
    ])
  })
})

it.each([
  ['https://home.example.com https://home.example.com:8443', /lists home\.example\.com twice/],
  ['https://home.example.com http://b.example.com', /has "http:\/\/b\.example\.com", which is not an https/],
  [
    Array.from({ length: 21 }, (_, at) => `https://h${at}.example.com`).join(','),
    /21 entries\. The limit is 20/,
  ],
  [',', /is an empty list/],
])('a sign-in on a host refuses the origins %s', (publicOrigin, message) => {
  const both = { ...recordAlone, ...signInAlone, record: 'true' }
  expect(problemsIn({ ...both, publicOrigin })).toEqual([expect.stringMatching(message)])
})

describe('a push endpoint', () => {
  const accountId = 'fedcba9876543210fedcba9876543210'
  const pushed = { ...recordAlone, ...withPush.config, accountId, pushHosts }
  const signIn = { ...signInAlone, record: 'true' }

  it('is not there by default, whatever its keys are', () => {
    const { push, unused } = settingsIn({ ...pushed, push: null })
    expect({ push, unused }).toEqual({ push: null, unused: ['pushOrigin', 'pushHosts'] })
  })

  it('can be a clock, with a workflow and a token, or be left out beside it', () => {
    const clock = { ...withClock.config, ...withClock.secrets }
    expect(settingsIn({ ...pushed, ...clock })).toMatchObject({ unused: [], clock: clock.clock })
    // As drift reads it, without the secrets.
    expect(settingsOf({ ...withPush.config, clock: clock.clock })).toMatchObject({ clock: clock.clock })
    expect(problemsIn({ ...pushed, ...clock, clock: null })).toEqual([
      expect.stringMatching(/^clockToken is set, but clock is not\. .*--plaintext clock/),
    ])
    expect(problemsIn({ ...pushed, ...clock, clockToken: null })).toEqual([
      expect.stringMatching(/^clockToken is missing\. Create/),
    ])
    expect(problemsIn({ ...pushed, clock: 'dns.yml', clockToken: `"${clock.clockToken}"` })).toEqual([
      expect.stringMatching(/^clock is "dns\.yml"\. Use owner\/repository\/file\.yml/),
      expect.stringMatching(/^clockToken is not a token of GitHub/),
    ])
    const alone = { ...recordAlone, ...clock }
    expect(problemsIn(alone)).toEqual([expect.stringMatching(/^accountId is missing/)])
    expect(settingsIn({ ...alone, accountId })).toMatchObject({ unused: [], push: null, clock: clock.clock })
  })

  it('needs records, an account and its own keys', () => {
    expect(problemsIn({ ...pushed, accountId: null })).toEqual([
      expect.stringMatching(/^accountId is missing/),
    ])
    expect(problemsIn({ ...signInAlone, ...withPush.config, pushHosts, accountId })).toEqual([
      expect.stringMatching(/^push is worker, but record is false.*pulumi config set --plaintext push none$/),
    ])
    expect(problemsIn({ ...recordAlone, accountId, push: 'worker' })).toEqual([
      'pushOrigin is missing. Set it: pulumi config set --plaintext pushOrigin …',
      'pushHosts is missing. Create it: npm run push -- add HOSTNAME --hosts FILE, then pulumi config set --secret pushHosts < FILE',
    ])
    expect(problemsIn({ ...pushed, push: 'host' })).toEqual([
      expect.stringMatching(/^push is "host"\. Use none or worker/),
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
    ['https://push.example.com:8443', /^pushOrigin has a port/],
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
    [`home.example.com A=::7/64 sha256:${pushHash}`, /line 1 has a host part for the A record of home/],
    [`${pushHosts}secret-password`, /line 2 is not a name, types and hashes/],
  ])('refuses hosts that its stack does not declare, or that are wrong (%#)', (hosts, message) => {
    const problems = problemsIn({ ...pushed, pushHosts: hosts })
    expect(problems).toEqual([expect.stringMatching(/^pushHosts /)])
    expect(problems.join()).toMatch(message)
    expect(problems.join()).not.toContain(pushHash)
  })

  it('has as many hosts as the text of a secret takes', () => {
    const names = Array.from({ length: 50 }, (_, at) => `a-long-host-name${at}.example.com`)
    const hosts = names.map(name => `${name} A sha256:${pushHash}`).join('\n')
    expect(problemsIn({ ...pushed, hostname: names.join(','), pushHosts: hosts })).toEqual([
      expect.stringMatching(/^pushHosts has \d{4} bytes, and a secret can have 5120/),
    ])
  })
})

it('several records are adopted one by one', () => {
  const one = 'a'.repeat(32)
  const other = 'b'.repeat(32)
  const several = { ...recordAlone, recordType: 'A,AAAA' }
  const importRecordId = `home.example.com AAAA ${other}\r\nhome.example.com  A ${one}\n`
  const { record } = settingsIn({ ...several, importRecordId })
  expect(record?.plans.map(({ importId }) => importId)).toEqual([one, other])
  expect(problemsIn({ ...several, importRecordId: one })).toEqual([
    `importRecordId does not say which of 2 records it is. Use a line for each, such as home.example.com A ${one}.`,
  ])
})
