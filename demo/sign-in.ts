import { startSandbox } from '../sandbox/sandbox.ts'
import { redirectUriOf } from '../src/settings/redirect-uri.ts'
import { startChromium } from '../tools/chromium.ts'
import { freePort } from '../tools/free-port.ts'
import { newPage, pick, press, refusal } from './journey/browser.ts'
import { interrupted, type Values, write } from './show.ts'
import { employees, startSignInService } from './sign-in-service.ts'

export const help = `Usage: npm run demo -- sign-in [--headless]

Starts an emulated identity provider, PostgreSQL and the sign-in handler on this machine. It serves until Ctrl-C, so that
you can sign in with your browser. With --headless, a browser of its own signs in instead, and the exit status is 0 if
every step succeeded.
`

export const options = { headless: { type: 'boolean' } } as const

/** Runs the demo. Returns the exit status. */
export async function run({ headless }: Values): Promise<number> {
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
  if (headless) return await Promise.race([walk(origin), ended.then(() => 1)])
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

/** Signs in and out in a browser. Returns the exit status, which is 1 as soon as a step fails. */
async function walk(origin: string): Promise<number> {
  const browser = await startChromium()
  try {
    write(`Browser                       Chromium ${browser.version()}\n`)
    const page = await newPage(browser)
    await page.goto(origin)
    await press(page, 'Sign in')
    await pick(page, 'alice')
    await page.waitForURL(`${origin}/dashboard`)
    await page.getByText('alice', { exact: true }).waitFor()
    await page.getByText('Administrator').waitFor()
    write('alice signs in                dashboard, administrator')

    await press(page, 'Sign out')
    await page.waitForURL(`${origin}/`)
    write('alice signs out               back at sign-in')

    await press(page, 'Sign in')
    await page.waitForURL(`${origin}/dashboard`)
    await page.getByText('alice', { exact: true }).waitFor()
    write('alice signs in again          without questions: the provider remembers her')

    await press(page, 'Sign out')
    await page.waitForURL(`${origin}/`)
    await page.goto(`${origin}/?another`)
    await press(page, 'Sign in')
    await pick(page, 'contractor')
    const heading = await refusal(page)
    if (!heading.includes('not in the employee system')) throw new Error(`The contractor saw: ${heading}`)
    write(`a contractor signs in         "${heading}"`)
    write('\nEvery step succeeded.')
    return 0
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    return 1
  } finally {
    await browser.close()
  }
}
