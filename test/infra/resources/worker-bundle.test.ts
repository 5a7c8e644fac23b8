import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, it } from 'vitest'
import { readWorkerBundle } from '../../../infra/resources/worker-bundle.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { readText } from '../support/golden.ts'

const digests = {
  // printf one | sha256sum
  one: '7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed',
  two: '3fc4ccfe745870e2c0d99f71f30ff0656c8dedd41cc1d7d3d376b0dbe685e2f3',
}

let root = ''
async function place(path: string, text: string) {
  await mkdir(join(root, path, '..'), { recursive: true })
  await writeFile(join(root, path), text)
}

beforeEach(async () => {
  root = temporaryFolder()
  await place('build/worker.js', 'one')
  await place(
    'build/worker.inputs.json',
    JSON.stringify({ bundle: digests.one, inputs: { 'src/a.ts': digests.two } }),
  )
  await place('src/a.ts', 'two')
})

describe('the built Worker', () => {
  it('is read as long as nothing has changed', () => {
    expect(readWorkerBundle(root)).toEqual({ content: 'one', sha256: digests.one })
  })

  it.each([
    ['was never built', 'build/worker.js', null, /has not been built.*npm run build/],
    ['was edited', 'build/worker.js', 'changed', /does not match .*npm run build/],
    ['is older than a source', 'src/a.ts', 'changed', /older than its sources: src\/a\.ts changed.*npm run/],
  ])('is refused when it %s', async (_, path, content, message) => {
    await (content === null ? rm(join(root, path)) : place(path, content))
    expect(() => readWorkerBundle(root)).toThrow(message)
  })

  it('records every source of the handler and its build script', () => {
    const { inputs } = JSON.parse(readText('build/worker.inputs.json'))
    expect(Object.keys(inputs)).toEqual(
      expect.arrayContaining([
        'src/worker.ts',
        'src/sign-in/provider.ts',
        'src/pages/scripts.ts',
        'tools/worker.ts',
      ]),
    )
    expect(Object.keys(inputs).filter(path => path.startsWith('/') || path.startsWith('..'))).toEqual([])
    expect(readWorkerBundle(fileURLToPath(new URL('../../..', import.meta.url))).content).toContain('fetch')
  })
})
