import { readAtMost } from '../action/inputs/secret-file.ts'
import { secretNames } from './settings.ts'

type Environment = Readonly<Record<string, string | undefined>>

const maxBytes = 64 * 1024

/** Returns the environment with the secrets from files, which NAME_FILE names. No problem repeats a secret. */
export function withSecretFiles(env: Environment): {
  readonly env: Environment
  readonly problems: readonly string[]
} {
  const secrets: Record<string, string> = {}
  const problems: string[] = []
  for (const name of secretNames) {
    const path = env[`${name}_FILE`]
    if (!path) continue
    if (env[name]?.trim()) {
      problems.push(`${name}_FILE and ${name} are both set. Remove one.`)
      continue
    }
    try {
      const text = readAtMost(path, maxBytes)?.trim() ?? ''
      if (text === '') problems.push(`${name}_FILE names a file that is empty or over 64 KiB.`)
      secrets[name] = text
    } catch (error) {
      const { code = 'unknown error' } = error as NodeJS.ErrnoException
      problems.push(`${name}_FILE names a file that cannot be read (${code}). Check its path and owner.`)
    }
  }
  return { env: { ...env, ...secrets }, problems }
}
