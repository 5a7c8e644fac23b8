import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Returns a new folder. `vitest.config.ts` removes it when all tests have ended. */
export function temporaryFolder(): string {
  return mkdtempSync(join(process.env['TEST_FOLDER'] ?? tmpdir(), 'homeport-'))
}
