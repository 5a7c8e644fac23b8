import { once } from 'node:events'
import type { Page } from 'playwright-core'
import { startSandbox } from '../sandbox/sandbox.ts'
import { redirectUriOf } from '../src/settings/redirect-uri.ts'
import { startChromium } from '../tools/chromium.ts'
import { freePort } from '../tools/free-port.ts'
import { employees, startSignInService } from './sign-in-service.ts'

const help = `Usage: npm run demo -- sign-in [--headless]

Starts an emulated identity provider, PostgreSQL and the sign-in handler on this machine. It serves until Ctrl-C, so that
you can sign in with your browser. With --headless, a browser of its own signs in instead, and the exit status is 0 if
every step succeeded.
`

const say = (text: string) => void process.stdout.write(`${text}\n`)

/** Runs the demo. Returns the exit status. */
export async function run(args: readonly string[]): Promise<number> {
  const unknown = args.find(argument => !['--headless', '--help', '-h'].includes(argument))
  if (unknown !== undefined || args.includes('--help') || args.includes('-h')) {
    if (unknown !== undefined) process.stderr.write(`There is no option ${JSON.stringify(unknown)}.\n\n`)
    say(help)
    return unknown === undefined ? 0 : 2
  }
  // Set up first, so that an interrupted start also cleans up.
  const interrupted = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
  const stage = await startStage()
  try {
    if (args.includes('--headless')) {
      const done = await Promise.race([walk(stage.origin).then(() => true), interrupted.then(() => false)])
      return done ? 0 : 1
    }
    say(`\nOpen ${stage.origin} and sign in as one of these accounts:\n`)
    for (const name of employees)
      say(`  ${name}@example.com   an employee${name === 'alice' ? ', administrator' : ''}`)
    say('  contractor@example.com   no employee record, so the sign-in is refused')
    say('\nNothing leaves this machine. Press Ctrl-C to stop.')
    await interrupted
    return 0
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    return 1
  } finally {
    await stage.close()
  }
}

async function startStage() {
  const port = await freePort()
  const origin = `http://localhost:${port}`
  const sandbox = await startSandbox({ entra: { redirectUris: [redirectUriOf(origin)] } })
  try {
    const { entra } = sandbox.description
    say(`Identity provider (emulated)  ${entra.instance}`)
    const service = await startSignInService({ entra, origin, port })
    say(`Employees in PostgreSQL       ${employees.join(', ')}`)
    say(`Sign-in handler               ${origin}`)
    return {
      origin,
      async close() {
        await service.close()
        await sandbox.close()
      },
    }
  } catch (error) {
    await sandbox.close()
    throw error
  }
}

/** Signs in and out in a browser. Throws at the first step that fails. */
async function walk(origin: string): Promise<void> {
  const browser = await startChromium()
  try {
    say(`Browser                       Chromium ${browser.version()}\n`)
    const page = await browser.newPage()
    page.setDefaultTimeout(15_000)
    await page.goto(origin)
    await press(page, 'Sign in')
    await page.locator('button[value="alice@example.com"]').click()
    await page.waitForURL(`${origin}/dashboard`)
    await page.getByText('alice', { exact: true }).waitFor()
    await page.getByText('Administrator').waitFor()
    say('alice signs in                dashboard, administrator')

    await press(page, 'Sign out')
    await page.waitForURL(`${origin}/`)
    say('alice signs out               back at sign-in')

    await press(page, 'Sign in')
    await page.waitForURL(`${origin}/dashboard`)
    await page.getByText('alice', { exact: true }).waitFor()
    say('alice signs in again          without questions: the provider remembers her')

    await press(page, 'Sign out')
    await page.waitForURL(`${origin}/`)
    await page.goto(`${origin}/?another`)
    await press(page, 'Sign in')
    await page.locator('button[value="contractor@example.com"]').click()
    const heading = await page.getByRole('alert').getByRole('heading').textContent()
    if (!heading?.includes('not in the employee system')) throw new Error(`The contractor saw: ${heading}`)
    say(`a contractor signs in         "${heading}"`)
    say('\nEvery step succeeded.')
  } finally {
    await browser.close()
  }
}

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
