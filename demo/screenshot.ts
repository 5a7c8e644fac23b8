import { join } from 'node:path'
import { startSandbox } from '../sandbox/sandbox.ts'
import { redirectUriOf } from '../src/settings/redirect-uri.ts'
import { startSignInService } from '../test/journeys/sign-in-service.ts'
import { root } from '../tools/bundle.ts'
import { startChromium } from '../tools/chromium.ts'
import { freePort } from '../tools/free-port.ts'

// Writes the pictures of the sign-in page that the README shows: npx node demo/screenshot.ts

const port = await freePort()
const origin = `http://localhost:${port}`
await using open = new AsyncDisposableStack()
const redirectUris = [redirectUriOf(origin)]
const sandbox = open.adopt(await startSandbox({ entra: { redirectUris } }), of => of.close())
const settings = { APP_NAME: 'Time sheets' }
const { entra } = sandbox.description
open.adopt(await startSignInService({ entra, origin, port, settings }), of => of.close())
const browser = open.adopt(await startChromium(), of => of.close())
for (const colorScheme of ['light', 'dark'] as const) {
  const page = await browser.newPage({ colorScheme, viewport: { width: 560, height: 260 } })
  await page.goto(origin)
  await page.getByRole('button', { name: 'Sign in' }).waitFor()
  const path = join(root, `docs/sign-in/page-${colorScheme}.png`)
  await page.screenshot({ path })
  process.stdout.write(`${path}\n`)
}
