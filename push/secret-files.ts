import { checkProxies } from '../action/inputs/services.ts'
import { ignoredProxies } from '../lib/ignored-proxies.ts'
import { withSecretFiles } from '../lib/secret-file.ts'
import { readSettings, type SettingsReading, secretNames } from './settings.ts'

/** Reads every setting of an environment, and the secrets from files, which NAME_FILE names. */
export function readEnvironment(env: Readonly<Record<string, string | undefined>>): SettingsReading {
  const files = withSecretFiles(env, secretNames)
  const reading = readSettings(files.env)
  const malformed: string[] = []
  checkProxies({ addProblem: (name, message) => void malformed.push(`${name} ${message}`) }, env)
  const own = [...files.problems, ...malformed, ...ignoredProxies(env)]
  const problems = 'problems' in reading ? reading.problems.filter(files.isNew) : []
  return 'problems' in reading || own.length > 0 ? { problems: [...own, ...problems] } : reading
}
