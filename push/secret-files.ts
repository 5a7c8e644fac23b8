import { withSecretFiles } from '../lib/secret-file.ts'
import { readSettings, type SettingsReading, secretNames } from './settings.ts'

/** Reads every setting of an environment, and the secrets from files, which NAME_FILE names. */
export function readEnvironment(env: Readonly<Record<string, string | undefined>>): SettingsReading {
  const files = withSecretFiles(env, secretNames)
  const reading = readSettings(files.env)
  const problems = 'problems' in reading ? reading.problems.filter(files.isNew) : []
  return 'problems' in reading || files.problems.length > 0
    ? { problems: [...files.problems, ...problems] }
    : reading
}
