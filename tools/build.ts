import { rm } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { bundleAction, committedBundle, root } from './bundle.ts'
import { bundleWorker, workerBundle } from './worker.ts'

const folder = join(root, committedBundle)
await rm(folder, { recursive: true, force: true })
await bundleAction(folder)
process.stdout.write(`${committedBundle}: built. Commit it with the change it belongs to.\n`)

await bundleWorker()
process.stdout.write(`${relative(root, workerBundle)}: built. Not committed; deploy it.\n`)
