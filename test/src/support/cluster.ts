import type { TestProject } from 'vitest/node'
import { startPostgres } from '../../../tools/postgres.ts'
import { bundleWorker } from '../../../tools/worker.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** URL of an empty database in the PostgreSQL server that all test files share. */
    readonly postgres: string
  }
}

/** Provides what all test files share: the Worker's bundle and one PostgreSQL server, where each stage has its own database. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const [postgres] = await Promise.all([startPostgres(), bundleWorker()])
  project.provide('postgres', await postgres.createDatabase('stages'))
  return () => postgres.close()
}
