import { truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readServerSettings } from '../../../src/node/settings.ts'
import { createSessionKey } from '../../../src/session/keys.ts'
import { readSettings } from '../../../src/settings/settings.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const valid = {
  TENANT_ID: '9f3c2d1e-0000-4000-8000-000000000001',
  CLIENT_ID: '9f3c2d1e-0000-4000-8000-000000000002',
  CLIENT_SECRET: 'abc~def',
  REDIRECT_URI: 'https://people.example.com/auth/callback',
  SESSION_KEYS: createSessionKey(new Date()),
  ALLOWED_DOMAINS: 'example.com',
}

function settingsOf(change: Record<string, unknown>) {
  const reading = readSettings({ ...valid, ...change })
  if ('problems' in reading) throw new Error(reading.problems.join('\n'))
  return reading.value
}
function problemsOf(change: Record<string, unknown>) {
  const reading = readSettings({ ...valid, ...change })
  return 'problems' in reading ? reading.problems : []
}

const serverSettingsOf = (env: Readonly<Record<string, string>>) => readServerSettings(env, () => undefined)

describe('settings', () => {
  it('have their defaults when missing or blank', () => {
    const defaults = {
      instance: 'https://login.microsoftonline.com',
      graphUrl: 'https://graph.microsoft.com',
      requireState: false,
      allowGuests: false,
      bindOnFirstUse: 'everybody',
      sessionLifetimeMs: 8 * 3_600_000,
      sessionIdleMs: null,
      legacyLoginUrl: null,
      afterSignInUrl: null,
      appName: null,
      logoutAtProvider: false,
      allowedDomains: ['example.com'],
    }
    expect(settingsOf({})).toMatchObject(defaults)
    const blank = { INSTANCE: ' ', SCOPES: '', SESSION_IDLE: 'off', REQUIRE_STATE: '' }
    expect(settingsOf(blank)).toMatchObject(defaults)
  })

  it('are read from texts, in lists and in either case, and from the JSON of a Worker’s bindings', () => {
    expect(
      settingsOf({
        INSTANCE: 'https://login.microsoftonline.us/',
        CLIENT_SECRET: 'new, old, new',
        CLIENT_SECRET_EXPIRES_ON: '2027-01-31, 2026-10-31',
        ALLOWED_DOMAINS: 'Example.com, example.org',
        BIND_ON_FIRST_USE: 'Nobody',
        REQUIRE_STATE: 'TRUE',
        AUTO_SIGN_IN: true,
        ALLOW_GUESTS: null,
      }),
    ).toMatchObject({
      instance: 'https://login.microsoftonline.us',
      graphUrl: 'https://graph.microsoft.us',
      clientSecrets: ['new', 'old'],
      clientSecretEnds: [Date.parse('2027-01-31'), Date.parse('2026-10-31')],
      allowedDomains: ['example.com', 'example.org'],
      bindOnFirstUse: 'nobody',
      requireState: true,
      autoSignIn: true,
      allowGuests: false,
    })
    const local = { REDIRECT_URI: 'http://[::1]:8080/a', ALLOWED_DOMAINS: '*' }
    expect(settingsOf(local)).toMatchObject({ redirectUris: [local.REDIRECT_URI], allowedDomains: null })
  })

  it.each(Object.keys(valid))('say that %s is missing', name => {
    expect(problemsOf({ [name]: '' })).toEqual([expect.stringContaining(`${name} is missing. `)])
  })

  it.each([
    ['TENANT_ID', 'common', 'lets users of every tenant in'],
    ['TENANT_ID', 'a/../b', 'neither a tenant ID nor a domain'],
    ['CLIENT_ID', 'a b', 'characters'],
    ['CLIENT_SECRET', 'a,,b', 'empty part'],
    ['CLIENT_SECRET', '9f3c2d1e-0000-4000-8000-000000000003', 'ID of a secret'],
    ['CLIENT_SECRET', { get: async () => 'abc~def' }, 'CLIENT_SECRET is not a text'],
    ['CLIENT_SECRET_EXPIRES_ON', '2027-02-30', 'is not a list of days such as 2027-01-31'],
    ['INSTANCE', 'http://login.example.com', 'does not use https'],
    ['INSTANCE', 'https://login.example.com', 'GRAPH_URL is missing'],
    ['GRAPH_URL', 'https://graph.microsoft.us', 'in another cloud'],
    ['GRAPH_URL', 'https://graph.microsoft.com/v1.0', 'more than a host'],
    ['SCOPES', 'User.Read Mail.Read', 'more than User.Read'],
    ['BASE_PATH', '/_homeport/', 'is not a path such as /_homeport'],
    ['BASE_PATH', '/a/../b', 'is not a path such as /_homeport'],
    ['BASE_PATH', `/${'a'.repeat(64)}`, 'at most 64'],
    ['BASE_PATH', '/api', 'is a path of the handler itself'],
    ['REDIRECT_URI', '/auth/callback', 'not a URL'],
    ['REDIRECT_URI', 'https://people.example.com', 'no path'],
    ['REDIRECT_URI', 'https://people.example.com/a?b=c', 'rejects'],
    ['REDIRECT_URI', 'https://*.example.com/a', 'rejects'],
    ['REDIRECT_URI', `https://people.example.com/${'a'.repeat(230)}`, '257 characters'],
    ['REDIRECT_URI', 'https://People.example.com/a', 'not spelled as a browser sends it'],
    ['REDIRECT_URI', 'https://people.example.com/a b', 'space'],
    ['REDIRECT_URI', 'https://people.example.com/%64ashboard', 'already serves'],
    ['REDIRECT_URI', 'https://a.example.com/x,', 'has an empty part between its commas'],
    ['REDIRECT_URI', 'https://a.example.com/x,http://b.example.com/x', 'which does not use https'],
    // Cookies do not tell ports apart.
    ['REDIRECT_URI', 'https://a.example/x,https://a.example:8443/x', 'has two URIs for a.example'],
    ['REDIRECT_URI', 'https://a.example.com/x,http://localhost/x', 'mixes http and https'],
    ['REDIRECT_URI', Array(21).fill('https://a.example.com/x').join(), 'has more than 20 URIs'],
    ['REQUIRE_STATE', 'yes', 'is "yes". Use true or false.'],
    ['SESSION_KEYS', 'k1:AAAA', 'not 32 bytes'],
    ['SESSION_KEYS', 'nokid', 'not in the form name:key'],
    ['SESSION_KEYS', `k1:${'A'.repeat(43)}`, 'not random'],
    ['SESSION_KEYS', `${valid.SESSION_KEYS},${valid.SESSION_KEYS}`, 'name is used twice'],
    ['ALLOWED_DOMAINS', 'example.com @example.org', 'not a domain'],
    ['ALLOWED_DOMAINS', '*.example.com', 'not a domain'],
    ['BIND_ON_FIRST_USE', 'all', 'is "all". Use everybody, employees or nobody.'],
    ['SESSION_LIFETIME', '8', 'Use a time from'],
    ['SESSION_IDLE', '9h', 'Use a time from 1m to'],
    ['SESSION_RECHECK', '59s', 'Use a time from 1m to'],
    ['SESSION_RECHECK', '9h', 'Use a time from 1m to'],
    ['AUTO_SIGN_IN', 'false', 'SESSION_RECHECK needs AUTO_SIGN_IN=true'],
    ['LEGACY_LOGIN_URL', '//evil.test', 'neither'],
    ['LEGACY_LOGIN_URL', '/\\evil.test', 'neither'],
    ['LEGACY_LOGIN_URL', 'javascript:alert(1)', 'neither'],
    ['LEGACY_LOGIN_URL', 'https://people@evil.test/', 'neither'],
    ['AFTER_SIGN_IN_URL', '/timesheets/ /expenses/', 'not a path of this host'],
    ['APP_NAME', 'x'.repeat(61), 'not a name of 1 to 60'],
    ['APP_NAME', 'Time\u202esheets', 'not a name of 1 to 60'],
  ])('refuse %s %j', (name, value, message) => {
    const problems = problemsOf({ AUTO_SIGN_IN: 'true', SESSION_RECHECK: '1h', [name]: value })
    expect(problems.join('\n')).toContain(message)
    expect(problems.every(problem => /^[A-Z_]+ .*\.$/.test(problem))).toBe(true)
  })

  it('leave the names of other programs alone, and their own files and bindings', () => {
    const names = [
      'HTTP_PROXY',
      'SCOPE',
      'CLOUDFLARE_API_TOKEN',
      'SESSION_KEYS_FILE',
      'EMPLOYEES',
      'CLIENT_IP',
    ]
    const own = Object.fromEntries(names.map(name => [name, 'x']))
    expect(problemsOf({ ...own, https_proxy: 'http://127.0.0.1:9' })).toEqual([])
  })

  it('refuse a misspelled name only while the setting is missing, and never for the sake of a secret', () => {
    expect(problemsOf({ REQUIRE_STAT: 'true', REQUIRE_STATE: 'true' })).toEqual([])
    expect(problemsOf({ require_state: 'true' })).toEqual([
      'require_state is not a setting, and REQUIRE_STATE is not set. Use REQUIRE_STATE.',
    ])
    expect(problemsOf({ CLIENT_IP: 'x', CLIENT_ID: ' ' }).join('\n')).toContain('CLIENT_ID is not set')
    const secrets = problemsOf({ SESSION_KEY: 'x', SESSION_KEYS: '', CLIENT_SECRETS: 'x', CLIENT_SECRET: '' })
    expect(secrets.join('\n')).not.toMatch(/is not a setting/)
    const file = { CLIENT_SECRET_FIL: 'x' }
    expect(problemsOf(file)).toEqual([])
    expect(problemsOf({ ...file, CLIENT_SECRET: '' }).join('\n')).toContain('Use CLIENT_SECRET_FILE.')
    // A text is no binding of a Worker.
    expect(problemsOf({ EMPLOYEE: 'x' })).toEqual([])
    expect(problemsOf({ EMPLOYEE: {} }).join('\n')).toContain('EMPLOYEES is not set')
  })

  it('have one credential of the application: secrets or a certificate, or a file', async () => {
    const certificate = { CLIENT_CERTIFICATE_FILE: '/c.pem' }
    const token = { FEDERATED_TOKEN_FILE: '/token' }
    const problemsWith = async (given: Readonly<Record<string, string>>) => {
      const reading = await serverSettingsOf({ ...valid, DATABASE_URL: 'postgresql://127.0.0.1/x', ...given })
      return 'problems' in reading ? reading.problems : []
    }
    const both = { CLIENT_SECRET: '', ...certificate, ...token }
    expect(await problemsWith(both)).toContain(
      'CLIENT_CERTIFICATE_FILE cannot be combined with FEDERATED_TOKEN_FILE. Set only one.',
    )
    expect(await problemsWith(token)).toContain(
      'FEDERATED_TOKEN_FILE cannot be combined with CLIENT_SECRET. Set only one.',
    )
    expect(problemsOf({ AZURE_FEDERATED_TOKEN_FILE: '/token' })).toEqual([])
  })

  it('can be read from files of at most 64 KiB if they are secrets', async () => {
    const folder = temporaryFolder()
    const [secret, huge] = [join(folder, 'secret'), join(folder, 'huge')]
    writeFileSync(secret, '\ufeff s3cret\r\n')
    writeFileSync(huge, 's3cret')
    // More than Node can read into memory.
    truncateSync(huge, 3 * 1024 ** 3)
    const { CLIENT_SECRET: _, SESSION_KEYS: __, ...others } = valid
    // A blank value sets nothing.
    const blank = { ...others, CLIENT_SECRET: ' ' }
    const env = { ...blank, CLIENT_SECRET_FILE: secret, DATABASE_URL: 'postgresql://127.0.0.1/people' }
    const readable = await serverSettingsOf({ ...env, SESSION_KEYS: valid.SESSION_KEYS })
    expect(readable).toMatchObject({ value: { settings: { clientSecrets: ['s3cret'] } } })
    const reading = await serverSettingsOf({ ...env, SESSION_KEYS_FILE: huge, DATABASE_URL_FILE: secret })
    // What cannot be read is not missing as well.
    expect(reading).toEqual({
      needsChange: true,
      problems: [
        expect.stringMatching(/^SESSION_KEYS_FILE names a file that has more than 64 KiB/),
        expect.stringMatching(/^DATABASE_URL_FILE and DATABASE_URL are both set/),
      ],
    })
    expect(JSON.stringify(reading)).not.toContain('s3cret')
  })

  it('of the Node server are read with the others, its proxy in either case', async () => {
    const env = { ...valid, DATABASE_URL: 'postgresql://127.0.0.1/people' }
    const settings = { httpsProxy: 'http://127.0.0.1:9/', noProxy: '', host: '127.0.0.1', port: 8080 }
    const readable = await serverSettingsOf({ ...env, https_proxy: 'http://127.0.0.1:9' })
    expect(readable).toMatchObject({ value: { settings } })
    const wrong = {
      DATABASE_URL: '',
      https_proxy: 'http://a.\nb:1',
      PORT: '65536',
      TRUSTED_PROXIES: '0.0.0.0/0',
    }
    const reading = await serverSettingsOf({ ...env, ...wrong, CLIENT_ID: '' })
    expect('problems' in reading && reading.problems).toEqual([
      expect.stringMatching(/^CLIENT_ID is missing\. /),
      expect.stringMatching(/^DATABASE_URL is missing\. /),
      'https_proxy is not the URL of a proxy, such as http://proxy.example.com:3128.',
      'TRUSTED_PROXIES has "0.0.0.0/0", which trusts more than a private network (/8). List only your proxies.',
      'PORT is "65536". Use a number from 0 to 65535.',
    ])
  })
})
