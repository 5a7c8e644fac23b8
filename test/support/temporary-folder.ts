import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Without vitest, these are removed at the end. */
const own: string[] = []

/** Returns a new folder. It is removed when the tests have ended (`vitest.config.ts`), or the demo that made it. */
export function temporaryFolder(): string {
  const parent = process.env['TEST_FOLDER']
  const folder = mkdtempSync(join(parent ?? tmpdir(), 'homeport-'))
  if (parent !== undefined) return folder
  if (own.length === 0)
    process.once('exit', () => {
      for (const one of own) rmSync(one, { recursive: true, force: true })
    })
  own.push(folder)
  return folder
}

/** Returns a new folder that every user of this host can enter. */
export function enterableFolder(): string {
  const folder = temporaryFolder()
  chmodSync(folder, 0o711)
  return folder
}
