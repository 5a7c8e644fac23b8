import { freshBundle } from '../../tools/bundle.ts'
import { compileCache } from '../../tools/compile-cache.ts'
import { startProgram } from './command.ts'

/** The sign-in handler as `npm start` runs it, in its own process. */
export type Handler = Awaited<ReturnType<typeof startHandler>>

/**
 * Starts the handler and waits until it listens.
 * @param options.node another release of Node.js
 * @throws Error with what it wrote, if it ends first
 */
export async function startHandler({
  env,
  node = process.execPath,
}: {
  readonly env: Readonly<Record<string, string>>
  readonly node?: string
}) {
  const started = startProgram(
    node,
    [freshBundle('server')],
    { ...compileCache(), ...env },
    { timeLimitMs: 0 },
  )
  const { process: child, written, ended } = started
  // The parent may end without stopping it.
  const endWithParent = () => void child.kill('SIGKILL')
  process.once('exit', endWithParent)
  child.once('exit', () => process.off('exit', endWithParent))
  await started.printed(/"level":"info","event":"start"/)
  return {
    process: child,
    /** Returns everything that it has written so far. */
    output: () => written.output,
    /** Stops it as a service manager would. Resolves to its exit status. */
    async stop(): Promise<number | null> {
      child.kill('SIGTERM')
      return (await ended).status
    },
  }
}
