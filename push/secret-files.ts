import { checkProxies } from '../action/inputs/services.ts'
import { ignoredProxies } from '../lib/ignored-proxies.ts'
import { withSecretFiles } from '../lib/secret-file.ts'
import { readSettings, rows, type SettingsReading, secretNames } from './settings.ts'

/**
 * Reads every setting of an environment, and the secrets from files, which NAME_FILE names.
 * @param entry `node` refuses the settings of a Worker; `any` takes those of both
 */
export function readEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  entry: 'node' | 'any' = 'node',
): SettingsReading {
  const files = withSecretFiles(env, secretNames)
  const reading = readSettings(files.env)
  const malformed: string[] = []
  checkProxies({ addProblem: (name, message) => void malformed.push(`${name} ${message}`) }, env)
  const foreign = entry === 'node' ? workerProblems(files.env) : []
  const own = [...files.problems, ...foreign, ...malformed, ...ignoredProxies(env)]
  const problems = 'problems' in reading ? reading.problems.filter(files.isNew) : []
  return 'problems' in reading || own.length > 0 ? { problems: [...own, ...problems] } : reading
}

/** Reports settings of the Worker, whose cron trigger Node does not have. */
function workerProblems(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const found = rows.filter(([name, { only }]) => only === 'worker' && env[name]?.trim())
  const fix = 'This machine has a clock of its own: run the command there (docs/keep-a-hostname.md).'
  return found.map(([name]) => `${name} is for the Worker only. ${fix}`)
}
