import { printable } from '../../lib/quote.ts'
import { replaceFile } from '../../lib/replace-file.ts'
import { maxServerSecretBytes } from '../../lib/secret-file.ts'
import { readTextFile } from '../../lib/text-file.ts'
import { createSessionKey } from '../session/keys.ts'
import { describeProblem } from '../settings/problems.ts'
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
export function runKeysCommand(args: readonly string[]): number {
  const [command = '', file] = args
  if (args.length === 1 && command === 'new') return print(createSessionKey(new Date()))
  if (command === '--help' || command === '-h') return print(help.trimEnd())
  const step = steps.get(command)
  if (step && file !== undefined && args.length === 2) return change(file, step)
  return report(`There is no \`${printable(['keys', ...args].join(' '))}\`.\n\n${help.trimEnd()}`, 2)
}

function change(file: string, step: (keys: readonly string[]) => readonly string[]): number {
  const shown = file === '-' ? 'Standard input' : printable(file)
  const content = readTextFile(file === '-' ? 0 : file, maxServerSecretBytes)
  if ('problem' in content) return report(`${shown} ${content.problem} Nothing was changed.`, 1)
  const reading = readSessionKeys(content.value.trim())
  if ('problems' in reading)
    return report(`${shown} ${reading.problems.map(describeProblem).join(' ')} Nothing was changed.`, 1)
  const before = splitSessionKeys(content.value.trim())
  const keys = step(before)
  if (keys.join() === before.join()) return report(`${shown} has only one key. Nothing was changed.`, 1)
  try {
    if (file === '-') print(keys.join(','))
    else replaceFile(file, `${keys.join(',')}\n`)
  } catch (error) {
    return report(
      `${shown} cannot be replaced (${(error as NodeJS.ErrnoException).code}). Check its owner.`,
      1,
    )
  }
  const names = keys.map(key => key.slice(0, key.indexOf(':')))
  return report(`Keys, the encrypting key first: ${names.join(', ')}`, 0)
}

function print(text: string): number {
  process.stdout.write(`${text}\n`)
  return 0
}

function report(text: string, status: number): number {
  process.stderr.write(`${text}\n`)
  return status
}

if (import.meta.main) process.exitCode = runKeysCommand(process.argv.slice(2))
