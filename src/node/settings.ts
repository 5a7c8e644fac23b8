import type { ProxyEnv } from '../../lib/agent.ts'
import { judgeCertificates } from '../../lib/client-certificate.ts'
import { ignoredProxies } from '../../lib/ignored-proxies.ts'
import type { FullReading } from '../../lib/reading.ts'
import { anyText, list, optional, port, refuse } from '../../lib/settings/readers.ts'
import { type Table, textIn, type ValuesOf } from '../../lib/settings/table.ts'
import { readTableWithFiles } from '../../lib/settings/with-files.ts'
import { parseTrustedProxy } from '../../lib/trusted-proxies.ts'
import { parseProxy } from '../../lib/url.ts'
import type { Log } from '../http/log.ts'
import { table } from '../settings/table.ts'
import type { Earlier } from '../settings/values.ts'
import { certificatesIn } from '../sign-in/client-certificate.ts'
import { secretCredentials } from '../sign-in/client-secret.ts'
import type { ClientCredential } from '../sign-in/credential.ts'
import { certificateCredential, fileSettings, openCredential } from './credential-file.ts'
import { readDatabaseUrl } from './postgres/pool.ts'

/** The settings of the Node server alone. Links in comments are relative to docs/. */
export const nodeTable = {
  /**
   * the same as `CLIENT_CERTIFICATE` in a file, which is read at each sign-in and can have a chain or a longer key
   */
  CLIENT_CERTIFICATE_FILE: { read: optional(anyText) },
  /**
   * in place of `CLIENT_SECRET`: the file where the platform keeps [a token for
   * Entra](sign-in-reference.md#without-a-client-secret)
   */
  FEDERATED_TOKEN_FILE: { read: optional(anyText) },
  /**
   * `postgresql://…`. For another machine, add `?sslmode=verify-full`, or `?sslmode=disable` if the network is your own
   */
  DATABASE_URL: {
    read: readDatabaseUrl,
    fix: 'Set it to the employees’ database: postgresql://…',
    secret: true,
  },
  /** the proxy between this host and Entra, such as `http://proxy.example.com:3128` */
  // Can contain a password.
  HTTPS_PROXY: { read: optional(readProxyUrl), anyCase: true },
  /** hosts to reach without that proxy */
  NO_PROXY: { read: anyText, anyCase: true },
  /**
   * addresses or ranges of the proxies in front, whose `X-Forwarded-For` is believed. See
   * [abuse](sign-in-reference.md#abuse)
   */
  TRUSTED_PROXIES: { read: list(parseTrustedProxy) },
  /** the address to listen on. Let the proxy in front handle TLS */
  HOST: { read: anyText, default: '127.0.0.1' },
  /** the port to listen on */
  PORT: { read: port, default: '8080' },
} as const satisfies Table<Earlier>

// Files come first, because they can replace CLIENT_SECRET.
const { CLIENT_CERTIFICATE_FILE, FEDERATED_TOKEN_FILE, ...others } = nodeTable
const serverTable = { CLIENT_CERTIFICATE_FILE, FEDERATED_TOKEN_FILE, ...table, ...others }

export const noTrustedProxies =
  'TRUSTED_PROXIES is not set. Sign-ins with rejected codes are limited per peer address, and connections from this machine are not limited. If a proxy is in front, set TRUSTED_PROXIES to its address.'

/** Everything that the Node server needs to start. */
export interface ServerSettings {
  readonly settings: ValuesOf<typeof serverTable>
  /** In the order in which they are tried. */
  readonly credentials: readonly ClientCredential[]
}

/**
 * Reads the environment, secret files included. Returns every problem at once.
 * @param log gets a warning for each setting that can be used, and should not be as it is
 * @param options.needsDatabase false for the settings of a Worker, whose store is D1
 * @returns with problems, whether one of them needs a change of the settings
 */
export async function readServerSettings(
  env: Readonly<Record<string, string | undefined>>,
  log: Log,
  { needsDatabase = true } = {},
): Promise<
  { readonly value: ServerSettings } | { readonly problems: readonly string[]; readonly needsChange: boolean }
> {
  const warn = (message: string) => log({ level: 'warning', event: 'settings', message })
  const { reading, warnings } = readTableWithFiles(serverTable, env, {
    skipped: needsDatabase ? [] : ['DATABASE_URL'],
  })
  warnings.forEach(warn)
  const wrong = [...('problems' in reading ? reading.problems : []), ...ignoredProxies(env)]
  const given = 'value' in reading ? certificatesIn(reading.value) : {}
  const judged = judgeCertificates(Object.entries(given), Date.now())
  if ('problems' in judged) wrong.push(...judged.problems)
  const [first, other] = [...fileSettings, 'CLIENT_CERTIFICATE', 'CLIENT_SECRET'].filter(name =>
    textIn(env, name),
  )
  const setting = fileSettings.find(name => name === first)
  const file = setting && { setting, path: textIn(env, setting) ?? '' }
  if (file && other) wrong.push(`${setting} cannot be combined with ${other}. Set only one.`)
  const opened = file ? await openCredential(file, log, Date.now) : { value: null }
  const problems = [...wrong, ...('problem' in opened ? [opened.problem] : [])]
  if ('problems' in reading || 'problems' in judged || 'problem' in opened || wrong.length > 0)
    return { problems, needsChange: wrong.length > 0 }
  const { basePath, redirectUris } = reading.value
  const outside = redirectUris.find(uri => !new URL(uri).pathname.startsWith(`${basePath}/`))
  if (outside !== undefined)
    warn(
      `REDIRECT_URI has ${outside}, which is outside BASE_PATH. Move it below, in Entra too, or let the proxy pass its path to the handler.`,
    )
  const certificates = judged.value.map(({ setting, ...certificate }) =>
    certificateCredential(setting, async () => certificate, log, Date.now),
  )
  const own = [...secretCredentials(reading.value, log, Date.now), ...certificates]
  return { value: { settings: reading.value, credentials: opened.value ? [opened.value] : own } }
}

/** Returns the proxy between this host and Entra, as agents take it. */
export function proxyEnvOf({ httpsProxy, noProxy }: ServerSettings['settings']): ProxyEnv {
  return httpsProxy === null ? {} : { HTTPS_PROXY: httpsProxy, NO_PROXY: noProxy }
}

/** Reads the URL of a proxy, with or without credentials. */
export function readProxyUrl(text: string): FullReading<string> {
  const url = parseProxy(text)
  return url
    ? { value: url.href }
    : refuse('is not the URL of a proxy, such as http://proxy.example.com:3128.')
}
