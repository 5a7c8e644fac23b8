import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { root } from './bundle.ts'

/** The sign-in handler as `npm start` runs it, in a process of its own. */
export interface Handler {
  readonly process: ChildProcess
  /** Everything it wrote until now. */
  output(): string
  /** Ends it as a service manager would; gives its exit status. */
  stop(): Promise<number | null>
}

export interface HandlerOptions {
  readonly env: Readonly<Record<string, string>>
  /** Cores to pin it to, as taskset takes them. */
  readonly cores?: string
}

const startTimeoutMs = 15_000

/** Starts the handler and waits until it listens. Throws with what it wrote when it ends before. */
export async function startHandler({ env, cores }: HandlerOptions): Promise<Handler> {
  const command = [process.execPath, join(root, 'src/node.ts')]
  const [program = '', ...args] = cores === undefined ? command : ['taskset', '-c', cores, ...command]
  const child = spawn(program, args, {
    // Nothing of this process's environment but what finds programs: settings come from `env` alone.
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  // Whoever started it may end without stopping it.
  const endWithParent = () => void child.kill('SIGKILL')
  process.once('exit', endWithParent)
  child.once('exit', () => process.off('exit', endWithParent))
  const chunks: string[] = []
  const output = () => chunks.join('')
  const listening = new Promise<void>((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`The handler did not listen in time:\n${output()}`)),
      startTimeoutMs,
    )
    let started = false
    const collect = (chunk: string) => {
      chunks.push(chunk)
      // Not searched any more once found: a busy handler writes megabytes.
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
