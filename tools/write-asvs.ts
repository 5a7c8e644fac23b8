import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './bundle.ts'
import { writeGenerated } from './generated.ts'

/** Writes docs/asvs.md from the rows below and the names of tests. */

const target = 'docs/asvs.md'

/** What a row of OWASP ASVS 5.0 asks for, and what covers it besides the tests that name the row. */
interface Row {
  readonly asks: string
  /** Why there is nothing to test. */
  readonly reason?: string
  /** A test that covers the row without naming it: its file and name. */
  readonly test?: readonly [file: string, name: string]
  /** What the handler does not do by itself, although tests cover the row. */
  readonly limit?: string
}

const notOurs = 'the handler is a client; Entra is the authorization server, and Graph the resource server'
const noIdToken = 'the handler requests no ID token; it reads the profile from Graph'

const rows: Readonly<Record<string, Row>> = {
  '7.1.1': { asks: 'The idle and the absolute limit of a session are documented.' },
  '7.1.2': {
    asks: 'The number of sessions per account is documented.',
    reason: '[sign-in.md](sign-in.md#sessions) says that it is not limited, and how to end all of them',
  },
  '7.1.3': {
    asks: 'How sessions here and at the provider end is documented.',
    reason: '`LOGOUT_AT_PROVIDER` and its limits are in [sign-in.md](sign-in.md#sessions)',
  },
  '7.2.1': {
    asks: 'Sessions are verified by the server.',
    test: ['test/src/session/session.test.ts', 'ends with the next request after deactivation'],
  },
  '7.2.2': {
    asks: 'Session tokens are generated for each session, not static.',
    test: ['test/src/session/seal.test.ts', 'differs every time'],
  },
  '7.2.3': {
    asks: 'Reference tokens have 128 bits of entropy.',
    reason: 'the cookie is sealed, not a reference; its session id has 128 random bits',
  },
  '7.2.4': { asks: 'A sign-in creates a new token and ends the old one.' },
  '7.3.1': {
    asks: 'A session can end when it is idle.',
    limit: 'off unless you set `SESSION_IDLE`',
    test: ['test/src/session/session.test.ts', 'ends when idle only if that is set'],
  },
  '7.3.2': { asks: 'A session ends at an absolute limit.' },
  '7.4.1': { asks: 'Logout ends the session for good.' },
  '7.4.2': {
    asks: 'Disabling an account ends its sessions.',
    limit:
      'this is the employee record. An account disabled in Entra keeps its sessions until HR deactivates the record, an operator ends them, or `SESSION_LIFETIME` is over ([sign-in.md](sign-in.md#sessions))',
  },
  '7.4.3': {
    asks: 'After a change of credentials, the user can end the other sessions.',
    test: ['test/src/session/session.test.ts', 'ends with every other session of the user at logout-all'],
  },
  '7.4.4': {
    asks: 'Every page behind sign-in offers logout.',
    test: ['test/src/browser/flows.ts', 'sign in, show the user and sign out'],
  },
  '7.4.5': { asks: 'Administrators can end the sessions of a user, or all.' },
  '7.5.1': {
    asks: 'Changing sensitive attributes of an account needs a new sign-in.',
    reason: 'the handler changes none',
  },
  '7.5.2': {
    asks: 'Users can see their sessions and end them.',
    reason:
      'the dashboard ends all of them at once; sessions are not listed, because the handler does not store them',
  },
  '7.5.3': {
    asks: 'Sensitive transactions need another factor.',
    reason: 'the handler has no such transactions; require the factor in Conditional Access',
  },
  '7.6.1': {
    asks: 'Sessions here and at the provider behave as documented.',
    test: ['test/src/session/session.test.ts', 'names the provider’s sign-out if LOGOUT_AT_PROVIDER is set'],
  },
  '7.6.2': { asks: 'A session starts only after an action of the user.' },
  '10.1.1': { asks: 'Tokens reach only the components that need them.' },
  '10.1.2': {
    asks: 'Values from the authorization server are accepted only in the browser session that asked for them.',
  },
  '10.2.1': { asks: 'The code flow is protected against request forgery, by PKCE or `state`.' },
  '10.2.2': {
    asks: 'With several authorization servers, mix-up is prevented.',
    reason: 'there is one authorization server',
  },
  '10.2.3': { asks: 'Only the needed scopes are requested.' },
  '10.3': { asks: 'Resource servers.', reason: notOurs },
  '10.4': { asks: 'Authorization servers.', reason: notOurs },
  '10.5.1': { asks: 'ID tokens are protected against replay, by `nonce`.', reason: noIdToken },
  '10.5.2': { asks: 'Users are identified by a claim that is not reassigned.' },
  '10.5.3': {
    asks: 'Metadata of another issuer is refused.',
    reason: 'the addresses of the provider are settings; no metadata is read',
  },
  '10.5.4': { asks: 'The audience of ID tokens is checked.', reason: noIdToken },
  '10.5.5': { asks: 'Back-channel logout is protected.', reason: 'the handler has no back-channel logout' },
  '10.6': { asks: 'OpenID providers.', reason: notOurs },
  '10.7': { asks: 'Consent management.', reason: notOurs },
}

/** Returns the tests that name a row, as file and name. */
function testsNaming(row: string, files: readonly string[]): readonly (readonly [string, string])[] {
  return files.flatMap(file =>
    [
      ...readFileSync(join(root, file), 'utf8').matchAll(
        /^\s*(?:it|test)(?:\.each\(.*\))?\(\s*['"`](.+)['"`],/gm,
      ),
    ]
      .map(([, name = '']) => name)
      .filter(name =>
        new RegExp(`ASVS 5\\.0 (?:[\\d.]+, )*${row.replaceAll('.', '\\.')}\\b(?!\\.)`).test(name),
      )
      .map(name => [file, name] as const),
  )
}

function line(id: string, { asks, reason, test, limit }: Row, files: readonly string[]): string {
  const named = testsNaming(id, files)
  const all = test ? [...named, test] : named
  for (const [file, name] of test ? [test] : []) {
    if (!readFileSync(join(root, file), 'utf8').includes(name))
      throw new Error(`${file} has no test "${name}".`)
  }
  if (all.length === 0 && !reason) throw new Error(`No test names ASVS 5.0 ${id}, and the row has no reason.`)
  const cells = all.map(
    ([file, name]) => `[${file.replace(/^test\/src\/|(\.test)?\.ts$/g, '')}](../${file}): ${name}`,
  )
  const notes = [...(reason ? [`not tested: ${reason}`] : []), ...(limit ? [`limit: ${limit}`] : [])]
  return `| ${id} | ${asks} | ${[...cells, ...notes].join('<br>')} |`
}

const files = globSync('test/src/**/*.ts', { cwd: root }).toSorted()
const text = `# OWASP ASVS 5.0: sessions and OAuth

The rows of chapters 7 (session management) and 10 (OAuth and OIDC) of the
[OWASP Application Security Verification Standard 5.0](https://owasp.org/www-project-application-security-verification-standard/),
in our words, each with the tests that show it, or the reason why there is none. \`npm run docs\` writes this page.

| row | asks | shown by |
|---|---|---|
${Object.entries(rows)
  .map(([id, row]) => line(id, row, files))
  .join('\n')}
`

writeGenerated(target, text)
