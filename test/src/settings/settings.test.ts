import { truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { withSecretFiles } from '../../../lib/secret-file.ts'
import { createSessionKey } from '../../../src/session/keys.ts'
import { secretNames } from '../../../src/settings/names.ts'
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
    expect(settingsOf({ INSTANCE: ' ', SCOPES: '', SESSION_IDLE: 'off', REQUIRE_STATE: '' })).toMatchObject(
      defaults,
    )
  })

  it.each([
    [
      { INSTANCE: 'https://login.microsoftonline.us/' },
      { instance: 'https://login.microsoftonline.us', graphUrl: 'https://graph.microsoft.us' },
    ],
    [{ CLIENT_SECRET: 'new, old, new' }, { clientSecrets: ['new', 'old'] }],
    [
      { CLIENT_SECRET: 'new,old', CLIENT_SECRET_EXPIRES_ON: '2027-01-31, 2026-10-31' },
      { clientSecretEnds: [Date.parse('2027-01-31'), Date.parse('2026-10-31')] },
    ],
    [{ ALLOWED_DOMAINS: 'Example.com, example.org' }, { allowedDomains: ['example.com', 'example.org'] }],
    [{ ALLOWED_DOMAINS: '*' }, { allowedDomains: null }],
    [
      { REQUIRE_STATE: 'TRUE', BIND_ON_FIRST_USE: 'Nobody' },
      { requireState: true, bindOnFirstUse: 'nobody' },
    ],
    [
      { SESSION_LIFETIME: '90m', SESSION_IDLE: '1h' },
      { sessionLifetimeMs: 90 * 60_000, sessionIdleMs: 3_600_000 },
    ],
    // A Worker's binding can be JSON.
    [
      { REQUIRE_STATE: true, ALLOW_GUESTS: null },
      { requireState: true, allowGuests: false },
    ],
    [{ LEGACY_LOGIN_URL: '/login?old' }, { legacyLoginUrl: '/login?old' }],
    [
      { AFTER_SIGN_IN_URL: '/timesheets/', APP_NAME: 'Zeiterfassung' },
      { afterSignInUrl: '/timesheets/', appName: 'Zeiterfassung' },
    ],
    [
      {
        REDIRECT_URI: 'http://127.0.0.1:8080/a',
        INSTANCE: 'http://localhost:1',
        GRAPH_URL: 'http://[::1]:2',
      },
      { redirectUris: ['http://127.0.0.1:8080/a'] },
    ],
  ])('are accepted in the form %j', (given, read) => {
    expect(settingsOf(given)).toMatchObject(read)
  })

  it.each([
    ['TENANT_ID', '', 'missing'],
    ['TENANT_ID', 'common', 'lets users of every tenant in'],
    ['TENANT_ID', 'a/../b', 'neither a tenant ID nor a domain'],
    ['CLIENT_ID', '', 'missing'],
    ['CLIENT_ID', 'a b', 'characters'],
    ['CLIENT_SECRET', '', 'missing'],
    ['CLIENT_SECRET', 'a,,b', 'empty part'],
    ['CLIENT_SECRET', '9f3c2d1e-0000-4000-8000-000000000003', 'ID of a secret'],
    ['CLIENT_SECRET_EXPIRES_ON', '2027-02-30', 'is not a list of days such as 2027-01-31'],
    ['INSTANCE', 'http://login.example.com', 'does not use https'],
    ['INSTANCE', 'https://login.microsoftonline.com/common', 'more than a host'],
    ['GRAPH_URL', 'https://graph.microsoft.com/v1.0', 'more than a host'],
    ['REDIRECT_URI', 'https://people.example.com/%64ashboard', 'already serves'],
    ['INSTANCE', 'https://login.example.com', 'GRAPH_URL is missing'],
    ['GRAPH_URL', 'https://graph.microsoft.us', 'in another cloud'],
    ['SCOPES', 'User.Read Mail.Read', 'more than User.Read'],
    ['REQUIRE_STATE', 'yes', 'neither true nor false'],
    ['BIND_ON_FIRST_USE', 'all', 'is not one of everybody, employees, nobody.'],
    ['ALLOWED_DOMAINS', '', 'missing'],
    ['ALLOWED_DOMAINS', 'example.com @example.org', 'not a domain'],
    ['ALLOWED_DOMAINS', '*.example.com', 'not a domain'],
    ['SESSION_LIFETIME', '8', 'not a time'],
    ['SESSION_LIFETIME', 5, 'not a time'],
    ['CLIENT_SECRET', { get: async () => 'abc~def' }, 'CLIENT_SECRET is missing'],
    ['SESSION_IDLE', '9h', 'not a time from 1m to'],
    ['SESSION_RECHECK', '1h', 'SESSION_RECHECK needs AUTO_SIGN_IN=true'],
    ['LEGACY_LOGIN_URL', '//evil.test', 'neither'],
    ['LEGACY_LOGIN_URL', '/\\evil.test', 'neither'],
    ['LEGACY_LOGIN_URL', 'javascript:alert(1)', 'neither'],
    ['LEGACY_LOGIN_URL', 'https://people@evil.test/', 'neither'],
    ['HTTPS_PROXY', 'http://proxy.\nexample.com:3128', 'is not the URL of a proxy'],
    ['AFTER_SIGN_IN_URL', '/timesheets/ /expenses/', 'not a path of this host'],
    ['REDIRECT_URI', 'https://a.example.com/x,', 'has an empty part between its commas'],
    ['REDIRECT_URI', 'https://a.example.com/x,http://b.example.com/x', 'which does not use https'],
    // Cookies do not tell ports apart.
    [
      'REDIRECT_URI',
      'https://a.example.com/x,https://a.example.com:8443/x',
      'has two URIs for a.example.com',
    ],
    ['REDIRECT_URI', 'https://a.example.com/x,http://localhost/x', 'mixes http and https'],
    [
      'REDIRECT_URI',
      Array.from({ length: 21 }, (_, index) => `https://h${index}.example.com/x`).join(),
      'has more than 20 URIs',
    ],
    ['BASE_PATH', '/_homeport/', 'is not a path such as /_homeport'],
    ['BASE_PATH', '/a/../b', 'is not a path such as /_homeport'],
    ['BASE_PATH', `/${'a'.repeat(64)}`, 'at most 64'],
    ['BASE_PATH', '/api', 'is a path of the handler itself'],
    ['APP_NAME', 'x'.repeat(61), 'not a name of 1 to 60'],
    ['APP_NAME', 'Time\u202esheets', 'not a name of 1 to 60'],
    ['SESSION_KEYS', '', 'missing'],
    ['HTTPS_PROXY', 'socks5://proxy.example.com', 'is not the URL of a proxy'],
    ['SESSION_KEYS', 'k1:AAAA', 'not 32 bytes'],
    ['SESSION_KEYS', 'nokid', 'not in the form name:key'],
    ['SESSION_KEYS', `k1:${'A'.repeat(43)}`, 'not random'],
    ['SESSION_KEYS', 'k1:!!!', 'not base64url'],
    ['SESSION_KEYS', `${valid.SESSION_KEYS},${valid.SESSION_KEYS}`, 'name is used twice'],
    ['REDIRECT_URI', '', 'missing'],
    ['REDIRECT_URI', '/auth/callback', 'not a URL'],
    ['REDIRECT_URI', 'http://people.example.com/a', 'does not use https'],
    ['REDIRECT_URI', 'https://people.example.com', 'no path'],
    ['REDIRECT_URI', 'https://people.example.com/a?b=c', 'rejects'],
    ['REDIRECT_URI', 'https://*.example.com/a', 'rejects'],
    ['REDIRECT_URI', `https://people.example.com/${'a'.repeat(230)}`, '257 characters'],
    ['REDIRECT_URI', 'https://People.example.com/a', 'not spelled as a browser sends it'],
    ['REDIRECT_URI', 'https://people.example.com/a b', 'space'],
    ['REDIRECT_URI', 'https://people.example.com/api/auth/callback', 'already serves'],
  ])('refuse %s %j', (name, value, message) => {
    const problems = problemsOf({ [name]: value })
    expect(problems.join('\n')).toContain(message)
    expect(problems.every(problem => /^[A-Z_]+ .*\.$/.test(problem))).toBe(true)
  })

  it.each(['59s', '9h', 'on'])('refuse SESSION_RECHECK %s', text => {
    expect(problemsOf({ AUTO_SIGN_IN: 'true', SESSION_RECHECK: text })).toEqual([
      expect.stringMatching('SESSION_RECHECK is not a time from 1m to the session’s lifetime'),
    ])
  })

  // Others', almost ours while ours is set, the Worker's, or one that would hold another secret.
  it.each([
    ...[
      'PATH',
      'HTTP_PROXY',
      'https_proxy',
      'SCOPE',
      'CLOUDFLARE_API_TOKEN',
      'SESSION_KEYS_FILE',
      'EMPLOYEES',
    ],
    ...['FAILED_CALLBACKS', 'CLIENT_IP', 'TENANT_IDS', 'EMPLOYEE', 'SESSION_KEY', 'CLIENT_SECRETS'],
  ])('accept a variable named %s', name => {
    expect(problemsOf({ [name]: name === 'https_proxy' ? 'http://127.0.0.1:9' : 'x' })).toEqual([])
  })

  it('refuse a misspelled name only while the setting is missing, and never for the sake of a secret', () => {
    expect(problemsOf({ DATABASE_URI: 'x', DATABASE_URL: 'postgresql://127.0.0.1/people' })).toEqual([])
    expect(problemsOf({ require_state: 'true' })).toEqual([
      'require_state is not a setting, and REQUIRE_STATE is not set. Use REQUIRE_STATE.',
    ])
    expect(problemsOf({ CLIENT_IP: 'x', CLIENT_ID: ' ' }).join('\n')).toContain('CLIENT_ID is not set')
    const secrets = problemsOf({ SESSION_KEY: 'x', SESSION_KEYS: '', CLIENT_SECRETS: 'x', CLIENT_SECRET: '' })
    expect(secrets.join('\n')).not.toMatch(/is not a setting/)
    expect(problemsOf({ CLIENT_SECRET_FIL: 'x' })).toEqual([])
    expect(problemsOf({ CLIENT_SECRET_FIL: 'x', CLIENT_SECRET: '' }).join('\n')).toContain(
      'Use CLIENT_SECRET_FILE.',
    )
    expect(problemsOf({ EMPLOYEE: {} }).join('\n')).toContain('EMPLOYEES is not set')
  })

  it('have one credential of the application: secrets, or a file', () => {
    const [certificate, token] = [{ CLIENT_CERTIFICATE_FILE: '/c.pem' }, { FEDERATED_TOKEN_FILE: '/token' }]
    const none = { CLIENT_SECRET: '' }
    for (const file of [certificate, token])
      expect(settingsOf({ ...none, ...file }).clientSecrets).toEqual([])
    expect(problemsOf(none)).toEqual([
      'CLIENT_SECRET is missing. Use the secret’s value, not its ID. On Node, CLIENT_CERTIFICATE_FILE or FEDERATED_TOKEN_FILE can replace it.',
    ])
    expect(problemsOf(certificate)).toEqual([
      'CLIENT_CERTIFICATE_FILE cannot be combined with CLIENT_SECRET. Set only one.',
    ])
    expect(problemsOf({ ...none, ...certificate, ...token })).toEqual([
      'CLIENT_CERTIFICATE_FILE cannot be combined with FEDERATED_TOKEN_FILE. Set only one.',
    ])
    expect(problemsOf({ ...certificate, ...token })).toEqual([
      'CLIENT_CERTIFICATE_FILE cannot be combined with CLIENT_SECRET or FEDERATED_TOKEN_FILE. Set only one.',
    ])
    expect(problemsOf({ AZURE_FEDERATED_TOKEN_FILE: '/token' })).toEqual([])
  })

  it('can be read from files if they are secrets', () => {
    const folder = temporaryFolder()
    const fileOf = (name: string, content: string | Uint8Array) => {
      writeFileSync(join(folder, name), content, { mode: 0o600 })
      return join(folder, name)
    }
    const secret = fileOf('secret', '\ufeff s3cret\r\n')
    const huge = fileOf('huge', 's3cret')
    truncateSync(huge, 3 * 1024 ** 3)
    const fromFiles = (env: Record<string, string>) => withSecretFiles(env, secretNames)
    expect(fromFiles({ CLIENT_SECRET_FILE: secret, OTHER: 'x' })).toMatchObject({
      env: { CLIENT_SECRET_FILE: secret, OTHER: 'x', CLIENT_SECRET: 's3cret' },
      problems: [],
    })
    for (const [env, problem] of [
      [
        { SESSION_KEYS_FILE: join(folder, 'none') },
        /^SESSION_KEYS_FILE names a file that cannot be read \(ENOENT\)/,
      ],
      [{ SESSION_KEYS_FILE: fileOf('empty', '\n') }, /^SESSION_KEYS_FILE names a file that is empty/],
      [{ SESSION_KEYS_FILE: huge }, /^SESSION_KEYS_FILE names a file that has more than 64 KiB/],
      [
        { SESSION_KEYS_FILE: fileOf('wide', Buffer.from('\ufeffs3cret', 'utf16le')) },
        /^SESSION_KEYS_FILE names a file that is not UTF-8 .*PowerShell/,
      ],
      [{ DATABASE_URL_FILE: secret, DATABASE_URL: 'x' }, /^DATABASE_URL_FILE and DATABASE_URL are both/],
    ] as const) {
      const { problems } = fromFiles(env)
      expect(problems).toEqual([expect.stringMatching(problem)])
      expect(problems.join()).not.toContain('s3cret')
    }
  })
})
