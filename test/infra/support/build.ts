import { bundleClock, bundlePushWorker } from '../../../tools/push.ts'
import { bundleWorker } from '../../../tools/worker.ts'

/** Builds the Workers: the program uploads them, and refuses stale ones. */
export async function setup(): Promise<void> {
  await Promise.all([bundleWorker(), bundlePushWorker(), bundleClock()])
}
