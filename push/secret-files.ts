import { readText } from '../action/inputs/secret-file.ts'
import { readSettings, type SettingsReading, secretNames } from './settings.ts'

const maxBytes = 64 * 1024

/** Reads every setting of an environment, and the secrets from files, which NAME_FILE names. */
export function readEnvironment(env: Readonly<Record<string, string | undefined>>): SettingsReading {
  const problems: string[] = []
  const secrets: Record<string, string | null> = {}
  for (const name of secretNames) {
    const path = env[`${name}_FILE`]
    if (!path) continue
    if (env[name]?.trim()) problems.push(`${name}_FILE and ${name} are both set. Remove one.`)
    else secrets[name] = readText(`${name}_FILE`, path, problems, { maxBytes })
  }
  const reading = readSettings({ ...env, ...secrets })
  // What cannot be read is not missing as well.
  const unread = Object.keys(secrets).filter(name => secrets[name] === null)
  const isNew = (problem: string) => !unread.some(name => problem.startsWith(`${name} is missing.`))
  if ('problems' in reading) problems.push(...reading.problems.filter(isNew))
  return 'problems' in reading || problems.length > 0 ? { problems } : reading
}
