import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { committedBundle, root } from '../bundle.ts'
import { bundleDifferences } from '../bundle-differences.ts'
import { bundlePush, bundlePushWorker, pushBundle, pushWorkerBundle } from '../push.ts'
import { bundleServer, serverBundle } from '../server.ts'
import { bundleWorker, workerBundle } from '../worker.ts'
import { changelogSection, tagProblem } from './changelog.ts'
import { hostArchive, writeHostArchive } from './host-archive.ts'

/** Why a commit cannot be released. */
export class ReleaseError extends Error {
  override readonly name = 'ReleaseError'
}

/** What a release consists of: each asset's name and the file it comes from. */
const assets: Readonly<Record<string, string>> = {
  'homeport-host.tar.gz': hostArchive,
  'homeport.mjs': join(root, committedBundle, 'index.js'),
  'homeport.licenses.txt': join(root, committedBundle, 'licenses.txt'),
  'push.js': pushBundle,
  'push-worker.js': pushWorkerBundle,
  'wrangler.toml': join(root, 'docs/push/wrangler.toml'),
  'server.js': serverBundle,
  'server.licenses.txt': serverBundle.replace(/\.js$/, '.licenses.txt'),
  'worker.js': workerBundle,
  'worker.licenses.txt': workerBundle.replace(/\.js$/, '.licenses.txt'),
}

/**
 * Rebuilds everything at a tag and writes what is released to `build/release`: `assets/`, SHA256SUMS and notes.md.
 * @throws ReleaseError if the tag, the changelog or the committed bundle does not match; nothing is written then
 */
export async function prepareRelease(tag: string): Promise<void> {
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  const problem = tagProblem(tag, version)
  if (problem) throw new ReleaseError(problem)
  const notes = changelogSection(await readFile(join(root, 'CHANGELOG.md'), 'utf8'), version)
  if (notes === null) {
    throw new ReleaseError(`CHANGELOG.md has no section "## ${version}". Describe what users will notice.`)
  }
  await requireTagged(tag)
  await requireSameBundle()

  await Promise.all([bundleServer(), bundleWorker(), bundlePush(), bundlePushWorker()])
  await writeHostArchive()
  const folder = join(root, 'build/release')
  await rm(folder, { recursive: true, force: true })
  await mkdir(join(folder, 'assets'), { recursive: true })
  const sums: string[] = []
  for (const [name, file] of Object.entries(assets)) {
    await copyFile(file, join(folder, 'assets', name))
    const digest = createHash('sha256').update(await readFile(file))
    sums.push(`${digest.digest('hex')}  ${name}\n`)
  }
  await writeFile(join(folder, 'SHA256SUMS'), sums.join(''))
  await writeFile(join(folder, 'notes.md'), `${notes}\n`)
  process.stdout.write(`build/release: ${Object.keys(assets).join(', ')}\n`)
}

/** Users fetch the tag, so the release must be built from its commit and nothing else; only main is reviewed. */
async function requireTagged(tag: string): Promise<void> {
  const git = async (...args: string[]) =>
    (await promisify(execFile)('git', args, { cwd: root })).stdout.trim()
  const tagged = await git('rev-parse', '--verify', '--quiet', `refs/tags/${tag}^{commit}`).catch(() => '')
  if (tagged === '') throw new ReleaseError(`There is no tag ${tag}. Create it, then run this again.`)
  const head = await git('rev-parse', 'HEAD')
  if (tagged !== head) throw new ReleaseError(`${tag} is ${tagged}, but ${head} is checked out.`)
  const ofMain = await git('merge-base', '--is-ancestor', 'HEAD', 'refs/remotes/origin/main').then(
    () => true,
    () => false,
  )
  if (!ofMain) {
    throw new ReleaseError(`${tag} is not a commit of origin/main. Merge it into main, then tag it there.`)
  }
  const changed = await git('status', '--porcelain')
  if (changed !== '') throw new ReleaseError(`Files differ from the commit:\n${changed}`)
}

async function requireSameBundle(): Promise<void> {
  const differences = await bundleDifferences()
  if (differences.length === 0) return
  const list = differences.map(line => `  ${line}`).join('\n')
  throw new ReleaseError(
    `${committedBundle} differs from what the source builds:\n${list}\nRun \`npm run build\`, commit, and tag that commit.`,
  )
}
