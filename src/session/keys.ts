import { sessionKeyBytes } from '../settings/session-keys.ts'
import { randomText } from './cryptography.ts'

const help = `Usage: npm run keys -- new

Prints a new session key for SESSION_KEYS. Add it last and deploy, then move it first and deploy again, so that no
instance receives a cookie it cannot decrypt. Remove the old key when every session under it has expired.
`

/** Creates a key in the form that SESSION_KEYS takes, named for the day it was created. */
export function createSessionKey(now: Date): string {
  const day = now.toISOString().slice(0, 10).replaceAll('-', '')
  return `k${day}-${randomText(3).replaceAll(/[-_]/g, 'x')}:${randomText(sessionKeyBytes)}`
}

/** Runs `keys`. Returns the exit status. */
export function runKeysCommand([command, ...rest]: readonly string[]): number {
  if (command === 'new' && rest.length === 0) {
    process.stdout.write(`${createSessionKey(new Date())}\n`)
    return 0
  }
  if (command === '--help' || command === '-h') {
    process.stdout.write(help)
    return 0
  }
  process.stderr.write(
    `${command ? `There is no command ${JSON.stringify(command)}.` : 'Give a command.'}\n\n${help}`,
  )
  return 2
}

if (import.meta.main) process.exitCode = runKeysCommand(process.argv.slice(2))
