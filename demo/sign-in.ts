import { startSandbox } from '../sandbox/sandbox.ts'
import { redirectUriOf } from '../src/settings/redirect-uri.ts'
import { employees, startSignInService } from '../test/journeys/sign-in-service.ts'
import { freePort } from '../tools/free-port.ts'
import { interrupted, write } from './show.ts'

export const help = `Usage: npm run demo -- sign-in

Starts an emulated identity provider, PostgreSQL and the sign-in handler on this machine. It serves until Ctrl-C, so that
you can sign in with your browser.
`

/** Runs the demo. Returns the exit status. */
export async function run(): Promise<number> {
  // Set up first, so that an interrupted start also cleans up.
  const ended = interrupted()
  const port = await freePort()
  const origin = `http://localhost:${port}`
  await using open = new AsyncDisposableStack()
  const redirectUris = [redirectUriOf(origin)]
  const sandbox = open.adopt(await startSandbox({ entra: { redirectUris } }), of => of.close())
  const { entra } = sandbox.description
  write(`Identity provider (emulated)  ${entra.instance}`)
  open.adopt(await startSignInService({ entra, origin, port }), of => of.close())
  write(`Employees in PostgreSQL       ${employees.join(', ')}`)
  write(`Sign-in handler               ${origin}`)
  write(`\nOpen ${origin} and sign in as one of these accounts:\n`)
  for (const name of employees)
    write(`  ${name}@example.com   an employee${name === 'alice' ? ', administrator' : ''}`)
  write('  contractor@example.com   no employee record, so the sign-in is refused')
  write(
    '\nIn Safari, no sign-in succeeds on http://localhost, where it keeps no secure cookie. Use another browser.',
  )
  write('Nothing leaves this machine. Press Ctrl-C to stop.')
  await ended
  return 0
}
