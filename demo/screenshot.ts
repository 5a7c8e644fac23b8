import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { startSandbox } from '../sandbox/sandbox.ts'
import { redirectUriOf } from '../src/settings/redirect-uri.ts'
import { startSignInService } from '../test/journeys/sign-in-service.ts'
import { root } from '../tools/bundle.ts'
import { startChromium } from '../tools/chromium.ts'
import { freePort } from '../tools/free-port.ts'

// Writes the pictures that pages show, of the sign-in page, a refusal and the first demo: npx node demo/screenshot.ts

const port = await freePort()
const origin = `http://localhost:${port}`
await using open = new AsyncDisposableStack()
const redirectUris = [redirectUriOf(origin)]
const sandbox = open.adopt(await startSandbox({ entra: { redirectUris } }), of => of.close())
const settings = { APP_NAME: 'Time sheets' }
const { entra } = sandbox.description
open.adopt(await startSignInService({ entra, origin, port, settings }), of => of.close())
const browser = open.adopt(await startChromium(), of => of.close())
// Its addresses and times differ with each run.
const output = execFileSync(process.execPath, [join(root, 'demo/demo.ts')], { encoding: 'utf8' })
const terminal = output.slice(output.indexOf('1 of 4')).trim()
for (const colorScheme of ['light', 'dark'] as const) {
  const page = await browser.newPage({ colorScheme, viewport: { width: 560, height: 260 } })
  const shoot = async (name: string, of = page) => {
    const path = join(root, `docs/sign-in/${name}-${colorScheme}.png`)
    await of.screenshot({ path })
    process.stdout.write(`${path}\n`)
  }
  await page.goto(origin)
  const signIn = page.getByRole('button', { name: 'Sign in' })
  await signIn.waitFor()
  await shoot('page')
  await signIn.click()
  await page.locator('button[value="contractor@example.com"]').click()
  await page.getByRole('alert').waitFor()
  await page.setViewportSize({ width: 560, height: 470 })
  await shoot('refusal')
  const screen = await browser.newPage({ viewport: { width: 700, height: 270 } })
  const [paper, ink] = colorScheme === 'light' ? ['#f6f8fa', '#1f2328'] : ['#151b23', '#f0f6fc']
  await screen.setContent(
    `<body style="margin: 16px; background: ${paper}"><pre style="margin: 0; color: ${ink}; font: 13px monospace">${terminal.replaceAll('>', '&gt;')}</pre>`,
  )
  await shoot('demo', screen)
}
