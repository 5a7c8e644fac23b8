import { exposedFiles } from '../lib/exposed-file.ts'
import { ignoredProxies } from '../lib/ignored-proxies.ts'
import type { Cidr } from '../lib/ip-address.ts'
import { parsePort } from '../lib/port.ts'
import { withSecretFiles } from '../lib/secret-file.ts'
import { readDatabaseUrl } from './employees/postgres-pool.ts'
import type { Log } from './http/log.ts'
import { credentialFiles } from './settings/credential-file.ts'
import { secretNames } from './settings/names.ts'
import { describeProblem } from './settings/problems.ts'
import { readSettings } from './settings/settings.ts'
import { type Settings, table } from './settings/table.ts'
import { readTrustedProxies } from './settings/values.ts'
import type { ClientCredential } from './sign-in/credential.ts'
import { openCredential } from './sign-in/credential-file.ts'

type Variables = Readonly<Record<string, string | undefined>>

/** Everything that the Node server needs to start. */
export interface ServerSettings {
  /** The environment, with the secrets of its files. */
  readonly env: Variables
  readonly settings: Settings
  readonly databaseUrl: string
  readonly port: number
  readonly trustedProxies: readonly Cidr[]
  /** Null to use the secrets in the settings. */
  readonly credential: ClientCredential | null
}

/**
 * Reads the environment, secret files included. Returns every problem at once.
 * @param log gets a warning for each setting that can be used, and should not be as it is
 * @param options.needsDatabase false for the settings of a Worker, whose store is D1
 * @returns with problems, whether one of them needs a change of the settings
 */
export async function readServerSettings(
  given: Variables,
  log: Log,
  { needsDatabase = true } = {},
): Promise<
  { readonly value: ServerSettings } | { readonly problems: readonly string[]; readonly needsChange: boolean }
> {
  const warn = (message: string) => log({ level: 'warning', event: 'settings', message })
  const { env, problems: fileProblems, isNew } = withSecretFiles(given, secretNames)
  for (const message of exposedFiles(given, secretNames)) warn(message)
  const reading = readSettings(env)
  const databaseUrl = env['DATABASE_URL'] ?? ''
  const wrong = [...fileProblems, ...('problems' in reading ? reading.problems.filter(isNew) : [])]
  const database = readDatabaseUrl(databaseUrl)
  if ('problem' in database && needsDatabase)
    wrong.push(...[`DATABASE_URL ${database.problem}`].filter(isNew))
  const port = parsePort(env['PORT']?.trim() || table.PORT.default)
  if (port === null) wrong.push('PORT is not a number from 0 to 65535.')
  const proxies = readTrustedProxies(env['TRUSTED_PROXIES'] ?? '')
  if ('problems' in proxies)
    wrong.push(...proxies.problems.map(problem => `TRUSTED_PROXIES ${describeProblem(problem)}`))
  wrong.push(...ignoredProxies(env))
  const [file] = credentialFiles(env)
  const opened = file ? await openCredential({ file, now: Date.now, log }) : { value: null }
  const problems = [...wrong, ...('problem' in opened ? [opened.problem] : [])]
  if ('problems' in reading || 'problems' in proxies || port === null || problems.length > 0)
    return { problems, needsChange: wrong.length > 0 }
  const { basePath, redirectUris } = reading.value
  const outside = redirectUris.find(uri => !new URL(uri).pathname.startsWith(`${basePath}/`))
  if (outside !== undefined)
    warn(
      `REDIRECT_URI has ${outside}, which is outside BASE_PATH. Move it below, in Entra too, or let the proxy pass its path to the handler.`,
    )
  const credential = 'value' in opened ? opened.value : null
  return {
    value: { env, settings: reading.value, databaseUrl, port, trustedProxies: proxies.value, credential },
  }
}
