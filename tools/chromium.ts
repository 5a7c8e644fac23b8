import { type Browser, chromium } from 'playwright-core'
import { isExecutable } from './find-program.ts'

/** Where distributions and GitHub's runners install a browser that playwright can drive. */
const usualPaths = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/** No browser started. The message says what was tried and what to do. */
export class NoBrowser extends Error {
  override readonly name = 'NoBrowser'
}

/**
 * Starts a headless Chromium: the one in CHROME_PATH, else an installed one, else the one in node_modules (Linux on
 * x64). Chromium's own sandbox is off for root, as in a container, because it does not work there.
 * @param more additional command-line arguments
 * @throws NoBrowser
 */
export async function startChromium(more: readonly string[] = []): Promise<Browser> {
  const args = [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), ...more]
  const given = process.env['CHROME_PATH']
  const installed = given ?? (await firstExecutable(usualPaths))
  try {
    if (installed) return await chromium.launch({ executablePath: installed, args })
    const { default: bundled } = await import('@sparticuz/chromium')
    // The package's list of arguments is left out: it turns web security off, and the tests check that.
    return await chromium.launch({ executablePath: await bundled.executablePath(), args })
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split('\n')[0] ?? '') : 'unknown error'
    const tried = installed ?? 'the Chromium in node_modules'
    throw new NoBrowser(
      `No browser started (${tried}: ${reason}). Install Chromium, or set CHROME_PATH to one.`,
      { cause: error },
    )
  }
}

async function firstExecutable(paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) if (await isExecutable(path)) return path
  return undefined
}
