import { chmodSync, chownSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { maxServerSecretBytes, readTextFile } from '../../lib/secret-file.ts'
import { printable } from '../employees/printable.ts'
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

/** What a command makes of the keys, or why it refuses them. */
type Step = (keys: readonly string[]) => { readonly value: readonly string[] } | { readonly problem: string }

const steps: Readonly<Record<string, Step>> = {
  add: keys => ({ value: [...keys, createSessionKey(new Date())] }),
  use: keys =>
    keys.length < 2
      ? { problem: 'There is only one key. Run add first.' }
      : { value: [...keys.slice(-1), ...keys.slice(0, -1)] },
  remove: keys =>
    keys.length < 2
      ? { problem: 'There is only one key. Nothing was removed.' }
      : { value: keys.slice(0, 1) },
}

/** Runs `keys`. Prints the names of keys, and a key itself only if it was asked for. Returns the exit status. */
export function runKeysCommand([command, file, ...rest]: readonly string[]): number {
  if (command === 'new' && file === undefined) {
    process.stdout.write(`${createSessionKey(new Date())}\n`)
    return 0
  }
  if (command === '--help' || command === '-h') {
    process.stdout.write(help)
    return 0
  }
  const step = command !== undefined && Object.hasOwn(steps, command) ? steps[command] : undefined
  if (step && file !== undefined && rest.length === 0) return change(file, step)
  const problem = step
    ? `\`${command}\` needs one FILE.`
    : command === 'new'
      ? '`new` takes no arguments.'
      : command
        ? `There is no command ${JSON.stringify(printable(command))}.`
        : 'Give a command.'
  process.stderr.write(`${problem}\n\n${help}`)
  return 2
}

function change(file: string, step: Step): number {
  const fail = (message: string): number => {
    process.stderr.write(`${message}\n`)
    return 1
  }
  const shown = file === '-' ? 'Standard input' : printable(file)
  try {
    const content = readTextFile(file === '-' ? 0 : file, maxServerSecretBytes)
    if ('problem' in content) return fail(`${shown} ${content.problem} Nothing was changed.`)
    const text = content.value.trim()
    const reading = readSessionKeys(text)
    if ('problems' in reading)
      return fail(`${shown} ${reading.problems.map(describeProblem).join(' ')} Nothing was changed.`)
    const changed = step(splitSessionKeys(text))
    if ('problem' in changed) return fail(`${shown}: ${changed.problem}`)
    const keys = changed.value
    if (file === '-') process.stdout.write(`${keys.join(',')}\n`)
    else replaceFile(file, `${keys.join(',')}\n`)
    process.stderr.write(`Keys, the encrypting key first: ${keys.map(nameOf).join(', ')}\n`)
    return 0
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
    return fail(`${shown} cannot be replaced (${code}). Check its path and owner.`)
  }
}

const nameOf = (key: string): string => key.slice(0, key.indexOf(':'))

/** Replaces a file as a whole, so that a server never reads half of it. Its mode and owner stay. */
function replaceFile(file: string, text: string): void {
  const { mode, uid, gid } = statSync(file)
  const fresh = `${file}.${process.pid}`
  try {
    writeFileSync(fresh, text, { mode: 0o600, flag: 'wx' })
    chownSync(fresh, uid, gid)
    chmodSync(fresh, mode & 0o777)
    renameSync(fresh, file)
  } finally {
    rmSync(fresh, { force: true })
  }
}

if (import.meta.main) process.exitCode = runKeysCommand(process.argv.slice(2))
