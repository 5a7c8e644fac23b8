import { execFile } from 'node:child_process'
import { basename, dirname } from 'node:path'
import { promisify } from 'node:util'
import { composeLoader } from '../../tools/compose.ts'

/** A service of a compose file, as the loader of Docker Compose writes it. */
export interface Service {
  readonly image: string
  readonly command?: readonly string[]
  readonly entrypoint?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly network_mode?: string
  readonly networks?: Readonly<Record<string, unknown>>
  readonly secrets?: readonly { readonly source: string; readonly target: string }[]
  readonly volumes?: readonly { readonly source: string; readonly target: string }[]
  readonly read_only?: boolean
}

export interface ComposeFile {
  readonly services: Readonly<Record<string, Service>>
  readonly secrets: Readonly<Record<string, { readonly file: string }>>
}

/**
 * Checks a compose file against the specification, and replaces its variables.
 * @throws Error with what the loader says, or the name of a variable that is missing
 */
export async function loadCompose(
  file: string,
  variables: Readonly<Record<string, string>>,
): Promise<ComposeFile> {
  // The loader's own replacement knows no .env outside of Docker.
  const args = ['-no-interpolation', '-format', 'json', basename(file)]
  const { stdout } = await promisify(execFile)(await composeLoader(), args, { cwd: dirname(file) })
  const text = stdout.replaceAll(/\$\$|\$\{(\w+)(?::([?-])([^}]*))?\}/g, (all, name, kind, rest) => {
    if (all === '$$') return '$'
    const value = variables[name] || (kind === '-' ? rest : undefined)
    if (value === undefined) throw new Error(`${name}: ${rest}`)
    return value
  })
  return JSON.parse(text)
}

/** Returns the values of a file in the form of `.env`. */
export function readVariables(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries([...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]))
}
