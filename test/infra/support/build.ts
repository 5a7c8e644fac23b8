import { bundlePushWorker } from '../../../tools/push.ts'
import { bundleWorker } from '../../../tools/worker.ts'

/** Builds both Workers: the program uploads them, and refuses stale ones. */
export async function setup(): Promise<void> {
  await Promise.all([bundleWorker(), bundlePushWorker()])
}
