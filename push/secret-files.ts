import { proxyProblems } from '../action/inputs/services.ts'
import { ignoredProxies } from '../lib/ignored-proxies.ts'
import type { FullReading } from '../lib/reading.ts'
import { readTableWithFiles } from '../lib/settings/with-files.ts'
import { type PushSettings, table } from './settings.ts'

/**
 * Reads every setting of an environment, and the secrets from files, which NAME_FILE names.
 * @param warn hears of each of these files that every user of this host can read
 */
export function readEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  warn: (message: string) => void,
): FullReading<PushSettings> {
  const { reading, warnings } = readTableWithFiles(table, env)
  warnings.forEach(warn)
  const problems = [
    ...('problems' in reading ? reading.problems : []),
    ...proxyProblems(env),
    ...ignoredProxies(env),
  ]
  return problems.length > 0 ? { problems } : reading
}
