import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundleAction, committedBundle, root } from './bundle.ts'

// Made elsewhere first: a build that fails leaves the present bundle alone.
const fresh = await mkdtemp(join(tmpdir(), 'homeport-bundle-'))
try {
  await bundleAction(fresh)
  await rm(join(root, committedBundle), { recursive: true, force: true })
  await cp(fresh, join(root, committedBundle), { recursive: true })
  process.stdout.write(`${committedBundle}: built. Commit it with the change it belongs to.\n`)
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exitCode = 1
} finally {
  await rm(fresh, { recursive: true, force: true })
}
