import { afterAll, inject } from 'vitest'
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
