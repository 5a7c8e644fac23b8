import { systemClock as clock } from '../action/deadline.ts'
import { maskSecrets } from '../lib/redact.ts'
import { exchange } from './exchange.ts'
import { readClock } from './workflow.ts'
import { createWorkflowClock } from './workflow-clock.ts'

// biome-ignore lint/suspicious/noConsole: Workers have no other way to write a log line.
const log = (entry: object) => console.log(JSON.stringify(entry))

/** Returns what starts the workflow, and resolves to whether it did. With wrong settings, each firing logs them. */
function start(env: Readonly<Record<string, unknown>>): () => Promise<boolean> {
  const reading = readClock(env)
  if ('value' in reading) {
    maskSecrets([reading.value.token])
    return createWorkflowClock(reading.value, { exchange, clock, log })
  }
  return async () => {
    for (const message of reading.problems) log({ level: 'error', event: 'settings', message })
    return false
  }
}

/** Creates the clock's Worker, which only a cron trigger fires. */
export function createClock() {
  let tick: (() => Promise<boolean>) | null = null
  return {
    /** It rejects if the workflow was not started, since only then does the history of the trigger show a failure. */
    async scheduled(controller: { noRetry?(): void }, env: Readonly<Record<string, unknown>>): Promise<void> {
      tick ??= start(env)
      if (await tick()) return
      // The clock has its own repetition, and GitHub may have asked for none.
      controller.noRetry?.()
      throw new Error('The workflow was not started. The log says why.')
    },
  }
}

export default createClock()
