import { readFile } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { workerBundle } from '../../tools/worker.ts'

it('the Worker’s bundle has at most 48,800 bytes compressed, without what settings mean', async () => {
  const bundle = await readFile(workerBundle)
  expect(gzipSync(bundle, { level: 9 }).length).toBeLessThanOrEqual(48_800)
  expect(bundle.toString()).toContain('ALLOWED_DOMAINS')
  expect(bundle.toString()).not.toContain('the primary one first; `*` for any')
})
