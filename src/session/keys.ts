import { makeKey } from '../settings/session-keys.ts'

const help = `Usage: npm run keys -- new

Prints a new session key, to be put into SESSION_KEYS. Add it last, deploy, then move it first and deploy again: so no
instance meets a cookie it cannot open. Remove the old key when the longest session under it has ended.
`

const [command, ...rest] = process.argv.slice(2)
if (command === 'new' && rest.length === 0) {
  process.stdout.write(`${makeKey(new Date())}\n`)
} else if (command === '--help' || command === '-h') {
  process.stdout.write(help)
} else {
  process.stderr.write(`${command ? `There is no command ${command}.` : 'No command was given.'}\n\n${help}`)
  process.exitCode = 2
}
