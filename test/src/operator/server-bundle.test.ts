import { execFile, spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { freshBundle, root } from '../../../tools/bundle.ts'
import { nodeNeeded } from '../../../tools/server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { createPostgresDatabase } from '../support/databases.ts'

// `process.test.ts` has what it serves.
describe('the bundled server', () => {
  const bundle = freshBundle('server')
  const run = (args: readonly string[], env = {}) =>
    promisify(execFile)(process.execPath, [bundle, ...args], { cwd: temporaryFolder(), env })

  it('creates tables, and names its own commands', async () => {
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
    expect((await run(['--version'])).stdout).toBe(`homeport ${version}\n`)
    const { href: DATABASE_URL } = await createPostgresDatabase()
    expect((await run(['employees', 'migrate'], { DATABASE_URL })).stdout).toContain(
      'created table employees',
    )
    await expect(run(['keys'])).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Run `node server.js keys --help`'),
    })
    expect(await readFile(bundle, 'utf8')).not.toMatch(/npm run/)
  })

  // `test/docs/node-releases.test.ts` starts it on the first releases that it accepts.
  it.each(['22.20.0', '24.4.1'])('refuses Node %s, which ignores a proxy', version => {
    const disguise = `Object.defineProperty(process.versions, 'node', { value: '${version}' }); Object.defineProperty(process, 'version', { value: 'v${version}' }); require('${bundle}')`
    const refused = `Homeport needs ${nodeNeeded}. This is v${version}.\n`
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--eval', disguise], { encoding: 'utf8' })
    expect([status, stdout, stderr]).toEqual([2, '', refused])
  })

  it('comes with the licence of every bundled package', async () => {
    const licences = await readFile(bundle.replace(/js$/, 'licenses.txt'), 'utf8')
    for (const name of ['@hono/node-server', 'hono', 'oauth4webapi', 'pg', 'pg-types']) {
      expect(licences).toMatch(new RegExp(`^${name}$`, 'm'))
    }
  })
})
