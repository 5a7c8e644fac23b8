import { readdir, readFile } from 'node:fs/promises'

const sampleMs = 100
const bytesOfKb = 1024

/** Returns the parent of every running process, by process id. */
async function parents(): Promise<Map<number, number>> {
  const ids = (await readdir('/proc')).filter(name => /^\d+$/.test(name))
  const found = new Map<number, number>()
  for (const id of ids) {
    const stat = await readFile(`/proc/${id}/stat`, 'utf8').catch(() => '')
    // The name in brackets may contain anything. After it come the state and the parent.
    const parent = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]
    if (parent !== undefined) found.set(Number(id), Number(parent))
  }
  return found
}

function isBelow(id: number, root: number, parentOf: Map<number, number>): boolean {
  for (let at: number | undefined = id; at !== undefined && at > 1; at = parentOf.get(at)) {
    if (at === root) return true
  }
  return false
}

/** Returns the proportional memory of a process in bytes, so that shared pages count once. */
async function memoryOf(id: number): Promise<number> {
  const text = await readFile(`/proc/${id}/smaps_rollup`, 'utf8').catch(() => '')
  return Number(/^Pss:\s+(\d+)/m.exec(text)?.[1] ?? 0) * bytesOfKb
}

/**
 * Samples the memory of a process and all its descendants ten times a second, on Linux.
 * @returns a function that stops sampling and returns the highest total, in bytes
 */
export function watchMemory(root: number): () => Promise<number> {
  let most = 0
  let watching = true
  async function watch() {
    while (watching) {
      const parentOf = await parents()
      const tree = [...parentOf.keys()].filter(id => isBelow(id, root, parentOf))
      const held = (await Promise.all(tree.map(memoryOf))).reduce((sum, bytes) => sum + bytes, 0)
      most = Math.max(most, held)
      await new Promise(resolve => setTimeout(resolve, sampleMs))
    }
  }
  const done = watch()
  return async () => {
    watching = false
    await done
    return most
  }
}
