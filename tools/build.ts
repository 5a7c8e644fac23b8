import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { bundleAction, committedBundle, root } from './bundle.ts'

const folder = join(root, committedBundle)
await rm(folder, { recursive: true, force: true })
await bundleAction(folder)
process.stdout.write(`${committedBundle}: built. Commit it with the change it belongs to.\n`)
