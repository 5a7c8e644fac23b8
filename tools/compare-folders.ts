import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Returns how a folder differs from a fresh one, one line per file. Compares bytes, and reports extra files too. A
 * missing folder counts as empty.
 */
export async function compareFolders(fresh: string, present: string): Promise<readonly string[]> {
  const [freshFiles, presentFiles] = await Promise.all([filesIn(fresh), filesIn(present)])
  const names = new Set([...freshFiles.keys(), ...presentFiles.keys()])
  return [...names].toSorted().flatMap(name => {
    const [now, then] = [freshFiles.get(name), presentFiles.get(name)]
    if (!then) return [`${name} is missing`]
    if (!now) return [`${name} should not be there`]
    return now.equals(then) ? [] : [`${name} differs from what the source builds`]
  })
}

async function filesIn(folder: string): Promise<ReadonlyMap<string, Buffer>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name))
  const read = files.map(async file => [file.slice(folder.length + 1), await readFile(file)] as const)
  return new Map(await Promise.all(read))
}
