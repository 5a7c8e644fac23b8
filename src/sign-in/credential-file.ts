import { type KeyObject, webcrypto } from 'node:crypto'
import { open } from 'node:fs/promises'
import * as oauth from 'oauth4webapi'
import type { Reading } from '../../lib/reading.ts'
import { maxServerSecretBytes as maxBytes } from '../../lib/secret-file.ts'
import { decodeText } from '../../lib/text-file.ts'
import { codeOf } from '../http/error-code.ts'
import type { Log } from '../http/log.ts'
import { type CertificateReading, readClientCertificate } from './client-certificate.ts'
import { type ClientCredential, CredentialError } from './credential.ts'
import { createEndReport } from './credential-end.ts'

/** How long an assertion is valid, in seconds. Entra's clock may differ from ours. */
const assertionSeconds = 300

/** A file that authenticates the application, and the setting that names it. */
export interface CredentialFile {
  readonly setting: 'CLIENT_CERTIFICATE_FILE' | 'FEDERATED_TOKEN_FILE'
  readonly path: string
}

export interface CredentialParts {
  readonly file: CredentialFile
  /** Unix time in milliseconds. */
  readonly now: () => number
  /** Gets a line about the end of a certificate, and about a replacement that cannot be used. */
  readonly log: Log
}

/** The credential, or a sentence that names the setting. */
export type CredentialReading = Reading<ClientCredential>

/** Opens the file that authenticates the application in place of a secret. Each use reads it, so that it can be replaced. */
export async function openCredential(parts: CredentialParts): Promise<CredentialReading> {
  const { file } = parts
  const content = await readFile(file.path)
  if (file.setting === 'CLIENT_CERTIFICATE_FILE') return certificateCredential(parts, content)
  const token = 'value' in content ? readToken(content.value.text) : { problem: unreadable(content.problem) }
  if ('problem' in token) return { problem: `${file.setting} ${token.problem}` }
  return { value: tokenCredential(file.path) }
}

interface FileContent {
  readonly text: string
  /** Permission bits. */
  readonly mode: number
  /** User id. */
  readonly owner: number
}

/** The problem is the code of the error, such as `ENOENT`. */
type FileReading = Reading<FileContent>

async function readFile(path: string): Promise<FileReading> {
  try {
    const file = await open(path)
    try {
      const { mode, uid: owner } = await file.stat()
      const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(maxBytes + 1) })
      if (bytesRead > maxBytes) return { problem: 'EFBIG' }
      const content = decodeText(buffer.subarray(0, bytesRead))
      if ('problem' in content) return { problem: notUtf8 }
      return { value: { text: content.value.trim(), mode: mode & 0o777, owner } }
    } finally {
      await file.close()
    }
  } catch (error) {
    return { problem: codeOf(error) ?? 'unknown error' }
  }
}

/** In place of the code of an error. */
const notUtf8 = 'NOT_UTF8'

function unreadable(code: string): string {
  if (code === notUtf8) return 'names a file that is not UTF-8 text. Save it as UTF-8.'
  return `names a file that cannot be read (${code}). Check its path, owner and size.`
}

/** Reads a federated token, which must be a JWT (RFC 7519). */
function readToken(text: string): Reading<string> {
  if (/^[\w-]+\.[\w-]+\.[\w-]+$/.test(text)) return { value: text }
  return {
    problem:
      'names a file that does not contain a token (a JWT). Use the path that the platform writes it to.',
  }
}

/** The platform replaces the token before it expires, so it is read for each exchange. */
function tokenCredential(path: string): ClientCredential {
  return {
    check: async () => undefined,
    async authenticate(_server, client, body) {
      const content = await readFile(path)
      if ('problem' in content) throw new CredentialError(content.problem)
      const token = readToken(content.value.text)
      if ('problem' in token) throw new CredentialError('NOT_A_TOKEN')
      body.set('client_id', client.client_id)
      body.set('client_assertion_type', 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer')
      body.set('client_assertion', token.value)
    },
  }
}

/**
 * Uses a new certificate as soon as the file contains it. If the new one is unusable, the previous one stays in use until
 * it expires.
 */
function certificateCredential(parts: CredentialParts, first: FileReading): CredentialReading {
  const { file, now, log } = parts
  const opened = certificateIn(first, now())
  if ('problem' in opened) return { problem: `${file.setting} ${opened.problem}` }
  let certificate = opened.value
  let key = importKey(certificate.key)
  let used = JSON.stringify(first)
  let refused = ''
  const hasExpired = () => certificate.expiresAt <= now()
  const reportEnd = createEndReport(log, {
    name: `The certificate in ${file.setting}`,
    before: 'Replace it before then.',
    after: ' and is no longer used, so nobody can sign in. Replace it.',
  })

  async function check(): Promise<void> {
    const content = await readFile(file.path)
    const found = JSON.stringify(content)
    // A refused file is read again, because its certificate can become valid.
    if (found !== used) {
      const reading = certificateIn(content, now())
      if ('value' in reading) {
        certificate = reading.value
        key = importKey(certificate.key)
        used = found
      } else if (found !== refused) {
        refused = found
        const rest = hasExpired() ? '' : ' The previous certificate stays in use.'
        log({ level: 'warning', event: 'settings', message: `${file.setting} ${reading.problem}${rest}` })
      }
    }
    reportEnd(certificate.expiresAt, now())
  }

  const authenticate: ClientCredential['authenticate'] = async (server, client, body, headers) => {
    await check()
    if (hasExpired()) throw new CredentialError('CERTIFICATE_EXPIRED')
    const { thumbprint } = certificate
    const seconds = Math.floor(now() / 1000)
    const sign = oauth.PrivateKeyJwt(await key, {
      [oauth.modifyAssertion](header, payload) {
        Object.assign(header, { typ: 'JWT', 'x5t#S256': thumbprint })
        Object.assign(payload, {
          aud: server.token_endpoint,
          jti: crypto.randomUUID(),
          iat: seconds,
          nbf: seconds,
          exp: seconds + assertionSeconds,
        })
      },
    })
    await sign(server, client, body, headers)
  }
  return { value: { authenticate, check } }
}

function certificateIn(content: FileReading, now: number): CertificateReading {
  if ('problem' in content) return { problem: unreadable(content.problem) }
  const { text, mode, owner } = content.value
  if (isPrivate(mode, owner, process.geteuid?.())) return readClientCertificate(text, now)
  const octal = mode.toString(8).padStart(4, '0')
  return {
    problem: `names a file with a private key that other users can access (permissions ${octal}). Run \`chmod 600\` on it.`,
  }
}

/**
 * Whether the permissions of a file keep its private key from other users. The rule is PostgreSQL's for its own key: only
 * the owner can read it, or also a group if root owns it, as with systemd's credentials.
 * @param user the user id of this process; undefined where there is none
 */
export function isPrivate(mode: number, owner: number, user: number | undefined): boolean {
  if (user === undefined) return true
  const forbidden = owner === 0 && user !== 0 ? 0o037 : 0o077
  return (mode & forbidden) === 0
}

/** Imports a key for PS256, which Entra recommends for assertions (certificate credentials). */
function importKey(key: KeyObject): Promise<webcrypto.CryptoKey> {
  const bytes = key.export({ type: 'pkcs8', format: 'der' })
  return webcrypto.subtle.importKey('pkcs8', bytes, { name: 'RSA-PSS', hash: 'SHA-256' }, false, ['sign'])
}
