import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { pulumiVersion } from '../../tools/pulumi-cli.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { startDemo } from './demo.ts'

// test/engine/journey.test.ts checks what each step shows.
it('the journey demo shows the checks of each step, and stops with 1 at the first that fails', async () => {
  const folder = temporaryFolder()
  const broken = join(folder, 'pulumi')
  await writeFile(
    broken,
    `#!/bin/sh\n[ "$1" = version ] && exec echo v${pulumiVersion}\necho Broken.\nexit 1\n`,
  )
  await chmod(broken, 0o755)
  const PATH = `${folder}:${process.env['PATH']}`
  const { status, stdout, stderr } = await startDemo(['journey', 'worker'], { PATH, HOME: folder }).ended
  expect(stderr).toBe('')
  expect(stdout).toMatch(/^This takes about a minute.*\nThe program runs in Pulumi /)
  expect(stdout).toMatch(/\n1 of \d+ {2}The services are empty\n {3}✓ Workers +0\n/)
  expect(stdout).toMatch(
    /\n2 of \d+ {2}The operator deploys .*\n {3}✗ failed +pulumi stack init.* ended with 1:\nBroken/,
  )
  expect(stdout).toMatch(/A step failed, so the rest was skipped\.\n$/)
  expect(status).toBe(1)
})
