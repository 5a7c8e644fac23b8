import { describe, expect, it } from 'vitest'
import { minimalConfig, sessionKeys } from '../../support/configuration.ts'
import { mintingApiToken, problemsIn, runStack, settingsIn } from '../support/stacks.ts'

const now = Date.parse('2026-06-15T12:00:00Z')
const complete: Readonly<Record<string, string>> = {
  ...minimalConfig,
  secretRotationA: '2026-06-01',
  secretRotationB: '2026-03-01',
  sessionKeys,
  mintingApiToken,
}

const settingsOf = (changes: Readonly<Record<string, string>> = {}) =>
  settingsIn({ ...complete, ...changes }, now)
const problemsOf = (changes: Readonly<Record<string, string | null>>) =>
  problemsIn({ ...complete, ...changes }, now)

/** Key, wrong value (null: not set), and what the message must say. */
const wrong: readonly (readonly [string, string | null, RegExp])[] = [
  ['zoneId', '0123456789abcdef0123456789abcde', /32 hex digits.*overview page/],
  ['hostname', '*.example.com', /full hostname/],
  ['signIn', 'nowhere', /Use worker, host or none/],
  ['record', 'no', /Use true or false/],
  ['recordType', 'A,A', /Use A, AAAA, or A,AAAA/],
  [
    'hostname',
    'home.example.com, Home.example.com',
    /has "Home\.example\.com", which is not a full hostname/,
  ],
  ['hostname', 'home.example.com\nhome.example.com', /twice\. Remove one/],
  ['hostname', ',', /is an empty list/],
  [
    'hostname',
    Array.from({ length: 51 }, (_, at) => `h${at}.example.com`).join(' '),
    /lists 51 entries\. The limit is 50\. Make the others CNAMEs/,
  ],
  ['importRecordId', 'abc', /32 hex digits.*list of records/],
  ['importRecordId', `home.example.com AAAA ${'a'.repeat(32)}`, /stack declares: home\.example\.com A\. Fix/],
  ['importRecordId', 'home.example.com A abc', /is not NAME TYPE ID\. Copy/],
  [
    'importRecordId',
    `home.example.com A ${'a'.repeat(32)}\nhome.example.com A ${'b'.repeat(32)}`,
    /Remove one/,
  ],
  ['tokenExpiresOn', '2026-06-15T11:59:59Z', /in the past/],
  ['tokenExpiresOn', '2026-06-16', /time in UTC/],
  ['tokenExpiresOn', '2026-02-31T00:00:00Z', /time in UTC/],
  ['credentialsExpireOn', 'deploy token 2027-02-30', /"deploy token 2027-02-30", which is not NAME DATE/],
  ['credentialsExpireOn', 'a 2027-05-31; a 2027-06-01', /lists a twice\. Remove one/],
  ['keptCredentials', 'homeport', /"homeport", which is not an ID/],
  ['tokenAllowedCidrs', '203.0.113.7', /"203\.0\.113\.7", which is not a range/],
  ['tokenAllowedCidrs', '[1]', /"\[1\]", which is not a range/],
  ['tokenAllowedCidrs', '127.0.0.0/7', /"127\.0\.0\.0\/7".*no wider than \/8/],
  ['tokenAllowedCidrs', '2000::/15', /no wider than \/8 \(IPv6: \/16\)/],
  ['publicOrigin', 'http://people.example.com', /not an https origin/],
  ['publicOrigin', 'https://people.example.com/', /Use https:\/\/people\.example\.com/],
  ['publicOrigin', 'https://people.example.com:8443', /port/],
  ['publicOrigin', 'https://a.example.com https://b.example.com', /2 origins, and a Worker has one/],
  ['publicOrigin', 'https://localhost', /host that cannot be in a zone/],
  ['publicOrigin', 'https://home.example.com', /dynamic hostname.*Use another host/],
  ['redirectPath', 'auth/callback', /no slash at its start/],
  ['redirectPath', '/api/auth/callback', /which the handler already serves/],
  ['displayName', 'x'.repeat(121), /Entra allows 120 characters/],
  ['secretRotationA', '2026-02-30', /Use a day such as/],
  [
    'secretRotationB',
    '2025-12-01',
    /expired on 2026-05-30.*pulumi config set --plaintext secretRotationB 2026-06-15/,
  ],
  ['secretRotationB', '2026-07-01', /in the future.*2026-06-15/],
  ['allowedDomains', '[" "]', /is missing/],
  ['graphUrl', 'https://graph.microsoft.us', /another cloud.*Use https:\/\/graph\.microsoft\.com/],
  ['sessionKeys', null, /is missing.*npm run -s keys -- new \| pulumi config set --secret sessionKeys/],
  ['sessionKeys', 'k1:AAAA', /not 32 bytes.*npm run -s keys -- new/],
  ['sessionIdle', '9h', /from 1m to the session’s lifetime/],
  ['afterSignInUrl', '/auth/callback', /not a path of this host/],
  ['repository', 'people', /owner\/name/],
  ['environment', 'd n s', /letters, digits, dots/],
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

  it('takes the repository of a managed user, whose name has an underscore', () => {
    expect(problemsOf({ repository: 'jane-doe_acme/dns' })).toEqual([])
  })

  it('requires every key that has no default', () => {
    expect(problemsIn({}).map(problem => problem.split(' is missing. ')[0])).toEqual([
      'zoneId',
      'hostname',
      'mintingApiToken',
      'publicOrigin',
      'secretRotationA',
      'secretRotationB',
      'accountId',
      'sessionKeys',
      'allowedDomains',
    ])
  })

  it('reports every wrong key at once, and keys that do not exist', () => {
    const problems = problemsOf({ hostname: null, zoneid: 'y', sessionKeys: null, environment: 'd n s' })
    const named = problems.map(text => text.split(' ')[0])
    expect(named.toSorted()).toEqual(['environment', 'hostname', 'sessionKeys', 'zoneid'])
    expect(problems.join('\n')).toContain('Did you mean zoneId? Remove it: pulumi config rm zoneid')
  })

  it('refuses addresses that Microsoft does not list, which would get codes and the client secret', () => {
    const stranger = {
      instance: 'https://login.stranger.example',
      graphUrl: 'https://graph.stranger.example',
    }
    expect(problemsOf(stranger)).toEqual(
      ['instance', 'graphUrl'].map(key =>
        expect.stringMatching(`^${key} is not an address that Microsoft lists.*allowUnlistedCloud true$`),
      ),
    )
    expect(problemsOf({ ...stranger, allowUnlistedCloud: 'true' })).toEqual([])
    for (const instance of ['https://login.microsoftonline.us', 'https://login.partner.microsoftonline.cn'])
      expect(problemsOf({ instance })).toEqual([])
  })

  it.each([
    ['cloudflare:baseUrl', 'https://stranger.example/client/v4'],
    ['github:baseUrl', 'https://stranger.example/'],
    ['azuread:metadataHost', 'stranger.example'],
    ['azuread:oidcRequestUrl', 'https://127.0.0.1.stranger.example/token'],
  ])('refuses another host in %s, which would get the credentials of a deployment', (key, host) => {
    expect(problemsOf({ [key]: host })).toEqual([
      expect.stringMatching(new RegExp(`^${key} leads to another host, .*config rm ${key}\\.`)),
    ])
    const loopback = host.replace(/[\w.]*stranger\.example/, '127.0.0.1:8080')
    expect(problemsOf({ [key]: loopback })).toEqual([])
  })

  it('takes the public hosts of the services', () => {
    expect(
      problemsOf({
        'cloudflare:baseUrl': 'https://api.cloudflare.com/client/v4',
        'github:baseUrl': 'https://api.github.com/',
      }),
    ).toEqual([])
  })

  it('never repeats a secret', () => {
    const problems = problemsOf({ sessionKeys: 'k1:c2VjcmV0IHRleHQ', mintingApiToken: 'secret text' })
    expect(problems).toHaveLength(2)
    expect(problems.join('\n')).not.toMatch(/c2VjcmV0|secret text/)
  })

  it('leaves a redirect path that was set outside the base path, unless the handler serves it', () => {
    const redirectPath = '/api/auth/callback'
    expect(settingsOf({ basePath: '/_homeport', redirectPath }).signIn?.redirectUris).toEqual([
      `https://people.example.com${redirectPath}`,
    ])
    expect(problemsOf({ basePath: '/_homeport', redirectPath: '/_homeport/api/x' })).toEqual([
      expect.stringMatching(/^redirectPath leads to \/_homeport\/api\/x, which the handler already serves/),
    ])
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

  it('stops the program before it declares anything, and reports every problem', async () => {
    const config = { zoneId: 'x', tokenExpiresOn: '2020-01-01T00:00:00Z', sessionKeys }
    const run = await runStack({ config, secrets: { sessionKeys: null } })
    expect(run.succeeded).toBe(false)
    const messages = run.log.map(({ message }) => message).join('\n')
    for (const said of [
      'The configuration of stack dev has 3 problems. Nothing was changed.',
      'homeport:zoneId is "x". Use the 32 hex digits',
      'homeport:tokenExpiresOn is in the past',
      'homeport:sessionKeys is in plain text in the stack file',
    ])
      expect(messages).toContain(said)
    expect(messages).not.toContain(' at ')
    expect(run.graph.resources.filter(({ type }) => type !== 'pulumi:pulumi:Stack')).toEqual([])
  })

  it('warns of keys that no part of the stack uses, and of callbacks without a state', async () => {
    const warningsWith = async (config: Readonly<Record<string, string>>) =>
      (await runStack({ config })).log.map(({ message }) => message)
    const onHost = { signIn: 'host', publicOrigin: 'https://home.example.com' }
    expect(await warningsWith({ ...onHost, databaseJurisdiction: 'eu' })).toEqual([
      expect.stringMatching(/uses homeport:databaseJurisdiction\..*config rm-all databaseJurisdiction/),
    ])
    expect(await warningsWith({ requireState: 'false' })).toEqual([
      expect.stringContaining('pulumi config rm requireState'),
    ])
  })
})
