import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { lstat, open, readdir, rename, unlink } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Reading } from '../lib/reading.ts'
import { rows, type SettingRow } from '../src/settings/table.ts'
import { formatEnvFile, parseEnvFile, whyReadersDiffer } from './env-file.ts'
import { Refusal } from './program.ts'

/** A file of the directory, with its whole text. */
interface SettingsFile {
  readonly name: string
  readonly text: string
}

/** The file of each secret, which the systemd unit loads as a credential of this name. */
const secretFiles = { CLIENT_SECRET: 'client-secret', SESSION_KEYS: 'session-keys' } as const
const plainFile = 'homeport.env'
/** The operator's own settings, which the unit reads after ours. Never read or written here. */
const ownFile = 'local.env'
const fileNames: readonly string[] = [plainFile, ...Object.values(secretFiles)]
const comment = `Written by npm run after-up -- --settings, which replaces this file. Put your own settings into ${ownFile}.`

/** Longest text that is read, in characters: a stack's outputs, and a file that is compared. */
const maxLength = 1024 * 1024
const fileMode = 0o600

/**
 * Returns the three files for the stack's output `handlerSettings`: an object of names and texts, or that as JSON. No problem
 * repeats a value.
 */
export function planFiles(
  output: unknown,
): { readonly value: readonly SettingsFile[] } | { readonly problems: readonly string[] } {
  const texts = readTexts(output)
  if ('problem' in texts) return { problems: [texts.problem] }
  const given = texts.value
  const known = new Map<string, SettingRow>(rows)
  const problems = [...given].flatMap(([name, value]) => {
    const problem = problemOf(name, value, known.get(name) ?? null)
    return problem === null ? [] : [problem]
  })
  for (const name of Object.keys(secretFiles))
    if (!given.get(name)?.trim()) problems.push(`handlerSettings has no ${name}. Run pulumi up again.`)
  if (problems.length > 0) return { problems }
  // In the order of the table, so that equal settings are equal files.
  const plain = rows.flatMap(([name, { secret }]) => {
    const value = given.get(name)
    return secret || value === undefined ? [] : [[name, value] as const]
  })
  const secrets = Object.entries(secretFiles).map(([setting, name]) => ({
    name,
    text: `${given.get(setting)?.trim()}\n`,
  }))
  return { value: [...secrets, { name: plainFile, text: formatEnvFile(comment, plain) }] }
}

function readTexts(output: unknown): Reading<ReadonlyMap<string, string>> {
  if (output === '[secret]')
    return {
      problem: 'handlerSettings is masked. Use what `pulumi stack output --json --show-secrets` prints.',
    }
  const wrong = { problem: 'handlerSettings is not a JSON object of texts. Run pulumi up again.' }
  let object = output
  if (typeof output === 'string') {
    if (output.length > maxLength) return wrong
    try {
      object = JSON.parse(output)
    } catch {
      return wrong
    }
  }
  if (typeof object !== 'object' || object === null || Array.isArray(object)) return wrong
  const entries = Object.entries(object)
  return entries.every((entry): entry is [string, string] => typeof entry[1] === 'string')
    ? { value: new Map(entries) }
    : wrong
}

function problemOf(name: string, value: string, row: SettingRow | null): string | null {
  if (row === null) {
    const shown = /^\w{1,64}$/.test(name) ? name : 'a name that is none'
    return `handlerSettings has ${shown}, which is not a setting of the handler. Use the version of Homeport that ran pulumi up.`
  }
  if (row.only !== undefined) return `handlerSettings has ${name}, which belongs in your own ${ownFile}.`
  if (row.secret) {
    // Keys can be one a line.
    const text = name === 'SESSION_KEYS' ? value.replaceAll(/[\r\n]/g, '') : value.trim()
    return /[\p{Cc}\p{Cs}]/u.test(text) ? `${name} has a control character. Replace the secret.` : null
  }
  const found = whyReadersDiffer(value)
  if (found === null) return null
  const key = row.key === undefined ? null : `pulumi config rm ${row.key}`
  const fix = key
    ? `Change it, or remove it with \`${key}\`, run pulumi up, and set ${name} in ${ownFile} as its reader needs it.`
    : 'Change it in the stack.'
  return `${name} has ${found}, which systemd, a container's env file and a shell do not all read alike. ${fix}`
}

/** What happened to the files of a directory. */
export interface Written {
  /** A sentence for each file. */
  readonly lines: readonly string[]
  readonly warnings: readonly string[]
  /** Whether a file is new or different. */
  readonly hasChanged: boolean
}

/**
 * Writes the files that differ from those in a directory, each at once and readable by its owner only, and leaves every other
 * file alone.
 * @throws Refusal if the directory or a file in it is not the caller's to replace
 */
export async function writeFiles(
  directory: string,
  files: readonly SettingsFile[],
  dryRun: boolean,
): Promise<Written> {
  const folder = resolve(directory)
  const warnings = await checkDirectory(folder)
  const before = new Map<string, Found>()
  for (const { name } of files) before.set(name, await findFile(join(folder, name)))
  const changed = files.filter(({ name, text }) => {
    const found = before.get(name)
    return found?.text !== text || found.mode !== fileMode
  })
  const lines = files.map(file => {
    const path = join(folder, file.name)
    return changed.includes(file)
      ? `${dryRun ? 'Would write' : 'Wrote'} ${path}${detail(file, before.get(file.name) ?? null)}`
      : `${path} is up to date.`
  })
  if (!dryRun && changed.length > 0) await replaceFiles(folder, changed)
  return { lines, warnings, hasChanged: changed.length > 0 }
}

/** Returns what differs from the previous file, by name only. */
function detail({ name, text }: SettingsFile, previous: Found | null): string {
  if (previous?.text === text) return ': only you can read it now.'
  if (name !== plainFile || !previous?.text) return '.'
  const [old, now] = [parseEnvFile(previous.text), parseEnvFile(text)]
  const differing = [...new Set([...old.keys(), ...now.keys()])].filter(one => old.get(one) !== now.get(one))
  const ours = differing.filter(one => rows.some(([known]) => known === one))
  return ours.length === 0 ? '.' : `: ${ours.join(', ')} changed.`
}

/** Returns warnings. @throws Refusal */
async function checkDirectory(folder: string): Promise<readonly string[]> {
  const found = await lstat(folder).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT')
      throw new Refusal(`${folder} does not exist. Create it with \`install -d -m 700 ${folder}\`.`)
    throw new Refusal(`Cannot use ${folder} (${codeOf(error)}). Check the path.`)
  })
  if (found.isSymbolicLink())
    throw new Refusal(`${folder} is a symbolic link. Name the directory that it leads to.`)
  if (!found.isDirectory()) throw new Refusal(`${folder} is not a directory. Name one.`)
  // Windows has neither owners nor modes.
  if (process.geteuid === undefined) return []
  if (found.uid !== process.geteuid())
    throw new Refusal(
      `${folder} belongs to another user (uid ${found.uid}), who could replace the files. Use a directory of your own.`,
    )
  if ((found.mode & 0o022) !== 0)
    throw new Refusal(
      `Other users can write to ${folder}, so they could replace the files. Run \`chmod 700 ${folder}\`.`,
    )
  return (found.mode & 0o055) === 0
    ? []
    : [`Other users can list ${folder}, but they cannot read the files that this command writes.`]
}

interface Found {
  /** Null if there is no file, or if it cannot be read. */
  readonly text: string | null
  readonly mode: number
}

async function findFile(path: string): Promise<Found> {
  try {
    const found = await lstat(path)
    if (!found.isFile())
      throw new Refusal(`${path} is ${found.isSymbolicLink() ? 'a symbolic link' : 'not a file'}. Remove it.`)
    const mode = process.geteuid === undefined ? fileMode : found.mode & 0o7777
    if (found.size > maxLength) return { text: null, mode }
    const handle = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0))
    try {
      return { text: await handle.readFile('utf8'), mode }
    } finally {
      await handle.close()
    }
  } catch (error) {
    if (error instanceof Refusal) throw error
    return { text: null, mode: 0 }
  }
}

/** Writes every file beside its place first, so that a full disk or a missing permission changes none. */
async function replaceFiles(folder: string, files: readonly SettingsFile[]): Promise<void> {
  const replaced: string[] = []
  const waiting: string[] = []
  try {
    for (const name of await readdir(folder)) if (isLeftover(name)) await unlink(join(folder, name))
    const moves: [string, string][] = []
    for (const { name, text } of files) {
      const temporary = join(folder, `.${name}.${randomBytes(6).toString('hex')}.new`)
      waiting.push(temporary)
      await writeNew(temporary, text)
      moves.push([temporary, join(folder, name)])
    }
    for (const [temporary, path] of moves) {
      await rename(temporary, path)
      replaced.push(path)
    }
    await sync(folder)
  } catch (error) {
    const done = replaced.length === 0 ? 'No file was changed' : `Changed before: ${replaced.join(', ')}`
    throw new Refusal(`Could not write to ${folder} (${codeOf(error)}). ${done}. Fix this, and run it again.`)
  } finally {
    for (const path of waiting) await unlink(path).catch(() => undefined)
  }
}

/** Whether a run that was killed left this file. */
function isLeftover(name: string): boolean {
  return fileNames.some(file => name.startsWith(`.${file}.`) && /\.[0-9a-f]{12}\.new$/.test(name))
}

async function writeNew(path: string, text: string): Promise<void> {
  const handle = await open(path, 'wx', fileMode)
  try {
    // The umask can only have taken permissions away.
    await handle.chmod(fileMode)
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Makes the new names last through a power failure. Not every platform lets a directory be opened. */
async function sync(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => null)
  try {
    await handle?.sync()
  } catch {
    // The files themselves are on the disk.
  } finally {
    await handle?.close()
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
}
