import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { bundleAction, committedBundle, root } from './bundle.ts'
import { bundleWorker, workerBundle } from './worker.ts'

// Built elsewhere first, so that a failed build leaves the current bundle alone.
const fresh = await mkdtemp(join(tmpdir(), 'homeport-bundle-'))
try {
  await bundleAction(fresh)
  await rm(join(root, committedBundle), { recursive: true, force: true })
  await cp(fresh, join(root, committedBundle), { recursive: true })
  process.stdout.write(`${committedBundle}: built. Commit it with the change it belongs to.\n`)
  await bundleWorker()
  process.stdout.write(`${relative(root, workerBundle)}: built. Not committed; deploy it.\n`)
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exitCode = 1
} finally {
  await rm(fresh, { recursive: true, force: true })
}
