import { afterAll, expect, inject } from 'vitest'
import { timeLimit } from '../time-limit.ts'
import { type Config, type Stack, Stage } from './stack.ts'

/** Deploys a stack to services of its own, for the tests of a file. They are closed after its last test. */
export async function deployed(
  config: Config = {},
): Promise<{ readonly stage: Stage; readonly stack: Stack }> {
  const stage = await Stage.start(inject('pulumi'))
  try {
    const stack = await stage.stack('dev', config)
    await stack.up()
    afterAll(() => stage.close())
    return { stage, stack }
  } catch (error) {
    await stage.close()
    throw error
  }
}

/** Kills an `up` as soon as what it wrote is enough, before it is answered. Ends the faults that held the answer back. */
export async function killUp({ stage, name }: Stack, isEnough: () => boolean): Promise<void> {
  const { control } = stage.services.sandbox
  control.clearJournal()
  let pid = 0
  const killed = stage.project.pulumi(['up', '--yes', '--skip-preview', '--stack', name], {}, started => {
    pid = started
  })
  await expect.poll(isEnough, { timeout: timeLimit(120_000), interval: 200 }).toBe(true)
  process.kill(pid, 'SIGKILL')
  await killed
  control.setFaults([])
}
