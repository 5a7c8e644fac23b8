/** Environment variables. */
type Texts = Readonly<Record<string, string | undefined>>

/** Maximum size of a file, in characters. Secrets have a few hundred. */
const maxLength = 64 * 1024

/**
 * Returns the environment with the secrets from files: NAME is the trimmed content of the file that NAME_FILE names. No
 * problem repeats a secret.
 * @param names settings that hold a secret
 * @param readFile returns a file's text, or throws
 */
export function withSecretFiles(
  env: Texts,
  names: readonly string[],
  readFile: (path: string) => string,
): { readonly env: Texts; readonly problems: readonly string[] } {
  const secrets: Record<string, string> = {}
  const problems: string[] = []
  for (const name of names) {
    const path = env[`${name}_FILE`]
    if (!path) continue
    if (env[name]?.trim()) {
      problems.push(`${name}_FILE and ${name} are both set. Remove one.`)
      continue
    }
    try {
      const text = readFile(path).trim()
      if (text === '' || text.length > maxLength) {
        problems.push(`${name}_FILE names a file that is empty or over 64 KiB. Put only the secret into it.`)
      }
      secrets[name] = text
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
      problems.push(`${name}_FILE names a file that cannot be read (${code}). Check its path and owner.`)
    }
  }
  return { env: { ...env, ...secrets }, problems }
}
