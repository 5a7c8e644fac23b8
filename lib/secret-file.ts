import { isExposed } from './exposed-file.ts'
import type { Reading } from './reading.ts'
import { readTextFile } from './text-file.ts'

/** Environment variables. */
type Environment = Readonly<Record<string, string | undefined>>

/** Reads a secret, without white space around it. An empty file is a problem. */
export function readSecretFile(path: string, maxBytes: number): Reading<string> {
  const reading = readTextFile(path, maxBytes)
  if ('problem' in reading) return reading
  const value = reading.value.trim()
  return value === '' ? { problem: 'is empty. Fill it, or remove the setting.' } : { value }
}

/** Maximum size of a secret of a server, in bytes. A certificate with its chain and key has a few thousand. */
export const maxServerSecretBytes = 64 * 1024

/**
 * Returns the environment with the secrets from files: NAME is the content of the file that NAME_FILE names. No problem
 * repeats a path, since somebody may have set NAME_FILE to the secret itself.
 * @param names settings that hold a secret
 * @returns also the names of settings whose files could not be read, so that they are not reported as missing, too, and a warning
 * for each file that every user of this host can read
 */
export function withSecretFiles(env: Environment, names: readonly string[]) {
  const secrets: Record<string, string> = {}
  const problems: string[] = []
  const unread: string[] = []
  const warnings: string[] = []
  for (const name of names) {
    const path = env[`${name}_FILE`]
    if (!path) continue
    if (isExposed(path, env))
      warnings.push(
        `${name}_FILE names a file that every user of this host can read. Run chmod 600 on it, and replace the secret if ` +
          'somebody may have seen it.',
      )
    if (env[name]?.trim()) {
      problems.push(`${name}_FILE and ${name} are both set. Remove one.`)
      continue
    }
    const reading = readSecretFile(path, maxServerSecretBytes)
    if ('value' in reading) {
      secrets[name] = reading.value
    } else {
      unread.push(name)
      problems.push(`${name}_FILE names a file that ${reading.problem}`)
    }
  }
  return { env: { ...env, ...secrets }, problems, unread, warnings }
}
