import { NoTraefik, traefik } from '../../tools/traefik.ts'

/** Builds Traefik if the command names its tests: `npm test -- --project proxies traefik`. It takes too long for every run. */
export async function setup(): Promise<void> {
  if (!process.argv.slice(2).some(argument => argument.includes('traefik'))) return
  try {
    await traefik(line => process.stderr.write(`${line}\n`))
  } catch (error) {
    // The message says what to install. A stack trace would not help.
    if (error instanceof NoTraefik) error.stack = error.message
    throw error
  }
}
