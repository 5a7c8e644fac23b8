import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { freshBundle } from './bundle.ts'
import { compileCache } from './compile-cache.ts'

/** The sign-in handler as `npm start` runs it, in its own process. */
export interface Handler {
  readonly process: ChildProcess
  /** Returns everything that it has written so far. */
  output(): string
  /** Stops it as a service manager would and returns its exit status. */
  stop(): Promise<number | null>
}

export interface HandlerOptions {
  readonly env: Readonly<Record<string, string>>
  /** Another release of Node.js. */
  readonly node?: string
}

const startTimeoutMs = 15_000

/**
 * Starts the handler and waits until it listens.
 * @throws Error with what it wrote, if it ends first or takes too long
 */
export async function startHandler({ env, node = process.execPath }: HandlerOptions): Promise<Handler> {
  const child = spawn(node, [freshBundle('server')], {
    // Settings come from `env` alone.
    env: { ...compileCache(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  // The parent may end without stopping it.
  const endWithParent = () => void child.kill('SIGKILL')
  process.once('exit', endWithParent)
  child.once('exit', () => process.off('exit', endWithParent))
  const chunks: string[] = []
  const output = () => chunks.join('')
  const listening = new Promise<void>((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`The handler did not listen within ${startTimeoutMs / 1000} s:\n${output()}`)),
      startTimeoutMs,
    )
    let started = false
    function collect(chunk: string) {
      chunks.push(chunk)
      // A busy handler writes megabytes, so stop searching once it has started.
      if (started || !output().includes('"level":"info","event":"start"')) return
      started = true
      clearTimeout(timer)
      resolve()
    }
    child.stdout.setEncoding('utf8').on('data', collect)
    child.stderr.setEncoding('utf8').on('data', collect)
    child.once('exit', status => {
      clearTimeout(timer)
      reject(new Error(`The handler ended with status ${status}:\n${output()}`))
    })
  })
  await listening
  return {
    process: child,
    output,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
      return child.exitCode
    },
  }
}
