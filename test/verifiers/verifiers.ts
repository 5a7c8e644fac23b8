import { execFile } from 'node:child_process'
import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { cp, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { hostsOf } from '../../src/http/hosts.ts'
import { createAssertions } from '../../src/session/assertion.ts'
import { createSessionKey } from '../../src/session/keys.ts'
import type { Session } from '../../src/session/session.ts'
import { readSessionKeys } from '../../src/settings/session-keys.ts'
import { listen } from '../support/listen.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** How each verifier is installed and run, in a copy of its folder. The last command gets the cases, and prints a line for each. */
const verifiers: Readonly<Record<string, readonly [folder: string, ...commands: (readonly string[])[]]>> = {
  'jose (Node)': ['node', ['npm', 'install', '--silent', '--no-audit', '--no-fund'], ['node', 'verify.mjs']],
  'PyJWT (Python)': [
    'python',
    ['python3', '-m', 'venv', 'venv'],
    ['venv/bin/pip', 'install', '--quiet', '--disable-pip-version-check', '-r', 'requirements.txt'],
    ['venv/bin/python', 'verify.py'],
  ],
  'golang-jwt (Go)': ['go', ['go', 'build', '-mod=mod', '-o', 'verify', '.'], ['./verify']],
  'Spring Security (Java)': [
    'java',
    ['mvn', '--quiet', '--batch-mode', 'compile', 'dependency:copy-dependencies'],
    ['java', '-cp', 'target/classes:target/dependency/*', 'Verify'],
  ],
  'jsonwebtoken (Rust)': ['rust', ['cargo', 'build', '--quiet', '--release'], ['target/release/verify']],
}

/** Where each verifier has the example in its language, which `docs/assertions.md` shows. */
const examples: Readonly<Record<string, readonly [language: string, file: string]>> = {
  node: ['js', 'documented.mjs'],
  python: ['python', 'documented.py'],
  go: ['go', 'documented.go'],
  java: ['java', 'src/main/java/Assertions.java'],
}
const page = await readFile(join(import.meta.dirname, '../../docs/assertions.md'), 'utf8')

/** Returns an example of the page, with another address of the keys. */
function exampleIn(language: string, keysUrl: string): string {
  const code = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'ms').exec(page)?.[1] ?? ''
  const documented = 'https://people.example.com/_homeport/.well-known/jwks.json'
  if (!code.includes(documented)) throw new Error(`The page has no example in ${language}.`)
  return code.replace(documented, keysUrl)
}

// Lets libraries that others wrote verify an assertion of the handler and nine forgeries, by the examples of docs/assertions.md.
// Installs each from its registry in a temporary folder. Needs their toolchains; one that is missing fails. Exit status: 0 if every
// library takes the assertion and refuses every forgery.

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const es = (hash: string, key: KeyObject) => (text: string) =>
  sign(hash, Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')
const curve = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve })

/** Returns the public keys, what is expected, an assertion and its forgeries by name. */
async function cases() {
  const keyText = createSessionKey(new Date())
  const reading = readSessionKeys(keyText)
  if (!('value' in reading)) throw new Error('The key cannot be read.')
  const hosts = hostsOf([
    'https://people.example.com/_homeport/auth/callback',
    'https://wiki.example.com/_homeport/auth/callback',
  ])
  const [host, other = host] = hosts
  const now = Date.now()
  const session = { id: 's', issuedAt: now, expiresAt: now + 3_600_000 } as Session
  const user = { username: 'zoë', resourceId: 'E7', isAdmin: false }
  const at = (clock: () => number) =>
    createAssertions(reading.value, '/_homeport', { lifetimeMs: 3_600_000, idleMs: null, now: clock })
  const { assertionOf, publicKeys } = at(Date.now)
  const earlier = at(() => now - 2 * 3_600_000)
  const ahead = at(() => now + 10_000)
  const ours = await assertionOf(session, user, host, null)
  const [head = '', body = '', signature = ''] = ours.split('.')
  const header = JSON.parse(Buffer.from(head, 'base64url').toString())
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString())
  const { keys } = await publicKeys()
  const own = curve('P-256')
  const signed = (heading: object, about: object, by: (text: string) => string) => {
    const text = `${encode(heading)}.${encode(about)}`
    return `${text}.${by(text)}`
  }
  const secret = JSON.stringify(keys[0])
  return {
    issuer: claims.iss,
    audience: claims.aud,
    jwks: { keys },
    tokens: {
      'the assertion': ours,
      'the assertion of a clock ahead': await ahead.assertionOf(session, user, host, null),
      'alg none': `${encode({ ...header, alg: 'none' })}.${body}.`,
      'HS256 with the public key': signed({ ...header, alg: 'HS256' }, claims, text =>
        createHmac('sha256', secret).update(text).digest('base64url'),
      ),
      'a key in the header': signed(
        { ...header, jwk: own.publicKey.export({ format: 'jwk' }), jku: 'https://evil.example/jwks.json' },
        claims,
        es('sha256', own.privateKey),
      ),
      'another key': signed({ ...header, kid: 'other' }, claims, es('sha256', own.privateKey)),
      expired: await earlier.assertionOf(session, user, host, null),
      truncated: ours.slice(0, -8),
      'a second signature': `${ours}.${signature}`,
      'another curve': signed({ ...header, alg: 'ES384' }, claims, es('sha384', curve('P-384').privateKey)),
      // With another issuer and another audience.
      'another host': await assertionOf(session, user, other, null),
    },
  }
}

const work = temporaryFolder()
const run = promisify(execFile)
const file = join(work, 'cases.json')
let jwks = {}
const server = createServer((_, response) => {
  response.setHeader('content-type', 'application/json').end(JSON.stringify(jwks))
})
const keysUrl = `${await listen(server)}/jwks.json`
for (const [name, [folder, ...commands]] of Object.entries(verifiers)) {
  const cwd = join(work, folder)
  await cp(join(import.meta.dirname, folder), cwd, { recursive: true })
  const [language, path] = examples[folder] ?? []
  if (language && path) await writeFile(join(cwd, path), exampleIn(language, keysUrl))
  for (const [program = '', ...args] of commands.slice(0, -1)) await run(program, args, { cwd })
  // Now, since an assertion counts for five minutes, and installing can take longer.
  const { tokens, ...given } = await cases()
  jwks = given.jwks
  await writeFile(file, JSON.stringify({ ...given, tokens: Object.values(tokens) }))
  const [program = '', ...args] = commands.at(-1) ?? []
  const { stdout } = await run(program, [...args, file], { cwd })
  const verdicts = stdout.trim().split('\n')
  const wrong = Object.keys(tokens).filter(
    (name, at) => verdicts[at] !== (name.startsWith('the assertion') ? 'accept' : 'refuse'),
  )
  const said =
    wrong.length === 0 ? 'takes the assertion, and refuses nine forgeries' : `WRONG about ${wrong.join(', ')}`
  process.stdout.write(`${name}: ${said}\n`)
  if (wrong.length > 0) process.exitCode = 1
}
server.closeAllConnections()
server.close()
