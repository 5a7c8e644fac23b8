import { generateKeyPairSync } from 'node:crypto'
import { chmod, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { readCertificateFile } from '../../../lib/client-certificate.ts'
import { createClientCertificate, thumbprintOf } from '../../../sandbox/testing/client-certificate.ts'
import { startTokenIssuer, tokenAudience, tokenSubject } from '../../../sandbox/testing/token-issuer.ts'
import { type AppParts, createApp } from '../../../src/app.ts'
import type { LogEntry } from '../../../src/http/log.ts'
import { certificateCredential, isPrivate, openCredential } from '../../../src/node/credential-file.ts'
import { readServerSettings } from '../../../src/node/settings.ts'
import { createSessionKey } from '../../../src/session/keys.ts'
import { readSettings } from '../../../src/settings/settings.ts'
import type { ClientCredential } from '../../../src/sign-in/credential.ts'
import { everyHour } from '../../../src/sign-in/credential-end.ts'
import { startHandler } from '../../support/handler.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { type InProcess, jsonResponse, providerOf, startInProcess } from '../support/in-process.ts'
import { startStage } from '../support/stage.ts'

const dayMs = 86_400_000
const first = createClientCertificate()
const second = createClientCertificate()
const short = createClientCertificate({ bits: 1024 })

const folder = temporaryFolder()

async function fileOf(name: string, text: string | Uint8Array, mode = 0o600): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, text)
  await chmod(path, mode)
  return path
}

const decode = (part = '') => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>

describe('a certificate file', () => {
  const encrypted = first.privateKey
    .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 's3cret' })
    .toString()
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  const ecPem = ec.export({ type: 'pkcs8', format: 'pem' }).toString()

  it.each([
    ['nothing', '', /no certificate in PEM form.*pkcs12/],
    ['no key', first.certificatePem, /has 0 private keys/],
    ['two keys', first.pem + second.keyPem, /has 2 private keys/],
    ['an encrypted key', first.certificatePem + encrypted, /encrypted.*openssl pkey/],
    ['a damaged key', first.pem.replace(/(BEGIN PRIVATE KEY-----\n).{20}/, '$1'), /damaged private key/],
    ['an EC key', first.certificatePem + ecPem, /key of type ec\. Entra accepts only RSA/],
    ['a short key', short.pem, /1024 bits\. Use one with 2048/],
  ])('is refused with %s', (_, pem, message) => {
    const reading = readCertificateFile(pem, Date.now())
    const problem = 'problem' in reading ? reading.problem : null
    expect(problem).toMatch(message)
    expect(problem).toMatch(/^has .*\.$/)
    expect(problem).not.toMatch(/s3cret|BEGIN|MII/)
  })

  it.each([
    [0o600, 1000, 1000, true],
    [0o400, 0, 0, true],
    [0o640, 1000, 1000, false],
    [0o640, 0, 0, false],
    // As with systemd's LoadCredential and PostgreSQL: root owns the file and a group reads it.
    [0o440, 0, 1000, true],
    [0o660, 0, 1000, false],
    [0o640, 1001, 1000, false],
    [0o777, 0, undefined, true],
  ])('with permissions %o of user %i is usable by user %s: %s', (mode, owner, user, usable) => {
    expect(isPrivate(mode, owner, user)).toBe(usable)
  })
})

/** Returns what the credential puts into a token request. */
async function authenticate(credential: ClientCredential): Promise<Record<string, string>> {
  const body = new URLSearchParams()
  const server = { issuer: 'https://login.example/t/v2.0', token_endpoint: 'https://login.example/t/token' }
  await credential.authenticate(server, { client_id: 'client' }, body, new Headers())
  return Object.fromEntries(body)
}

describe('a credential file', () => {
  const logged: LogEntry[] = []
  const messages = () => logged.map(({ message }) => message)
  afterEach(() => {
    logged.length = 0
  })
  const open = (
    setting: 'CLIENT_CERTIFICATE_FILE' | 'FEDERATED_TOKEN_FILE',
    path: string,
    now: () => number = Date.now,
  ) => openCredential({ setting, path }, entry => void logged.push(entry), now)
  async function opened(...parts: Parameters<typeof open>): Promise<ClientCredential> {
    const result = await open(...parts)
    if ('problem' in result) throw new Error(result.problem)
    return result.value
  }

  it.each([
    ['is missing', async () => join(folder, 'none'), /cannot be read \(ENOENT\)/],
    ['is a folder', async () => folder, /cannot be read \(EISDIR\)/],
    ['is too large', () => fileOf('large', 'x'.repeat(65_537)), /cannot be read \(EFBIG\)/],
    ['is in UTF-16', () => fileOf('wide', Buffer.from('\ufeffhello', 'utf16le')), /is not UTF-8 text/],
    [
      'has other content',
      () => fileOf('other', 'hello'),
      /(has no certificate|names a file that does not contain)/,
    ],
  ])('that %s is refused with a message that names its setting', async (_, path, message) => {
    for (const setting of ['CLIENT_CERTIFICATE_FILE', 'FEDERATED_TOKEN_FILE'] as const) {
      const result = await open(setting, await path())
      expect(result).toEqual({ problem: expect.stringMatching(message) })
      expect(result).toEqual({ problem: expect.stringMatching(new RegExp(`^${setting} .*\\.$`)) })
    }
    expect(await open('CLIENT_CERTIFICATE_FILE', await fileOf('open.pem', first.pem, 0o644))).toEqual({
      problem: expect.stringMatching(/^CLIENT_CERTIFICATE_FILE .*permissions 0644.*chmod 600/),
    })
  })

  it('signs an assertion for the token endpoint, valid for five minutes, each with its own id', async () => {
    const now = Date.parse('2026-11-22T07:00:00.900Z')
    const from = createClientCertificate({ keyOf: first, from: now - dayMs, until: now + 60 * dayMs })
    const credential = await opened('CLIENT_CERTIFICATE_FILE', await fileOf('a.pem', from.pem), () => now)
    const bodies = [await authenticate(credential), await authenticate(credential)]
    const [one, other] = bodies.map(({ client_assertion: text }) => decode(text?.split('.')[1]))
    expect(bodies[0]).toMatchObject({
      client_id: 'client',
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    })
    expect(decode(bodies[0]?.['client_assertion']?.split('.')[0])).toEqual({
      alg: 'PS256',
      typ: 'JWT',
      'x5t#S256': thumbprintOf(from),
    })
    const seconds = Math.floor(now / 1000)
    expect(one).toEqual({
      aud: 'https://login.example/t/token',
      iss: 'client',
      sub: 'client',
      iat: seconds,
      nbf: seconds,
      exp: seconds + 300,
      jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
    expect(other?.['jti']).not.toBe(one?.['jti'])
    expect(logged).toEqual([])
  })

  it('says 30, 14 and 7 days before its end, and then daily, that it ends, and is then not used', async () => {
    const end = Math.floor(Date.now() / 1000) * 1000 + 40 * dayMs
    let time = end - 40 * dayMs
    const path = await fileOf(
      'ending.pem',
      createClientCertificate({ keyOf: first, from: time - dayMs, until: end }).pem,
    )
    const credential = await opened('CLIENT_CERTIFICATE_FILE', path, () => time)
    const said: number[] = []
    for (; time <= end + 2 * dayMs; time += dayMs / 3) {
      const before = logged.length
      await credential.check()
      if (time > end - dayMs) {
        const used = await authenticate(credential).catch((error: { readonly code: string }) => error.code)
        expect(used === 'CERTIFICATE_EXPIRED').toBe(time >= end)
      }
      if (logged.length > before) said.push((end - time) / dayMs)
      expect(logged.length - before).toBeLessThan(2)
    }
    expect(said).toEqual([30, 14, 7, 6, 5, 4, 3, 2, 1, 0, -1, -2])
    expect(logged.map(({ level }) => level)).toEqual([
      ...Array<string>(9).fill('warning'),
      ...Array<string>(3).fill('error'),
    ])
    expect(messages()[0]).toMatch(
      /^The certificate in CLIENT_CERTIFICATE_FILE expires on 20\d\d-\d\d-\d\d, in 30 days\. Replace it before then\.$/,
    )
    expect(messages()[9]).toMatch(
      /^The certificate in CLIENT_CERTIFICATE_FILE expired on 20.* and is no longer used\. Replace it\.$/,
    )
    await writeFile(path, 'half')
    await expect(authenticate(credential)).rejects.toMatchObject({ code: 'CERTIFICATE_EXPIRED' })
    expect(messages().join('\n')).not.toContain('stays in use')
    await writeFile(path, createClientCertificate({ keyOf: first, until: time + 365 * dayMs }).pem)
    expect(await authenticate(credential)).toHaveProperty('client_assertion')
  })

  it('is replaced without a restart, and a wrong new certificate is reported once and not used', async () => {
    const path = await fileOf('rotating.pem', first.pem)
    const credential = await opened('CLIENT_CERTIFICATE_FILE', path)
    const used = async () =>
      decode((await authenticate(credential))['client_assertion']?.split('.')[0])['x5t#S256']
    expect(await used()).toBe(thumbprintOf(first))
    await writeFile(path, second.certificatePem)
    expect([await used(), await used()]).toEqual([thumbprintOf(first), thumbprintOf(first)])
    await rm(path)
    expect(await used()).toBe(thumbprintOf(first))
    expect(messages()).toEqual([
      expect.stringMatching(
        /^CLIENT_CERTIFICATE_FILE .*0 private keys.* previous certificate stays in use\.$/,
      ),
      expect.stringMatching(/^CLIENT_CERTIFICATE_FILE .*ENOENT.* previous certificate stays in use\.$/),
    ])
    await fileOf('rotating.pem', second.pem)
    expect(await used()).toBe(thumbprintOf(second))
  })

  it('with a token is read for each exchange', async () => {
    const path = await fileOf('token', 'aa.bb.cc\n', 0o644)
    const credential = await opened('FEDERATED_TOKEN_FILE', path)
    expect(await authenticate(credential)).toMatchObject({ client_assertion: 'aa.bb.cc' })
    await writeFile(path, 'dd.ee.ff')
    expect(await authenticate(credential)).toMatchObject({
      client_assertion: 'dd.ee.ff',
      client_id: 'client',
    })
    await writeFile(path, 'half')
    await expect(authenticate(credential)).rejects.toMatchObject({ code: 'NOT_A_TOKEN' })
    await rm(path)
    await expect(authenticate(credential)).rejects.toMatchObject({ code: 'ENOENT' })
  })
})

describe('a certificate in a setting', () => {
  const now = Date.now()
  const required = {
    TENANT_ID: 'tenant',
    CLIENT_ID: 'client',
    REDIRECT_URI: 'https://people.example.com/auth/callback',
    SESSION_KEYS: createSessionKey(new Date()),
    ALLOWED_DOMAINS: 'example.com',
  }
  const settings = (given: Readonly<Record<string, string>>) => readSettings({ ...required, ...given })
  const keyIn = (form: object) => first.privateKey.export({ format: 'pem', ...form } as never).toString()
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  const ecPem = ec.export({ type: 'pkcs8', format: 'pem' }).toString()

  /** Returns a PEM whose key says that its modulus has so many bytes, in hex. */
  function ofModulus(bytes: string): string {
    const der = first.privateKey.export({ type: 'pkcs8', format: 'der' }).toString('hex')
    const key = Buffer.from(der.replace('0282010100', `0282${bytes}00`), 'hex').toString('base64')
    return `${first.certificatePem}-----BEGIN PRIVATE KEY-----\n${key}\n-----END PRIVATE KEY-----\n`
  }

  it('can have a key of 2048 or 3072 bits', () => {
    for (const bytes of ['0101', '0181'])
      expect(settings({ CLIENT_CERTIFICATE: ofModulus(bytes) })).toHaveProperty('value')
  })

  // A Worker sees no more.
  it.each([
    ['base64 of it', btoa(first.pem), /is not PEM.*not base64/],
    ['Windows line ends', first.pem.replaceAll('\n', '\r\n'), /line ends of Windows/],
    ['no key', first.certificatePem, /has 0 private keys/],
    ['two keys', first.pem + second.keyPem, /has 2 private keys/],
    [
      'an encrypted key',
      first.certificatePem + keyIn({ type: 'pkcs8', cipher: 'aes-256-cbc', passphrase: 's3cret' }),
      /encrypted key/,
    ],
    ['a PKCS#1 key', first.certificatePem + keyIn({ type: 'pkcs1' }), /no PKCS#8 key.*openssl pkey/],
    ['no certificate', first.keyPem, /0 certificates/],
    ['a chain', first.pem + second.certificatePem, /2 certificates/],
    ['no base64', first.pem.replace('MII', '!!!'), /not base64/],
    ['an EC key', first.certificatePem + ecPem, /another key than RSA of 2048 or 3072 bits/],
    ['1024 bits', short.pem, /another key than RSA of 2048 or 3072 bits/],
    ['4096 bits', ofModulus('0201'), /another key than RSA of 2048 or 3072 bits/],
    [
      'a certificate that is too long',
      `${first.pem}${'# comment\n'.repeat(300)}`,
      /longer than 5000 characters/,
    ],
  ])('is refused in every runtime with %s', (_, pem, message) => {
    for (const name of ['CLIENT_CERTIFICATE', 'CLIENT_CERTIFICATE_NEXT']) {
      const reading = settings({ CLIENT_CERTIFICATE: first.pem, [name]: pem })
      const problems = 'problems' in reading ? reading.problems : []
      expect(problems).toEqual([expect.stringMatching(message)])
      expect(problems[0]).toMatch(new RegExp(`^${name} .*\\.$`))
      expect(problems[0]).not.toMatch(/s3cret|BEGIN|MII/)
    }
  })

  it.each([
    ['another key', { CLIENT_CERTIFICATE: first.certificatePem + second.keyPem }, /does not match/],
    [
      'its end behind it',
      { CLIENT_CERTIFICATE: createClientCertificate({ keyOf: first, until: now - 1 }).pem },
      /expired on 20\d\d-/,
    ],
    [
      'its start ahead',
      { CLIENT_CERTIFICATE: createClientCertificate({ keyOf: first, from: now + dayMs }).pem },
      /is not valid before/,
    ],
    [
      'a next one that ends first',
      {
        CLIENT_CERTIFICATE: first.pem,
        CLIENT_CERTIFICATE_NEXT: createClientCertificate({ keyOf: first, until: now + dayMs }).pem,
      },
      /_NEXT does not expire after CLIENT_CERTIFICATE\. Swap/,
    ],
    [
      'a file as well',
      { CLIENT_CERTIFICATE: first.pem, CLIENT_CERTIFICATE_FILE: '/nowhere' },
      /_FILE cannot be combined with CLIENT_CERTIFICATE/,
    ],
    [
      'a token as well',
      { CLIENT_CERTIFICATE: first.pem, FEDERATED_TOKEN_FILE: '/nowhere' },
      /^FEDERATED_TOKEN_FILE cannot be combined with CLIENT_CERTIFICATE\./,
    ],
  ])('is refused on Node with %s', async (_, given, message) => {
    const env = { ...required, DATABASE_URL: 'postgresql://127.0.0.1/people' }
    const reading = await readServerSettings({ CLIENT_SECRET: 'secret', ...env, ...given }, () => undefined)
    expect(reading).toMatchObject({ needsChange: true })
    expect('problems' in reading && reading.problems).toContainEqual(expect.stringMatching(message))
  })

  it('is not used once it has expired, and the next one is', async () => {
    const handler = startInProcess()
    const one = (name: string, expiresAt: number) => {
      const { privateKey, der } = first
      const key = Uint8Array.from(privateKey.export({ type: 'pkcs8', format: 'der' }))
      const certificate = { key, der: Uint8Array.from(Buffer.from(der, 'base64')), expiresAt }
      const { log, now } = handler.parts as Required<AppParts>
      return certificateCredential(name, async () => certificate, log, now)
    }
    const expired = one('CLIENT_CERTIFICATE', handler.now)
    for (const [credentials, status] of [
      [[expired, one('CLIENT_CERTIFICATE_NEXT', handler.now + dayMs)], 200],
      [[expired], 500],
    ] as const) {
      handler.redeemed.length = 0
      Object.assign(handler, { app: createApp({ ...handler.parts, credentials }) })
      expect((await handler.signIn()).answer.status).toBe(status)
      expect(handler.redeemed).toHaveLength(status === 200 ? 1 : 0)
    }
  })
})

describe('a sign-in on Node without a secret', () => {
  it('works with a token of the platform, as long as it is there', async () => {
    const issuer = await startTokenIssuer()
    const path = await fileOf('federated', issuer.issue())
    const federated = { issuer: issuer.url, subject: tokenSubject, audiences: [tokenAudience] }
    const credentials = { keyCredentials: [], federatedIdentityCredentials: [federated] }
    // It ends with an error if a log line has what looks like a token.
    const stage = await startStage('node', { CLIENT_SECRET: '', FEDERATED_TOKEN_FILE: path })
    stage.entra.control.setState({ entra: { credentials } })
    const { account } = await stage.hire()
    expect((await stage.visitor().signIn(account)).status).toBe(200)
    await rm(path)
    expect((await stage.visitor().signIn(account)).status).toBe(500)
    await expect.poll(stage.output).toMatch(/"code":"misconfigured".*"providerError":"ENOENT"/)
    await stage.close()
    await issuer.close()
  })

  it('ends with the status that its unit restarts if only the file is missing, since it can appear', async () => {
    const env = {
      FEDERATED_TOKEN_FILE: '/nowhere/token',
      TENANT_ID: 'tenant',
      CLIENT_ID: 'client',
      REDIRECT_URI: 'https://people.example.com/auth/callback',
      SESSION_KEYS: createSessionKey(new Date()),
      ALLOWED_DOMAINS: 'example.com',
      DATABASE_URL: 'postgresql://127.0.0.1/people',
    }
    await expect(startHandler({ env })).rejects.toThrow(/status 1(.|\n)*FEDERATED_TOKEN_FILE names a file/)
  })
})

describe('a client secret whose end is known', () => {
  const messages = ({ logged }: InProcess) =>
    logged.filter(({ event }) => event === 'settings').map(({ message }) => message)
  const signIn = async (handler: InProcess) => (await handler.signIn()).answer.status
  const ends = { CLIENT_SECRET: 'new,old', CLIENT_SECRET_EXPIRES_ON: '2027-03-01, 2026-12-15' }

  it('is reported by the end of the one in use, before it and after', async () => {
    const handler = startInProcess(ends)
    for (const days of [31, 30, -1]) {
      handler.now = Date.parse('2027-03-01') - days * dayMs
      expect([await signIn(handler), await signIn(handler)]).toEqual([200, 200])
    }
    expect(messages(handler)).toEqual([
      'Secret 1 of CLIENT_SECRET expires on 2027-03-01, in 30 days. Replace it and its date in CLIENT_SECRET_EXPIRES_ON before then.',
      'Secret 1 of CLIENT_SECRET expired on 2027-03-01. Replace it, or correct CLIENT_SECRET_EXPIRES_ON if you already did.',
    ])
  })

  it('counts for the one that works, if the provider rejects the first', async () => {
    const handler = startInProcess(ends, {}, async (...asked) =>
      asked[1].body?.get('client_secret') === 'new'
        ? jsonResponse(401, { error: 'invalid_client' })
        : providerOf()(...asked),
    )
    handler.now = Date.parse('2026-12-10')
    expect([await signIn(handler), await signIn(handler)]).toEqual([200, 200])
    expect(messages(handler)).toEqual([
      expect.stringMatching(/^Secret 2 of CLIENT_SECRET expires on 2026-12-15, in 5 days\./),
      expect.stringMatching(/^Entra rejects secret 1 of CLIENT_SECRET/),
    ])
  })

  it('is looked for at once, and then every hour', () => {
    vi.useFakeTimers({ toFake: ['setInterval'] })
    const said: number[] = []
    everyHour(async () => void said.push(said.length))
    vi.advanceTimersByTime(2 * 3_600_000)
    vi.useRealTimers()
    expect(said).toEqual([0, 1, 2])
  })
})
