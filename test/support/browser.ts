import { findChromium, NoBrowser } from '../../tools/chromium.ts'

/** Whether there is a browser for tests. If not, prints why. */
export const hasBrowser = await findChromium().then(
  () => true,
  (error: unknown) => {
    if (!(error instanceof NoBrowser)) throw error
    process.stderr.write(`Tests in a browser are skipped. ${error.message}\n`)
    return false
  },
)
