import type { TestProject } from 'vitest/node'
import { CommandError } from '../../../lib/command.ts'
import { pulumiCli } from '../../../tools/pulumi-cli.ts'
import { bundleClock, bundlePushWorker } from '../../../tools/push.ts'
import { bundleWorker } from '../../../tools/worker.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Path of the CLI. */
    pulumi: string
  }
}

/** Finds or builds the CLI, and builds the Workers that the program deploys. */
export async function setup(project: TestProject): Promise<void> {
  try {
    project.provide('pulumi', await pulumiCli(line => process.stderr.write(`${line}\n`)))
  } catch (error) {
    // The message says what to install. A stack trace would not help.
    if (error instanceof CommandError) error.stack = error.message
    throw error
  }
  await Promise.all([bundleWorker(), bundlePushWorker(), bundleClock()])
}
