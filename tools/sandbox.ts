import { main } from '../sandbox/cli.ts'
import { providePackages } from './packages.ts'

/**
 * Starts the sandbox, which serves at once. Only Workers and databases wait for their runtime, which the first start on a
 * machine installs.
 */
async function install(): Promise<void> {
  try {
    await providePackages('runtimes')
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`)
    throw error
  }
}

await main(() => {
  const installed = install()
  // Reported already. A Worker that needs the runtime fails with the same message.
  installed.catch(() => undefined)
  return installed
})
// The installation, if it has not ended, keeps nobody waiting.
process.exit()
