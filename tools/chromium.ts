import { access } from 'node:fs/promises'
import { type Browser, chromium } from 'playwright-core'

/** Where distributions and GitHub's runners put a browser that playwright can drive. */
const usualPlaces = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/** No browser could be started; the message says what was tried and what to do. */
export class NoBrowser extends Error {
  override readonly name = 'NoBrowser'
}

/**
 * Starts a headless Chromium: the one CHROME_PATH names, else an installed one, else the one in node_modules (Linux on
 * x64). As root, as in a container, its sandbox cannot be used.
 */
export async function startChromium(): Promise<Browser> {
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  const given = process.env['CHROME_PATH']
  const installed = given ?? (await firstThatExists(usualPlaces))
  try {
    if (installed) return await chromium.launch({ executablePath: installed, args })
    const { default: bundled } = await import('@sparticuz/chromium')
    // Its own list of arguments is left out: it switches web security off, which is what a test looks at.
    return await chromium.launch({ executablePath: await bundled.executablePath(), args })
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split('\n')[0] ?? '') : 'unknown error'
    const tried = installed ?? 'the Chromium in node_modules'
    throw new NoBrowser(
      `No browser started (${tried}: ${reason}). Install Chromium, or set CHROME_PATH to one.`,
      {
        cause: error,
      },
    )
  }
}

async function firstThatExists(paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) {
    const exists = await access(path).then(
      () => true,
      () => false,
    )
    if (exists) return path
  }
  return undefined
}
