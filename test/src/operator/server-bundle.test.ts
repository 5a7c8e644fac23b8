import { execFile, spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { root } from '../../../tools/bundle.ts'
import { bundleServer, nodeNeeded } from '../../../tools/server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { createPostgresDatabase } from '../support/databases.ts'

describe('the bundled server, alone in a folder', () => {
  const box = temporaryFolder()
  const inBox = (args: readonly string[], env = {}) =>
    promisify(execFile)(process.execPath, ['server.js', ...args], { cwd: box, env })

  /** Starts the server's help while this Node.js looks like another version. */
  function runAs(version: string) {
    const disguise = `Object.defineProperty(process.versions, 'node', { value: '${version}' }); Object.defineProperty(process, 'version', { value: 'v${version}' }); process.argv.push('--help'); require('./server.js')`
    return spawnSync(process.execPath, ['--eval', disguise, 'server.js'], { cwd: box, encoding: 'utf8' })
  }

  beforeAll(() => bundleServer(join(box, 'server.js')))

  it('creates keys and tables, and names its own commands', async () => {
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
    expect((await inBox(['--version'])).stdout).toBe(`homeport ${version}\n`)
    expect((await inBox(['keys', 'new'])).stdout).toMatch(/^[\w-]+:[\w-]{43}\n$/)
    const { href: DATABASE_URL } = await createPostgresDatabase()
    expect((await inBox(['employees', 'migrate'], { DATABASE_URL })).stdout).toContain(
      'created table employees',
    )
    await expect(inBox(['employees'])).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Run `node server.js employees --help`'),
    })
    expect(await readFile(join(box, 'server.js'), 'utf8')).not.toMatch(/npm run/)
  })

  // `process.test.ts` has what it serves.
  it('starts the handler, which says what it lacks', async () => {
    await expect(inBox([], { PORT: '0' })).rejects.toMatchObject({
      code: 2,
      stdout: expect.stringContaining('TENANT_ID is missing'),
    })
  })

  it.each([
    ['22.20.0', '22.21.0'],
    ['24.4.1', '24.5.0'],
  ])('refuses Node %s, which ignores a proxy, and starts on %s', (older, first) => {
    const refused = `Homeport needs ${nodeNeeded}. This is v${older}.\n`
    expect(runAs(older)).toMatchObject({ status: 2, stdout: '', stderr: refused })
    expect(runAs(first)).toMatchObject({ status: 0, stdout: expect.stringContaining('node server.js keys') })
  })

  it('comes with the licence of every bundled package', async () => {
    const licences = await readFile(join(box, 'server.licenses.txt'), 'utf8')
    for (const name of ['@hono/node-server', 'hono', 'oauth4webapi', 'pg', 'pg-types']) {
      expect(licences).toMatch(new RegExp(`^${name}$`, 'm'))
    }
  })
})
