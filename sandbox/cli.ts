import { writeFile } from 'node:fs/promises'
import { failureOf, help, readCommandLine, UsageError } from './command-line.ts'

async function writeAuthority(file: string, pem: string): Promise<void> {
  try {
    await writeFile(file, pem)
  } catch (error) {
    throw new UsageError(`--ca cannot write to "${file}": ${(error as Error).message}.`)
  }
}

/** Starts the sandbox from the command line and serves until SIGINT or SIGTERM. */
async function runSandbox(args: string[]): Promise<void> {
  const { help: helpRequested, json, ca, options } = readCommandLine(args)
  if (helpRequested) {
    process.stdout.write(help)
    return
  }
  const stopped = new Promise<void>(resolve => {
    process.once('SIGINT', resolve)
    process.once('SIGTERM', resolve)
  })
  // Imported only now, because it takes half a second that --help and a usage error need not wait.
  const [{ startSandbox }, { welcome }] = await Promise.all([import('./sandbox.ts'), import('./welcome.ts')])
  const sandbox = await startSandbox(options)
  try {
    if (ca !== undefined) await writeAuthority(ca, sandbox.description.ca)
    const coloured = process.stdout.isTTY && process.stdout.hasColors()
    process.stdout.write(
      json ? `${JSON.stringify(sandbox.description)}\n` : welcome(sandbox.description, coloured),
    )
    await stopped
  } finally {
    await sandbox.close()
  }
}

try {
  await runSandbox(process.argv.slice(2))
} catch (error) {
  const failure = failureOf(error)
  if (failure === null) throw error
  process.stderr.write(`${failure.message}\n`)
  process.exitCode = failure.status
}
