import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { timeLimit } from './time-limit.ts'

const startTimeoutMs = timeLimit(120_000)

/** Returns how to read what a program has printed so far. */
export function outputOf({ stdout, stderr }: Pick<ChildProcess, 'stdout' | 'stderr'>): () => string {
  let output = ''
  for (const stream of [stdout, stderr])
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk
    })
  return () => output
}

/**
 * Waits until a server in a process of its own answers.
 * @param answers resolves to whether it does
 * @throws Error with what it printed, if it ends first or takes too long
 */
export async function serverProgram(child: ChildProcess, folder: string, answers: () => Promise<boolean>) {
  const output = outputOf(child)
  const ended = once(child, 'exit')
  async function stop() {
    child.kill('SIGTERM')
    await ended
  }
  const deadline = Date.now() + startTimeoutMs
  while (!(await answers())) {
    if (child.exitCode !== null || Date.now() > deadline) {
      await stop()
      throw new Error(`${child.spawnfile} does not answer: ${output().slice(-3000)}`)
    }
    await delay(20)
  }
  return {
    stop,
    /** Returns what it printed, and what it wrote into the `.log` files of its folder. */
    async readLog() {
      const files = (await readdir(folder)).filter(file => file.endsWith('.log'))
      const texts = await Promise.all(files.map(file => readFile(join(folder, file), 'utf8')))
      return [output(), ...texts].join('\n')
    },
  }
}
