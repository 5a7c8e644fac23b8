import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { bundleAction, committedBundle, root } from './bundle.ts'
import {
  bundleClock,
  bundlePush,
  bundlePushWorker,
  clockBundle,
  pushBundle,
  pushWorkerBundle,
} from './push.ts'
import { bundleServer, serverBundle } from './server.ts'
import { bundleWorker, workerBundle } from './worker.ts'

// Bundles the action into action/dist, which is committed, and the handler (server.js, worker.js), the push endpoint (push.js,
// push-worker.js) and the clock (clock-worker.js) into build/, which is not.

const committed = join(root, committedBundle)
// Built elsewhere first, so that a failed build leaves the current bundle alone.
const fresh = await mkdtemp(join(tmpdir(), 'homeport-bundle-'))
try {
  // An installation without development packages lacks what makes this bundle, and takes the committed one.
  if (existsSync(join(root, 'node_modules/@vercel/ncc'))) {
    await bundleAction(fresh)
    // A temporary folder lets only its owner in; a new one has the usual mode.
    await rm(committed, { recursive: true, force: true })
    await mkdir(committed)
    await cp(fresh, committed, { recursive: true })
    process.stdout.write(`${committedBundle}: built. If it changed, commit it.\n`)
  }
  await Promise.all([bundleServer(), bundleWorker(), bundlePushWorker(), bundleClock(), bundlePush()])
  for (const bundle of [serverBundle, workerBundle, pushWorkerBundle, clockBundle, pushBundle]) {
    process.stdout.write(`${relative(root, bundle)}: built. Not committed; deploy it.\n`)
  }
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exitCode = 1
} finally {
  await rm(fresh, { recursive: true, force: true })
}
