import { lstat, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CommandError } from '../../lib/command.ts'
import { camelName } from '../../lib/settings/table.ts'
import { rows, type SettingRow } from '../../src/settings/table.ts'
import { textOf } from '../json.ts'
import { askPulumi, parseObject } from '../run-program.ts'

/**
 * Finds what systemd's EnvironmentFile, a container's env file and a POSIX shell do not all read as it is. Quotes help nowhere:
 * systemd and shells remove them, and env files of containers keep them. A shell puts a home directory in the place of ~.
 * Sources: systemd.exec(5); docker run --env-file; POSIX, Shell Command Language, 2.2, 2.3, 2.6.1 and 2.9.1.
 */
export const readDifferently = /[\p{Z}\p{C}'"`\\$&;|<>()#]|(?<=^|:)~/u

/** Returns the files for the output `handlerSettings`, by name. @throws CommandError with every problem; it repeats no value */
export function filesFor(output: string): Readonly<Record<string, string>> {
  const given = parseObject(output)
  const known = new Map<string, SettingRow>(rows)
  const problems = Object.entries(given).flatMap(([name, value]) => {
    const row = known.get(name)
    if (row === undefined || row.only || typeof value !== 'string')
      return [`handlerSettings has ${JSON.stringify(name)}, which no stack sets. Run pulumi up again.`]
    if (row.secret) return /^[^\p{Cs}]+$/u.test(value.trim()) ? [] : [`${name} is empty. Replace it.`]
    const [found] = readDifferently.exec(value) ?? []
    return found === undefined
      ? []
      : [
          `${name} has ${JSON.stringify(found)}, which systemd, a container's env file and a shell do not all read alike. Change it, or remove it with pulumi config rm ${camelName(name)}, run pulumi up, and set ${name} in local.env.`,
        ]
  })
  const secrets = ['SESSION_KEYS', 'CLIENT_SECRET', 'CLIENT_CERTIFICATE'].map(name =>
    (textOf(given, name) ?? '').trim(),
  )
  const [keys = '', secret = '', certificate = ''] = secrets
  if (keys === '' || /\p{Cc}/u.test(secrets.join('').replaceAll(/[\r\n]/g, '')) || /[\r\n]/.test(secret))
    problems.push('handlerSettings lacks a secret, or has a control character in one. Run pulumi up again.')
  if (problems.length > 0) throw new CommandError(`${problems.join('\n')}\nNothing was written.`)
  const comment =
    '# Written by npm run after-up, which replaces this file. Your own settings belong in local.env.'
  const plain = rows.flatMap(([name, row]) =>
    row.secret || given[name] === undefined ? [] : [`${name}=${given[name]}`],
  )
  const env = [comment, ...plain, ''].join('\n')
  return {
    ...(secret && { 'client-secret': `${secret}\n` }),
    ...(certificate && { 'client-certificate': `${certificate}\n` }),
    'session-keys': `${keys}\n`,
    'homeport.env': env,
  }
}

/** Writes each file at once, for its owner only. @throws CommandError if somebody else could replace them; then none was changed */
export async function writeFiles(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  const found = await lstat(folder).catch(() => null)
  const own = process.geteuid?.() ?? found?.uid
  const isShared = process.geteuid !== undefined && ((found?.mode ?? 0) & 0o022) !== 0
  if (!found?.isDirectory() || found.uid !== own || isShared)
    throw new CommandError(
      `${folder} is not a directory of yours, or others can write to it. Create it: install -d -m 700 ${folder}`,
    )
  const paths = Object.keys(files).map(name => join(folder, name))
  try {
    for (const [name, text] of Object.entries(files)) {
      const path = join(folder, `${name}.new`)
      await rm(path, { force: true })
      await writeFile(path, text, { flag: 'wx', mode: 0o600, flush: true })
    }
    // All of them are on the disk, so a full one changes none.
    for (const path of paths) await rename(`${path}.new`, path)
  } catch (error) {
    await Promise.all(paths.map(path => rm(`${path}.new`, { force: true })))
    throw new CommandError(
      `Could not write to ${folder} (${textOf(error, 'code')}). Fix this, and run it again.`,
    )
  }
}

/** Writes the settings of a handler on a host into a folder. */
export async function writeSettings(folder: string, stack: string | undefined): Promise<void> {
  // Only this output, so that no other secret is decrypted.
  const args = ['stack', 'output', 'handlerSettings', '--show-secrets', ...(stack ? ['--stack', stack] : [])]
  const text = await askPulumi(args)
  if (!text.trim().startsWith('{'))
    throw new CommandError('The stack has no output handlerSettings. Use one with signIn: host.')
  const files = filesFor(text)
  await writeFiles(folder, files)
  process.stdout.write(`Wrote ${Object.keys(files).join(', ')} in ${folder}.\n`)
  process.stdout.write('Take them to the host, and restart the handler there, as docs/operate.md says.\n')
}
