import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parse } from 'yaml'

/** A service of a compose file. */
export interface Service {
  readonly image: string
  readonly command?: readonly string[]
  readonly entrypoint?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly network_mode?: string
  readonly networks?: readonly string[] | Readonly<Record<string, unknown>>
  readonly secrets?: readonly string[]
  /** In the short form: `SOURCE:TARGET`. */
  readonly volumes?: readonly string[]
  readonly read_only?: boolean
}

export interface ComposeFile {
  readonly services: Readonly<Record<string, Service>>
  readonly secrets: Readonly<Record<string, { readonly file: string }>>
}

/**
 * Reads a compose file, and replaces its variables. Paths of secrets become absolute.
 * @throws Error with the name of a variable that is missing
 */
export async function loadCompose(
  file: string,
  variables: Readonly<Record<string, string>>,
): Promise<ComposeFile> {
  const text = await readFile(file, 'utf8')
  const filled = text.replaceAll(/\$\$|\$\{(\w+)(?::([?-])([^}]*))?\}/g, (all, name, kind, rest) => {
    if (all === '$$') return '$'
    const value = variables[name] || (kind === '-' ? rest : undefined)
    if (value === undefined) throw new Error(`${name}: ${rest}`)
    return value
  })
  const { services, secrets } = parse(filled, { merge: true }) as ComposeFile
  const absolute = Object.entries(secrets).map(([name, secret]) => [
    name,
    { file: join(dirname(file), secret.file) },
  ])
  return { services, secrets: Object.fromEntries(absolute) }
}

/** Returns the values of a file in the form of `.env`. */
export function readVariables(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries([...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]))
}
