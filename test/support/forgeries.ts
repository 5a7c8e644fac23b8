import { sessionCookie } from '../../src/http/cookies.ts'
import { maxReturnBytes } from '../../src/settings/return-path.ts'

/** Headers that bypass other software, and other spellings of our own. None can let anyone in or change who they are. */
export const forgedHeaders: readonly (readonly [string, ...string[]])[] = [
  [
    'X-Forwarded-Uri of a public path (CVE-2026-40575)',
    'X-Forwarded-Uri: /openapi.json',
    'X-Original-URL: /',
  ],
  ['X-Original-URI, X-Rewrite-URL', 'X-Original-URI: /healthz', 'X-Rewrite-URL: /healthz'],
  ['a health check’s User-Agent (CVE-2026-34457)', 'User-Agent: GoogleHC/1.0'],
  ['a probe’s User-Agent', 'User-Agent: kube-probe/1.30'],
  [
    'another method for the check (authentik)',
    'X-Forwarded-Method: OPTIONS',
    'X-HTTP-Method-Override: OPTIONS',
  ],
  ['another host for the check', 'X-Forwarded-Host: localhost', 'Forwarded: for=127.0.0.1;host=localhost'],
  ['a local address', 'X-Forwarded-For: 127.0.0.1', 'X-Real-IP: 127.0.0.1'],
  ['our headers', 'X-Homeport-Username: boss', 'X-Homeport-Resource-Id: 1', 'X-Homeport-Is-Admin: 1'],
  ['our headers twice', 'X-Homeport-Is-Admin: 1', 'x-homeport-is-admin: 1', 'X-HOMEPORT-USERNAME: boss'],
  [
    'headers of ours that no file names',
    'X-Homeport-Groups: admin',
    '-X-Homeport-Is-Admin: 1',
    'Other-X-Homeport-Assertion: x',
  ],
  // Node's server ignores every header after the first thousand, unless it is told otherwise.
  ['a header of ours after 2,000 others', ...Array<string>(2000).fill('a: b'), 'X-Homeport-Groups: admin'],
  ['an address', 'X-Homeport-Email: boss@example.com'],
  [
    'underscores (CVE-2025-64484)',
    'X_Homeport_Is_Admin: 1',
    'x_homeport_username: boss',
    'X_Homeport_Resource_Id: 1',
  ],
  ['other punctuation', 'X.Homeport.Is.Admin: 1', 'X!Homeport-Is-Admin: 1'],
  ['a Connection header that names ours', 'Connection: close, X-Homeport-Is-Admin, X-Homeport-Username'],
  ['a Connection header that names the cookie', 'Connection: close, Cookie'],
  ['a folded header', 'X-Other: a\r\n X-Homeport-Is-Admin: 1'],
  ['a blank before the colon', 'X-Homeport-Is-Admin : 1'],
  ['an Authorization header', 'Authorization: Bearer x'],
  ['chunks and a length', 'Transfer-Encoding: chunked', 'Content-Length: 4'],
]

/** Whether the check refuses a request, since a header's name looks like one of ours. */
export const isRefused = (headers: readonly string[]) =>
  headers.some(header => /x[^a-z0-9]homeport/i.test(header.split(':')[0] ?? ''))

/** Prefixes with which a browser no longer protects `__Host-`, so a sibling host can set the cookie with `Domain=`. */
export const lookalikePrefixes = [
  // A no-break space and a next line as one byte.
  ...['\xa0', '\x85'],
  // Spaces, a byte order mark and a line separator in UTF-8.
  ...['\xc2\xa0', '\xe2\x80\x80', '\xe3\x80\x80', '\xef\xbb\xbf', '\xe2\x80\xa8'],
  // The first is the form of a cookie without a name.
  ...['=', '"', ',', '+', '%20'],
]

/** Spellings that a proxy or a case-insensitive reader could fold into the name. */
export const otherCookieNames = [
  sessionCookie.toLowerCase(),
  sessionCookie.toUpperCase(),
  sessionCookie.replaceAll('-', '_'),
  sessionCookie.replaceAll('_', '%5F'),
  `$${sessionCookie}`,
  `${sessionCookie}\xa0`,
  `${sessionCookie}[]`,
]

/** Paths that lead to the handler's own sign-in page, API or redirect URI below a base path. */
export const pathsOfHandler = (base: string) => [
  `${base}/`,
  `${base}/?return=/timesheets/`,
  `${base}/#x`,
  `${base}/.`,
  `${base}/%2e`,
  `${base}/timesheets/..`,
  `${base}/api/auth/logout`,
  `${base}/api`,
  `${base}/api/`,
  `${base}/%61pi/session`,
  `${base}/x/../api/session`,
  `/x/..${base}/api//session`,
  `${base}/auth/callback`,
  `${base}/auth/callback?code=x`,
  `${base}/auth/callback/`,
  `${base}/auth/%63allback`,
  `${base}/auth/./callback`,
  ...['..%2f', '%2e%2e%2f', '%252e%252e%252f', '.%2f%2e%2e/', 'y%2f%2f../..%2f../'].flatMap(up => [
    `/x/${up}${base.slice(1)}${base && '/'}auth/callback?code=x`,
    `/x/${up}${base.slice(1)}${base && '%2F'}api%2fsession`,
  ]),
  // A router that merges slashes first goes one level further up.
  `/x/y%2f%2f..%2f..${base}/api/session`,
]

/** Paths that nobody is sent to after signing in, since they lead there or to another host. */
export const refusedReturnPaths = (base: string) => [
  ...pathsOfHandler(base),
  ...(base === ''
    ? []
    : [
        base,
        `${base}?return=/timesheets/`,
        `${base}//`,
        `${base}//api/session`,
        `/%5Fhomeport/`,
        `/x/%2e%2e${base}%2fapi/session`,
      ]),
  '',
  ...(base === '' ? ['/ '] : []),
  'timesheets/',
  'https://people.example.com/timesheets/',
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '/a\\b',
  '/x?y=\\',
  '/%5cevil.example',
  '/%2Fevil.example',
  '/x/..//evil.example',
  '/.//evil.example',
  '/.//evil.example/..%2f..%2fx',
  '/x/..//evil.example/..%2f..%2fx',
  `${base}/api/..%2fx`,
  `/${'%'.padEnd(1000, '25')}2e`,
  '/\t/evil.example',
  '/a\nb',
  '/a\u0000b',
  '/a\u007fb',
  '/a%0d%0ab',
  `/${'a'.repeat(maxReturnBytes)}`,
  `/${'ü'.repeat(maxReturnBytes / 2)}`,
]
