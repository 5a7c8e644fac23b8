import type { TestContext } from 'vitest'

/** Installs a program, or skips the test and prints why it cannot be installed. Returns its path. */
export async function installedOrSkip(install: () => Promise<string>, context: TestContext): Promise<string> {
  try {
    return await install()
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error)
    process.stdout.write(`Not run: ${context.task.name}: ${reason}\n`)
    return context.skip(reason)
  }
}
