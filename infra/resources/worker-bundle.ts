import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { RunError } from '@pulumi/pulumi'
import { parseObject } from '../../lib/json.ts'

/** The Worker to upload. */
export interface WorkerBundle {
  /** Source of its only module. */
  readonly content: string
  /** SHA-256 of `content`, 64 hex digits. */
  readonly sha256: string
}

const fix = 'Run npm run build, then try again.'

/**
 * Reads a built Worker and checks it against its sources, so that a deployment matches them.
 * @param root the repository
 * @throws RunError if it is missing, was changed after the build, or is older than its sources
 */
export function readWorkerBundle(
  root: string,
  name: 'worker' | 'push-worker' | 'clock-worker' = 'worker',
): WorkerBundle {
  const bundle = `build/${name}.js`
  const inputs = `build/${name}.inputs.json`
  const content = read(root, bundle)
  const recorded = read(root, inputs)
  if (content === null || recorded === null) {
    throw new RunError(`The Worker has not been built: ${bundle} or ${inputs} is missing. ${fix}`)
  }
  // The build records the digest of the bundle, and that of every file that went into it, by path.
  const record = parseObject(recorded)
  const sha256 = digest(content)
  if (record?.['bundle'] !== sha256) throw new RunError(`${bundle} does not match ${inputs}. ${fix}`)
  const changed = Object.entries(Object(record['inputs'])).flatMap(([path, expected]) => {
    const text = read(root, path)
    return text !== null && digest(text) === expected ? [] : [path]
  })
  if (changed.length > 0) {
    const named = changed.slice(0, 3).join(', ')
    const more = changed.length > 3 ? ` and ${changed.length - 3} more` : ''
    throw new RunError(`${bundle} is older than its sources: ${named}${more} changed. ${fix}`)
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
