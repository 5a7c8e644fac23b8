import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { compareFolders } from '../../tools/compare-folders.ts'

it('folders are equal only if each file in either one equals its counterpart', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'homeport-compare-'))
  const [fresh, present] = [join(folder, 'fresh'), join(folder, 'present')]
  await mkdir(join(fresh, 'deep'), { recursive: true })
  expect(await compareFolders(fresh, present)).toEqual([])
  await writeFile(join(fresh, 'deep', 'index.js'), 'a')
  expect(await compareFolders(fresh, present)).toEqual(['deep/index.js is missing'])
  await mkdir(join(present, 'deep'), { recursive: true })
  await writeFile(join(present, 'deep', 'index.js'), 'a ')
  expect(await compareFolders(fresh, present)).toEqual(['deep/index.js differs from what the source builds'])
  await writeFile(join(present, 'deep', 'index.js'), 'a')
  expect(await compareFolders(fresh, present)).toEqual([])
  await writeFile(join(present, 'index.js.map'), '')
  expect(await compareFolders(fresh, present)).toEqual(['index.js.map should not be there'])
  await rm(folder, { recursive: true })
})
