import { open } from 'node:fs/promises'
import { type JudgedCertificate, readCertificateFile } from '../../lib/client-certificate.ts'
import type { Reading } from '../../lib/reading.ts'
import { maxServerSecretBytes as maxBytes } from '../../lib/secret-file.ts'
import { decodeText } from '../../lib/text-file.ts'
import { codeOf } from '../http/error-code.ts'
import type { Log } from '../http/log.ts'
import { createSigner, setAssertion } from '../sign-in/client-certificate.ts'
import { type ClientCredential, CredentialError } from '../sign-in/credential.ts'
import { createEndReport } from '../sign-in/credential-end.ts'

/** The settings that name a file which authenticates the application. */
export const fileSettings = ['CLIENT_CERTIFICATE_FILE', 'FEDERATED_TOKEN_FILE'] as const

/** Such a file. */
interface CredentialFile {
  readonly setting: (typeof fileSettings)[number]
  readonly path: string
}

/**
 * Opens the file that authenticates the application in place of a secret. Each use reads it, so that it can be replaced. A problem
 * names the setting.
 * @param log gets a line about the end of a certificate, and about a replacement that cannot be used
 * @param now Unix time in milliseconds
 */
export async function openCredential(
  file: CredentialFile,
  log: Log,
  now: () => number,
): Promise<Reading<ClientCredential>> {
  const content = await readFile(file.path)
  if (file.setting === 'CLIENT_CERTIFICATE_FILE') return fileCredential(file, content, log, now)
  const token = 'value' in content ? readToken(content.value.text) : { problem: readProblem(content.problem) }
  if ('problem' in token) return { problem: `${file.setting} ${token.problem}` }
  return { value: tokenCredential(file) }
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
    await using file = await open(path)
    const { mode, uid: owner } = await file.stat()
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(maxBytes + 1) })
    if (bytesRead > maxBytes) return { problem: 'EFBIG' }
    const content = decodeText(buffer.subarray(0, bytesRead))
    if ('problem' in content) return { problem: notUtf8 }
    return { value: { text: content.value.trim(), mode: mode & 0o777, owner } }
  } catch (error) {
    return { problem: codeOf(error) ?? 'unknown error' }
  }
}

/** The error code of a file that is not UTF-8. */
const notUtf8 = 'NOT_UTF8'

function readProblem(code: string): string {
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
function tokenCredential({ setting, path }: CredentialFile): ClientCredential {
  return {
    name: setting,
    check: async () => undefined,
    async authenticate(_server, client, body) {
      const content = await readFile(path)
      if ('problem' in content) throw new CredentialError(content.problem)
      const token = readToken(content.value.text)
      if ('problem' in token) throw new CredentialError('NOT_A_TOKEN')
      setAssertion(client, body, token.value)
    },
  }
}

/**
 * Uses a new certificate as soon as the file contains it. If the new one is unusable, the previous one stays in use until
 * it expires.
 */
function fileCredential(
  file: CredentialFile,
  first: FileReading,
  log: Log,
  now: () => number,
): Reading<ClientCredential> {
  const opened = certificateIn(first, now())
  if ('problem' in opened) return { problem: `${file.setting} ${opened.problem}` }
  let certificate = opened.value
  let used = JSON.stringify(first)
  let refused = ''

  async function current(): Promise<JudgedCertificate> {
    const content = await readFile(file.path)
    const found = JSON.stringify(content)
    // A refused file is read again, because its certificate can become valid.
    if (found !== used) {
      const reading = certificateIn(content, now())
      if ('value' in reading) {
        certificate = reading.value
        used = found
      } else if (found !== refused) {
        refused = found
        const rest = certificate.expiresAt <= now() ? '' : ' The previous certificate stays in use.'
        log({ level: 'warning', event: 'settings', message: `${file.setting} ${reading.problem}${rest}` })
      }
    }
    return certificate
  }
  return { value: certificateCredential(file.setting, current, log, now) }
}

/** Returns a credential whose end is known: it is reported, and an expired certificate is not used. */
export function certificateCredential(
  name: string,
  current: () => Promise<JudgedCertificate>,
  log: Log,
  now: () => number,
): ClientCredential {
  const before = 'Replace it before then.'
  const after = ' and is no longer used. Replace it.'
  const reportEnd = createEndReport(log, `The certificate in ${name}`, before, after)
  async function check(): Promise<JudgedCertificate> {
    const certificate = await current()
    reportEnd(certificate.expiresAt, now())
    return certificate
  }
  return {
    name,
    check: async () => void (await check()),
    async authenticate(...request) {
      const certificate = await check()
      if (certificate.expiresAt <= now()) throw new CredentialError('CERTIFICATE_EXPIRED')
      await createSigner(certificate, now)(...request)
    },
  }
}

function certificateIn(content: FileReading, now: number): Reading<JudgedCertificate> {
  if ('problem' in content) return { problem: readProblem(content.problem) }
  const { text, mode, owner } = content.value
  if (isPrivate(mode, owner, process.geteuid?.())) return readCertificateFile(text, now)
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
