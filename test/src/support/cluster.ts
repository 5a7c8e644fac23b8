import type { TestProject } from 'vitest/node'
import { startPostgres } from '../../../tools/postgres.ts'
import { bundleWorker } from '../../../tools/worker.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of an empty database in the PostgreSQL all test files share. */
    readonly postgres: string
  }
}

/** What all test files share: one PostgreSQL, in which every stage has a database of its own, and the Worker's bundle. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const [postgres] = await Promise.all([startPostgres(), bundleWorker()])
  project.provide('postgres', await postgres.createDatabase('stages'))
  return () => postgres.close()
}
