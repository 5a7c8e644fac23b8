import { NoBrowser, startChromium } from '../../tools/chromium.ts'

/** Whether tests in a browser can run. If not, prints why. */
export const hasBrowser = await startChromium().then(
  async browser => {
    await browser.close()
    return true
  },
  (error: unknown) => {
    if (!(error instanceof NoBrowser)) throw error
    process.stderr.write(`Tests in a browser are skipped. ${error.message}\n`)
    return false
  },
)
