import { CommandError, helpOption, runCommand, terminal, UsageError } from '../../lib/command.ts'
import { printable } from '../../lib/quote.ts'
import { replaceFile } from '../../lib/replace-file.ts'
import { maxServerSecretBytes } from '../../lib/secret-file.ts'
import { readTextFile } from '../../lib/text-file.ts'
import { createSessionKey } from '../session/keys.ts'
import { readSessionKeys, splitSessionKeys } from '../settings/session-keys.ts'

const help = `Usage: npm run keys -- new            print a new session key for SESSION_KEYS
       npm run keys -- add FILE       append a new key to the file of SESSION_KEYS_FILE
       npm run keys -- use FILE       move the last key to the front: it encrypts from now on
       npm run keys -- remove FILE    remove every key but the first

To rotate the key, run add, use and remove, in this order, and restart or deploy after each: no instance then receives a
cookie that it cannot decrypt. Wait for SESSION_LIFETIME before remove: it ends every session that an older key encrypted.

FILE can be -: the keys are then read from standard input, and written to standard output.

Exit status: 0 done, 1 refused or failed, 2 wrong usage.
`

const steps: ReadonlyMap<string, (keys: readonly string[]) => readonly string[]> = new Map([
  ['add', keys => [...keys, createSessionKey(new Date())]],
  ['use', keys => [...keys.slice(-1), ...keys.slice(0, -1)]],
  ['remove', keys => keys.slice(0, 1)],
])

/** Runs `keys`. Prints the names of keys, and a key itself only if it was asked for. Returns the exit status. */
export function runKeysCommand(args: readonly string[]): Promise<number> {
  const frame = { args, call: 'npm run keys --', help, options: helpOption, takesArguments: true }
  return runCommand(frame, terminal, async (_, [command = '', file, ...more]) => {
    const step = steps.get(command)
    if (command === 'new' && file === undefined) terminal.line(createSessionKey(new Date()))
    else if (step && file !== undefined && more.length === 0) change(file, step)
    else throw new UsageError(`There is no \`${printable(['keys', ...args].join(' '))}\`.`)
    return 0
  })
}

function change(file: string, step: (keys: readonly string[]) => readonly string[]): void {
  const shown = file === '-' ? 'Standard input' : printable(file)
  const content = readTextFile(file === '-' ? 0 : file, maxServerSecretBytes)
  if ('problem' in content) throw new CommandError(`${shown} ${content.problem} Nothing was changed.`)
  const reading = readSessionKeys(content.value.trim())
  if ('problems' in reading)
    throw new CommandError(`${shown} ${reading.problems.join(' ')} Nothing was changed.`)
  const before = splitSessionKeys(content.value.trim())
  const keys = step(before)
  if (keys.join() === before.join()) throw new CommandError(`${shown} has only one key. Nothing was changed.`)
  try {
    if (file === '-') terminal.line(keys.join(','))
    else replaceFile(file, `${keys.join(',')}\n`)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new CommandError(`${shown} cannot be replaced (${code}). Check its owner.`)
  }
  const names = keys.map(key => key.slice(0, key.indexOf(':')))
  terminal.problem(`Keys, the encrypting key first: ${names.join(', ')}`)
}

if (import.meta.main) process.exitCode = await runKeysCommand(process.argv.slice(2))
