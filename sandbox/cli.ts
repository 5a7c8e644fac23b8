import { parseArgs } from 'node:util'

const help = `Runs the emulators on loopback until you stop it, and prints their addresses and tokens as JSON.

  npm run sandbox -- [options]

  --json     print them on one line
  --seed N   whole number that determines every id and token (default 1)
  --help     print this help

No data is kept when the sandbox stops.
`

/** The default callback of the sign-in handler. */
const redirectUri = 'http://localhost:8080/auth/callback'

/** Reads the command line. @throws Error that says what is wrong with it */
function readOptions() {
  const flag = { type: 'boolean', default: false } as const
  const options = {
    help: { ...flag, short: 'h' },
    json: flag,
    seed: { type: 'string', default: '1' },
  } as const
  const { help, json, seed } = parseArgs({ options }).values
  if (!/^\d{1,15}$/.test(seed)) throw new Error(`--seed must be a whole number, but is "${seed}".`)
  return { help, json, seed: Number(seed) }
}

/** Starts the sandbox and serves until SIGINT or SIGTERM. */
async function serve({ json, seed }: { readonly json: boolean; readonly seed: number }): Promise<void> {
  const stopped = new Promise<void>(resolve => {
    process.once('SIGINT', resolve)
    process.once('SIGTERM', resolve)
  })
  // Imported only now, because it takes half a second that --help need not wait.
  const { startSandbox } = await import('./sandbox.ts')
  const sandbox = await startSandbox({ seed, entra: { redirectUris: [redirectUri] } })
  process.stdout.write(`${JSON.stringify(sandbox.description, null, json ? 0 : 2)}\n`)
  await stopped
  await sandbox.close()
}

try {
  const { help: isHelp, ...options } = readOptions()
  if (isHelp) process.stdout.write(help)
  else await serve(options)
} catch (error) {
  process.stderr.write(`${(error as Error).message}\nSee npm run sandbox -- --help.\n`)
  process.exitCode = 2
}
