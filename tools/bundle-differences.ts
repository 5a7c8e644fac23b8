import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundleAction, committedBundle, root } from './bundle.ts'
import { compareFolders } from './compare-folders.ts'

/** Returns how the committed bundle differs from what the source builds, one line per file. */
export async function bundleDifferences(): Promise<readonly string[]> {
  const fresh = await mkdtemp(join(tmpdir(), 'homeport-bundle-'))
  try {
    await bundleAction(fresh)
    return await compareFolders(fresh, join(root, committedBundle))
  } finally {
    await rm(fresh, { recursive: true, force: true })
  }
}
