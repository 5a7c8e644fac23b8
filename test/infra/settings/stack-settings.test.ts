import { describe, expect, it } from 'vitest'
import { readStackSettings, type StackSettings } from '../../../infra/settings/stack-settings.ts'
import { minimalConfig, sessionKeys } from '../../support/configuration.ts'
import { mintingApiToken, recordOf, runStack, signInOf } from '../support/stacks.ts'

const now = Date.parse('2026-06-15T12:00:00Z')
const complete: Readonly<Record<string, string>> = {
  ...minimalConfig,
  secretRotationA: '2026-06-01',
  secretRotationB: '2026-03-01',
  sessionKeys,
  mintingApiToken,
}

function read(changes: Readonly<Record<string, string | null>>) {
  const given = Object.entries({ ...complete, ...changes }).filter(
    (entry): entry is [string, string] => entry[1] !== null,
  )
  return readStackSettings(new Map(given), now)
}

function settingsOf(changes: Readonly<Record<string, string | null>> = {}): StackSettings {
  const reading = read(changes)
  if ('problems' in reading) throw new Error(reading.problems.join('\n'))
  return reading.value
}

function problemsOf(changes: Readonly<Record<string, string | null>>) {
  const reading = read(changes)
  return 'problems' in reading ? reading.problems : []
}

/** Key, wrong value (null: not set), and what the message must say. */
const wrong: readonly (readonly [string, string | null, RegExp])[] = [
  ['zoneId', null, /is missing.*pulumi config set --plaintext zoneId/],
  ['zoneId', '0123456789ABCDEF0123456789ABCDEF', /32 hex digits.*overview page/],
  ['accountId', 'example', /32 hex digits/],
  ['accountId', null, /is missing/],
  ['hostname', null, /is missing/],
  ['hostname', 'home', /full hostname/],
  ['hostname', 'Home.example.com', /lower-case/],
  ['hostname', 'home.example.com.', /without a final dot/],
  ['hostname', 'hömé.example.com', /ASCII/],
  ['record', 'no', /neither true nor false/],
  ['signIn', 'nowhere', /must be worker, host or none/],
  ['recordType', 'CNAME', /is not A, AAAA or both\. Set A, AAAA or A,AAAA/],
  ['recordType', 'A,A', /is not A, AAAA or both/],
  [
    'hostname',
    'home.example.com, Home.example.com',
    /has "Home\.example\.com", which is not a full hostname/,
  ],
  ['hostname', 'home.example.com\nhome.example.com', /twice\. Remove one/],
  ['hostname', '[]', /names no hostname/],
  ['hostname', Array.from({ length: 101 }, (_, at) => `h${at}.example.com`).join(' '), /100 is the most/],
  ['importRecordId', 'abc', /32 hex digits.*list of records/],
  ['importRecordId', `home.example.com AAAA ${'a'.repeat(32)}`, /declares home\.example\.com A\. Fix/],
  ['importRecordId', 'home.example.com A abc', /is not NAME TYPE ID\. Copy/],
  [
    'importRecordId',
    `home.example.com A ${'a'.repeat(32)}\nhome.example.com A ${'b'.repeat(32)}`,
    /Remove one/,
  ],
  ['databaseJurisdiction', 'EU', /must be eu, us or fedramp/],
  ['tokenOwner', 'nobody', /user or account/],
  ['tokenExpiresOn', '2026-06-15T11:59:59Z', /in the past/],
  ['tokenExpiresOn', '2026-06-16', /time in UTC/],
  ['tokenExpiresOn', '2026-02-31T00:00:00Z', /time in UTC/],
  [
    'credentialsExpireOn',
    'deploy token 2027-02-30',
    /has the line "deploy token 2027-02-30", which is not NAME DATE/,
  ],
  ['credentialsExpireOn', '2027-05-31', /is not NAME DATE/],
  ['credentialsExpireOn', 'a 2027-05-31; a 2027-06-01', /names "a" twice/],
  ['keptCredentials', 'homeport', /"homeport", which is not the ID of a credential/],
  ['tokenAllowedCidrs', '203.0.113.7', /"203\.0\.113\.7", which is not a range/],
  ['tokenAllowedCidrs', '0.0.0.0/0', /not a range/],
  ['tokenAllowedCidrs', '203.0.113.0/33', /not a range/],
  ['tokenAllowedCidrs', '{"a":1}', /not a range/],
  ['tokenAllowedCidrs', '[1]', /not a list of strings/],
  ['tokenAllowedCidrs', '127.0.0.0/7', /"127\.0\.0\.0\/7".*no wider than \/8/],
  ['tokenAllowedCidrs', '2000::/15', /no wider than \/8 \(IPv6: \/16\)/],
  ['tokenAllowedCidrs', 'fe80::1%eth0/64', /not a range/],
  ['tokenAllowedCidrs', '::]@[::1/64', /not a range/],
  ['tokenAllowedCidrs', ' , ', /is set but empty.*pulumi config rm tokenAllowedCidrs/],
  ['publicOrigin', null, /is missing/],
  ['publicOrigin', 'http://people.example.com', /not an https origin/],
  ['publicOrigin', 'https://people.example.com/', /Use https:\/\/people\.example\.com/],
  ['publicOrigin', 'https://People.example.com', /lower case/],
  ['publicOrigin', 'https://people.example.com:443', /Use https:\/\/people\.example\.com/],
  ['publicOrigin', 'https://people.example.com:8443', /port/],
  ['publicOrigin', 'https://a.example.com https://b.example.com', /2 origins, and a Worker has one/],
  ['publicOrigin', 'https://localhost', /host that cannot be in a zone/],
  ['publicOrigin', 'https://home.example.com', /dynamic hostname.*Use another host/],
  ['redirectPath', 'auth/callback', /no slash at its start/],
  ['basePath', '/a/', /without a final slash/],
  ['basePath', '/dashboard', /path of the handler itself/],
  ['redirectPath', '/', /no path/],
  ['redirectPath', '/api/auth/callback', /which the handler already serves/],
  ['redirectPath', '/a(b)', /Entra rejects/],
  ['redirectPath', `/${'a'.repeat(256)}`, /at most 256/],
  ['displayName', 'x'.repeat(121), /121 characters/],
  ['ownerObjectIds', 'somebody', /Object ID/],
  ['ownerObjectIds', '[""]', /"", which is not an Object ID/],
  ['ownerObjectIds', '[]', /is set but empty.*pulumi config rm ownerObjectIds/],
  ['secretRotationA', null, /is missing/],
  ['secretRotationA', '2026-6-1', /not a date/],
  ['secretRotationA', '2026-02-30', /not a date/],
  [
    'secretRotationB',
    '2025-12-01',
    /expired on 2026-05-30.*pulumi config set --plaintext secretRotationB 2026-06-15/,
  ],
  ['secretRotationB', '2026-07-01', /in the future.*2026-06-15/],
  ['requireAssignment', 'yes', /neither true nor false/],
  ['allowedDomains', null, /is missing/],
  ['allowedDomains', 'example.com, @example.org', /"@example\.org"/],
  ['allowedDomains', '*,example.com', /"\*", which is not a domain/],
  ['allowedDomains', ' \t ', /is missing/],
  ['allowedDomains', '[]', /is missing/],
  ['allowedDomains', ' , ', /is missing/],
  ['allowedDomains', '[" "]', /is missing/],
  ['allowedDomains', '_mail.example.com', /"_mail\.example\.com", which is not a domain/],
  ['allowedDomains', 'example.c', /"example\.c", which is not a domain/],
  ['allowGuests', '1', /neither true nor false/],
  ['bindOnFirstUse', 'all', /is not one of everybody, employees, nobody\./],
  ['graphUrl', 'https://graph.microsoft.com/?a=b', /more than a host\. Use https:\/\/graph\.microsoft\.com/],
  ['graphUrl', 'https://graph.microsoft.us', /another cloud.*Use https:\/\/graph\.microsoft\.com/],
  ['sessionKeys', null, /is missing.*npm run -s keys -- new \| pulumi config set --secret sessionKeys/],
  ['sessionKeys', 'k1', /form name:key/],
  ['sessionKeys', 'k1:AAAA', /not 32 bytes.*npm run -s keys -- new/],
  ['sessionKeys', `k1:${'A'.repeat(43)}`, /not random/],
  ['sessionKeys', `${sessionKeys},${sessionKeys}`, /used twice/],
  ['sessionLifetime', '8', /from 1m to 7d/],
  ['sessionLifetime', '30d', /from 1m to 7d/],
  ['sessionIdle', '9h', /from 1m to the session’s lifetime/],
  ['autoSignIn', 'yes', /neither true nor false/],
  ['emailHeader', 'yes', /neither true nor false/],
  ['requireState', 'no', /neither true nor false/],
  ['legacyLoginUrl', '//elsewhere.example', /neither an https URL nor a path/],
  ['legacyLoginUrl', 'https://:password@old.example.com', /neither an https URL nor a path/],
  ['legacyLoginUrl', 'http://old.example.com', /neither an https URL nor a path/],
  ['afterSignInUrl', 'https://people.example.com/x', /not a path of this host/],
  ['afterSignInUrl', '/auth/callback', /not a path of this host/],
  ['appName', 'a\tb', /not a name/],
  ['logoutAtProvider', 'yes', /neither true nor false/],
  ['repository', 'people', /owner\/name/],
  ['mintingApiToken', null, /is missing.*--secret mintingApiToken/],
  ['mintingApiToken', 'short', /look like an API token/],
  ['mintingApiToken', `cfk_${'a'.repeat(48)}`, /global API key.*must not be used.*--secret mintingApiToken/],
]

describe('the configuration', () => {
  it.each(wrong)('refuses %s: %s, and says how to fix it', (key, value, message) => {
    const problems = problemsOf({ [key]: value })
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatch(new RegExp(`^${key} `))
    expect(problems[0]).toMatch(message)
    expect(problems[0]).toMatch(/\. [A-Z].*|: pulumi config/)
  })

  it('reports every wrong key at once, and keys that do not exist', () => {
    const problems = problemsOf({
      zoneId: 'x',
      hostname: null,
      zoneid: 'y',
      sessionKeys: null,
      environment: 'd n s',
    })
    expect(problems.map(text => text.split(' ')[0]).toSorted()).toEqual([
      'environment',
      'hostname',
      'sessionKeys',
      'zoneId',
      'zoneid',
    ])
    expect(problems.join('\n')).toContain('Did you mean zoneId? Remove it: pulumi config rm zoneid')
  })

  it('needs a Graph address only for an unknown cloud', () => {
    expect(problemsOf({ instance: 'https://login.microsoftonline.us' })).toEqual([])
    const unknown = { instance: 'https://login.example.com' }
    expect(problemsOf(unknown)).toEqual([
      expect.stringMatching(/^graphUrl is missing.*pulumi config set --plaintext graphUrl/),
    ])
    expect(problemsOf({ ...unknown, graphUrl: 'https://graph.example.com' })).toEqual([])
    expect(problemsOf({ ...unknown, instance: 'http://login.example.com' })).toEqual([
      expect.stringMatching(/^instance does not use https/),
    ])
  })

  it('never repeats a secret', () => {
    const problems = problemsOf({ sessionKeys: 'k1:c2VjcmV0IHRleHQ', mintingApiToken: 'secret text' })
    expect(problems).toHaveLength(2)
    expect(problems.join('\n')).not.toMatch(/c2VjcmV0|secret text/)
  })

  it('names an environment that GitHub cannot have', () => {
    expect(problemsOf({ repository: 'a/b', environment: 'd n s' })).toEqual([
      expect.stringMatching(/^environment /),
    ])
  })

  it('has a default for every optional key', () => {
    expect(settingsOf()).toMatchObject({
      record: {
        plans: [{ name: 'home.example.com', type: 'A', importId: null }],
        token: { owner: 'user', rotation: 'first', expiresOn: null, allowedCidrs: [] },
        handOver: null,
      },
      unused: [],
    })
    expect(signInOf(settingsOf())).toMatchObject({
      redirectUris: ['https://people.example.com/auth/callback'],
      displayName: 'Homeport',
      requireAssignment: false,
      worker: { host: 'people.example.com', jurisdiction: null },
      handler: {
        ALLOWED_DOMAINS: 'example.com',
        ALLOW_GUESTS: 'false',
        BIND_ON_FIRST_USE: 'employees',
        INSTANCE: 'https://login.microsoftonline.com',
        LOGOUT_AT_PROVIDER: 'false',
        REQUIRE_STATE: 'true',
        SESSION_IDLE: 'off',
        SESSION_LIFETIME: '8h',
      },
    })
  })

  it('puts the redirect URI below the base path, unless it has a path of its own', () => {
    const uriOf = (changes: Readonly<Record<string, string>>) => signInOf(settingsOf(changes)).redirectUris[0]
    expect(uriOf({ basePath: '/_homeport' })).toBe('https://people.example.com/_homeport/auth/callback')
    const redirectPath = '/api/auth/callback'
    expect(uriOf({ basePath: '/_homeport', redirectPath })).toBe(`https://people.example.com${redirectPath}`)
    expect(problemsOf({ basePath: '/_homeport', redirectPath: '/_homeport/api/x' })).toEqual([
      expect.stringContaining('redirectPath leads to /_homeport/api/x, which the handler already serves'),
    ])
    // Only the handler's own paths are closed to a return.
    expect(signInOf(settingsOf({ basePath: '/_homeport', afterSignInUrl: '/api/x' })).handler).toMatchObject({
      AFTER_SIGN_IN_URL: '/api/x',
    })
  })

  it('takes a list from a stack file or from the command line', () => {
    const ranges = ['203.0.113.0/24', '2001:db8::/32']
    expect(recordOf(settingsOf({ tokenAllowedCidrs: JSON.stringify(ranges) })).token.allowedCidrs).toEqual(
      ranges,
    )
    expect(recordOf(settingsOf({ tokenAllowedCidrs: ranges.join(', ') })).token.allowedCidrs).toEqual(ranges)
  })

  it('takes the ends of credentials that somebody created, also if they have passed', () => {
    const ends = [
      { name: 'deploy token', endsOn: '2027-05-31' },
      { name: 'a certificate', endsOn: '2020-01-01' },
    ]
    for (const credentialsExpireOn of [
      'deploy token 2027-05-31\n a certificate  2020-01-01 ',
      '["deploy token 2027-05-31","a certificate 2020-01-01"]',
    ])
      expect(settingsOf({ credentialsExpireOn }).credentials).toEqual(ends)
  })

  it("computes a secret's end from its date alone, newest first", () => {
    const plans = [
      { slot: 'a', rotatedOn: '2026-06-01', endsOn: '2026-11-28T00:00:00Z' },
      { slot: 'b', rotatedOn: '2026-03-01', endsOn: '2026-08-28T00:00:00Z' },
    ]
    expect(signInOf(settingsOf()).clientSecrets).toEqual(plans)
    const rotated = signInOf(settingsOf({ secretRotationB: '2026-06-15' }))
    expect(rotated.clientSecrets.map(({ slot, endsOn }) => [slot, endsOn])).toEqual([
      ['b', '2026-12-12T00:00:00Z'],
      ['a', '2026-11-28T00:00:00Z'],
    ])
  })

  it('stops the program before it declares anything, and reports every problem', async () => {
    const run = await runStack({ config: { zoneId: 'x', tokenExpiresOn: '2020-01-01T00:00:00Z' } })
    expect(run.succeeded).toBe(false)
    const messages = run.log.map(({ message }) => message).join('\n')
    expect(messages).toContain('The configuration of stack dev has 2 problems. Nothing was changed.')
    expect(messages).toContain('homeport:zoneId is not 32 hex digits')
    expect(messages).toContain('homeport:tokenExpiresOn is in the past')
    expect(messages).not.toContain(' at ')
    expect(run.graph.resources.filter(({ type }) => type !== 'pulumi:pulumi:Stack')).toEqual([])
  })

  it('refuses a secret in plain text', async () => {
    const run = await runStack({ config: { sessionKeys }, secrets: { sessionKeys: null } })
    expect(run.succeeded).toBe(false)
    expect(run.log.map(({ message }) => message).join('\n')).toContain(
      'sessionKeys is in plain text in the stack file',
    )
  })
})
