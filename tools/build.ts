import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { bundleAction, committedBundle, root } from './bundle.ts'
import { bundleServer, serverBundle } from './server.ts'
import { bundleWorker, workerBundle } from './worker.ts'

// Built elsewhere first, so that a failed build leaves the current bundle alone.
const fresh = await mkdtemp(join(tmpdir(), 'homeport-bundle-'))
try {
  await bundleAction(fresh)
  await rm(join(root, committedBundle), { recursive: true, force: true })
  await cp(fresh, join(root, committedBundle), { recursive: true })
  process.stdout.write(`${committedBundle}: built. Commit it with the change it belongs to.\n`)
  await Promise.all([bundleServer(), bundleWorker()])
  for (const bundle of [serverBundle, workerBundle]) {
    process.stdout.write(`${relative(root, bundle)}: built. Not committed; deploy it.\n`)
  }
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exitCode = 1
} finally {
  await rm(fresh, { recursive: true, force: true })
}
