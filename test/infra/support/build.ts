import { bundleWorker } from '../../../tools/worker.ts'

/** Builds the Worker: the program uploads it, and refuses a stale one. */
export const setup = (): Promise<void> => bundleWorker()
