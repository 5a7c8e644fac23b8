import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { type Browser, chromium, type LaunchOptions } from 'playwright-core'
import { fromCache } from './cache.ts'
import { isExecutable } from './find-program.ts'

const run = promisify(execFile)

/** Where distributions and GitHub's runners install a browser that playwright can drive. */
const usualPaths = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/** The package's own file names folders among the temporary files, which every user of the machine can write to. */
const fontsConfiguration =
  '<fontconfig><dir prefix="relative">fonts</dir><cachedir prefix="xdg">fontconfig</cachedir></fontconfig>'

/** No browser started. The message says what was tried and what to do. */
export class NoBrowser extends Error {
  override readonly name = 'NoBrowser'
}

/**
 * Starts a headless Chromium, which opens pages of this machine only: playwright turns Chromium's own sandbox off, which
 * does not work for root or in most containers.
 * @param more additional command-line arguments
 * @throws NoBrowser
 */
export async function startChromium(more: readonly string[] = []): Promise<Browser> {
  const options = await findChromium()
  return chromium.launch({ ...options, args: [...more] }).catch(error => {
    throw noBrowser(options.executablePath ?? '', error)
  })
}

/**
 * Returns how to start a Chromium: the one in CHROME_PATH, else an installed one, else the one from npm (Linux on x64).
 * @throws NoBrowser
 */
export async function findChromium(): Promise<LaunchOptions> {
  const installed = process.env['CHROME_PATH'] ?? (await firstExecutable(usualPaths))
  if (installed) return { executablePath: installed }
  return bundledChromium().catch(error => {
    throw noBrowser('the Chromium from npm', error)
  })
}

function noBrowser(tried: string, error: unknown): NoBrowser {
  const reason = error instanceof Error ? (error.message.split('\n')[0] ?? '') : 'unknown error'
  const advice = 'Install Chromium, or set CHROME_PATH to one.'
  return new NoBrowser(`No browser started (${tried}: ${reason}). ${advice}`, { cause: error })
}

async function firstExecutable(paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) if (await isExecutable(path)) return path
  return undefined
}

/** Unpacks the Chromium from npm once. Its own libraries and fonts are used only if the system has none. */
async function bundledChromium(): Promise<LaunchOptions> {
  const entry = createRequire(import.meta.url).resolve('@sparticuz/chromium')
  const { version } = createRequire(entry)('../package.json') as { version: string }
  const executablePath = await fromCache(`chromium-${version}`, 'chromium', async work => {
    // It unpacks everything into the folder for temporary files: the libraries too, if it is told that it runs in Lambda.
    const script = `await (await import(${JSON.stringify(pathToFileURL(entry))})).default.executablePath()`
    const env = { ...process.env, TMPDIR: work, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x' }
    await run(process.execPath, ['--input-type=module', '--eval', script], { env })
    await writeFile(join(work, 'fonts/fonts.conf'), fontsConfiguration)
    return work
  })
  const env = { ...process.env }
  const folder = dirname(executablePath)
  const startsAsItIs = await run(executablePath, ['--version']).then(
    () => true,
    () => false,
  )
  if (!startsAsItIs) env['LD_LIBRARY_PATH'] = join(folder, 'al2023/lib')
  if (!existsSync('/etc/fonts')) env['FONTCONFIG_PATH'] = join(folder, 'fonts')
  // The package's list of arguments is left out: it turns web security off, and the tests check that.
  return { executablePath, env }
}
