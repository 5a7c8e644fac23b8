import { bundleWorker } from '../../../tools/worker.ts'

/** The program uploads the built Worker, and refuses a stale one. */
export const setup = (): Promise<void> => bundleWorker()
