import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { RunError } from '@pulumi/pulumi'

/** The Worker as it is uploaded. */
export interface WorkerBundle {
  /** Source text of the one module. */
  readonly content: string
  /** Of the text, 64 hex digits. */
  readonly sha256: string
}

/** What the build wrote beside the bundle: the digest of the bundle, and of every file that went into it. */
interface BuildRecord {
  readonly bundle: string
  /** By path from the root of the repository. */
  readonly inputs: Readonly<Record<string, string>>
}

const cure = 'Run npm run build, then this again.'

/**
 * Reads the built Worker and holds it against its inputs: what is deployed is what the sources say now.
 * @param root the repository
 * @throws RunError when it is missing, was not made by the build, or an input has changed since
 */
export function readWorkerBundle(root: string): WorkerBundle {
  const content = read(root, 'build/worker.js')
  const recorded = read(root, 'build/worker.inputs.json')
  if (content === null || recorded === null) {
    throw new RunError(`The Worker has not been built: build/worker.js or its record is missing. ${cure}`)
  }
  const record = parseRecord(recorded)
  const sha256 = digest(content)
  if (record === null || record.bundle !== sha256) {
    throw new RunError(`build/worker.js is not what the build wrote. ${cure}`)
  }
  const changed = Object.entries(record.inputs).flatMap(([path, expected]) => {
    const text = read(root, path)
    return text !== null && digest(text) === expected ? [] : [path]
  })
  if (changed.length > 0) {
    const named = changed.slice(0, 3).join(', ')
    const more = changed.length > 3 ? ` and ${changed.length - 3} more` : ''
    throw new RunError(`build/worker.js is older than its sources: ${named}${more} changed. ${cure}`)
  }
  return { content, sha256 }
}

function read(root: string, path: string): string | null {
  try {
    return readFileSync(join(root, path), 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function parseRecord(text: string): BuildRecord | null {
  try {
    const { bundle, inputs } = JSON.parse(text)
    const fits = typeof bundle === 'string' && typeof inputs === 'object' && inputs !== null
    return fits && Object.keys(inputs).length > 0 ? { bundle, inputs } : null
  } catch {
    return null
  }
}
