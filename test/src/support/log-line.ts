import { expect } from 'vitest'
import type { Stage } from './stage.ts'

/** Waits for the log line of a response, and returns its fields. */
export async function logLine(stage: Stage, headers: Headers): Promise<Readonly<Record<string, unknown>>> {
  const id = headers.get('x-correlation-id') ?? 'none'
  const find = () =>
    stage
      .output()
      .split('\n')
      .find(line => line.includes(id))
  await expect.poll(find).toBeDefined()
  const line = find() ?? ''
  return JSON.parse(line.slice(line.indexOf('{')))
}
