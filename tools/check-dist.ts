import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { bundleAction, committedBundle, root } from './bundle.ts'

/**
 * Whether what users would run is what the source says: the committed bundle against a fresh one, byte for byte, in
 * both directions, so that a file too many counts as much as one that differs, and against what git would hand out,
 * so that an ignored or forgotten file does not pass because it lies on this disk.
 */
async function findDifferences(fresh: string): Promise<readonly string[]> {
  const committed = join(root, committedBundle)
  const [freshFiles, committedFiles] = await Promise.all([filesIn(fresh), filesIn(committed)])
  const untracked = await untrackedIn(committedBundle)
  const differences: string[] = []
  for (const name of new Set([...freshFiles.keys(), ...committedFiles.keys()])) {
    const [now, then] = [freshFiles.get(name), committedFiles.get(name)]
    if (!then) differences.push(`${name} is missing`)
    else if (!now) differences.push(`${name} should not be there`)
    else if (!now.equals(then)) differences.push(`${name} is not what the source makes`)
  }
  return [...differences, ...untracked.map(name => `${name} is not under version control`)]
}

async function filesIn(folder: string): Promise<ReadonlyMap<string, Buffer>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name))
  return new Map(
    await Promise.all(
      files.map(async file => [file.slice(folder.length + 1), await readFile(file)] as const),
    ),
  )
}

async function untrackedIn(folder: string): Promise<readonly string[]> {
  const { stdout } = await promisify(execFile)('git', ['ls-files', '--others', folder], { cwd: root })
  return stdout.split('\n').filter(line => line !== '')
}

const fresh = await mkdtemp(join(tmpdir(), 'homeport-bundle-'))
try {
  await bundleAction(fresh)
  const differences = await findDifferences(fresh)
  if (differences.length > 0) {
    process.stderr.write(`${committedBundle} is stale:\n${differences.map(line => `  ${line}\n`).join('')}`)
    process.stderr.write('Run `npm run build` and commit the result.\n')
    process.exitCode = 1
  }
} finally {
  await rm(fresh, { recursive: true, force: true })
}
