import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readArguments } from '../usage.ts'
import { allArchitectures, buildImages } from './build.ts'

const usage =
  'Usage: npm run images -- FOLDER   build the images for all platforms. Run `npm run build` first.\n'

/**
 * Writes each image to a folder: `NAME/image` for `skopeo copy dir:`, `NAME/digest`, and `NAME/sbom.spdx.json`.
 * The release pushes them as they are, so that their digests are known before.
 */
async function main([folder]: readonly string[]): Promise<void> {
  if (folder?.startsWith('-')) readArguments(usage)
  if (folder === undefined) {
    process.stderr.write(usage)
    process.exitCode = 2
    return
  }
  const workshop = await buildImages(allArchitectures)
  try {
    for (const { image, list, sbom } of workshop.built) {
      const target = join(folder, image.name)
      await rm(target, { recursive: true, force: true })
      await mkdir(target, { recursive: true })
      const digest = await workshop.export(list, join(target, 'image'))
      await writeFile(join(target, 'digest'), `${digest}\n`)
      await writeFile(join(target, 'sbom.spdx.json'), sbom)
      process.stdout.write(`${image.name}@${digest}\n`)
    }
  } finally {
    await workshop.close()
  }
}

try {
  await main(process.argv.slice(2))
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exitCode = 1
}
