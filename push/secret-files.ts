import { proxyProblems } from '../action/inputs/services.ts'
import { ignoredProxies } from '../lib/ignored-proxies.ts'
import type { FullReading } from '../lib/reading.ts'
import { readTableWithFiles } from '../lib/settings/with-files.ts'
import { type PushSettings, table } from './settings.ts'

/** Reads every setting of an environment, and the secrets from files, which NAME_FILE names. */
export function readEnvironment(
  env: Readonly<Record<string, string | undefined>>,
): FullReading<PushSettings> {
  const { reading } = readTableWithFiles(table, env)
  const problems = [
    ...('problems' in reading ? reading.problems : []),
    ...proxyProblems(env),
    ...ignoredProxies(env),
  ]
  return problems.length > 0 ? { problems } : reading
}
