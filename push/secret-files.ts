import { checkProxies } from '../action/inputs/services.ts'
import { withSecretFiles } from '../lib/secret-file.ts'
import { readSettings, rows, type SettingsReading, secretNames } from './settings.ts'

/** Reads every setting of an environment, and the secrets from files, which NAME_FILE names. */
export function readEnvironment(env: Readonly<Record<string, string | undefined>>): SettingsReading {
  const files = withSecretFiles(env, secretNames)
  const reading = readSettings(files.env)
  const own = [...files.problems, ...workerProblems(files.env), ...proxyProblems(env)]
  const problems = 'problems' in reading ? reading.problems.filter(files.isNew) : []
  return 'problems' in reading || own.length > 0 ? { problems: [...own, ...problems] } : reading
}

/** Reports settings of the Worker, whose cron trigger Node does not have. */
function workerProblems(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const found = rows.filter(([name, { only }]) => only === 'worker' && env[name]?.trim())
  const fix = 'This machine has a clock of its own: run the command there (docs/keep-a-hostname.md).'
  return found.map(([name]) => `${name} is for the Worker only. ${fix}`)
}

/** Returns what is wrong with the proxy of an environment. One that is ignored would let the token take a way that was closed. */
function proxyProblems(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const problems: string[] = []
  checkProxies({ addProblem: (name, message) => void problems.push(`${name} ${message}`) }, env)
  const isSet = (name: string) => Boolean(env[name]?.trim())
  const ours = ['HTTPS_PROXY', 'https_proxy'].find(isSet)
  const others = ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy'].find(isSet)
  // Agents of Node.js can use a proxy in the versions that have this flag. Older ones ignore `proxyEnv` without a word.
  const isUsed = process.allowedNodeEnvironmentFlags.has('--use-env-proxy')
  if (ours !== undefined && !isUsed)
    problems.push(
      `${ours} would be ignored by Node.js ${process.versions.node}. Use Node.js 24.5 or newer, or 22.21 or newer in 22, or remove ${ours}.`,
    )
  else if (ours === undefined && others !== undefined)
    problems.push(`${others} would be ignored: all requests use https. Set HTTPS_PROXY, or remove ${others}.`)
  return problems
}
