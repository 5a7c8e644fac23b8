import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundleServer, nodeNeeded } from '../../../tools/server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { type Database, openDatabase } from '../support/databases.ts'

describe('the bundled server, alone in a folder', () => {
  let database: Database
  let build: string
  let box: string
  const inBox = (args: readonly string[], env = {}) =>
    promisify(execFile)(process.execPath, ['server.js', ...args], { cwd: box, env })

  /** Starts the server's help while this Node.js looks like another version. */
  function runAs(version: string) {
    const disguise = `Object.defineProperty(process.versions, 'node', { value: '${version}' }); Object.defineProperty(process, 'version', { value: 'v${version}' }); process.argv.push('--help'); require('./server.js')`
    return spawnSync(process.execPath, ['--eval', disguise, 'server.js'], { cwd: box, encoding: 'utf8' })
  }

  beforeAll(async () => {
    database = await openDatabase('postgres')
    build = temporaryFolder()
    box = temporaryFolder()
    await bundleServer(join(build, 'server.js'))
    await copyFile(join(build, 'server.js'), join(box, 'server.js'))
  })
  afterAll(async () => {
    await database?.close()
    for (const folder of [build, box]) await rm(folder, { recursive: true, force: true })
  })

  it('creates keys and tables, adds and binds the first administrator, serves, and stops', async () => {
    const key = (await inBox(['keys', 'new'])).stdout.trim()
    expect((await inBox(['employees', 'migrate'], database.env)).stdout).toContain('created table employees')
    await inBox(['employees', 'add', 'ada', '--id', '7', '--admin'], database.env)
    const objectId = '0f9a1b2c-3d4e-4f50-8a6b-7c8d9e0f1a2b'
    expect((await inBox(['employees', 'bind', 'ada', objectId], database.env)).stdout).toBe(
      `Bound ada to ${objectId}.\n`,
    )
    const { stdout } = await inBox(['employees', 'list'], database.env)
    expect(stdout).toContain(`ada\t7\tactive, administrator\tbound to ${objectId}\n`)

    const child = spawn(process.execPath, ['server.js'], {
      cwd: box,
      env: {
        ...database.env,
        TENANT_ID: 'tenant',
        CLIENT_ID: 'client',
        CLIENT_SECRET: 'secret',
        REDIRECT_URI: 'http://localhost:8080/auth/callback',
        SESSION_KEYS: key,
        ALLOWED_DOMAINS: 'example.com',
        PORT: '0',
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const exit = once(child, 'exit')
    let log = ''
    for await (const chunk of child.stdout.setEncoding('utf8')) {
      log += chunk
      const origin = /Listening on (http:\/\/127\.0\.0\.1:\d+)/.exec(log)?.[1]
      if (!origin) continue
      expect(await (await fetch(`${origin}/healthz`)).json()).toEqual({ status: 'ok' })
      const { url } = (await (await fetch(`${origin}/api/auth/login-url`)).json()) as { url: string }
      expect(url).toContain('https://login.microsoftonline.com/tenant/')
      child.kill('SIGTERM')
      break
    }
    expect(await exit).toEqual([0, null])
  })

  it.each(['22.20.0', '24.4.1'])('refuses Node %s, which ignores a proxy', version => {
    const { status, stdout, stderr } = runAs(version)
    expect(stderr).toBe(`Homeport needs ${nodeNeeded}. This is v${version}.\n`)
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
  })

  it.each(['22.21.0', '24.5.0'])('starts on Node %s', version => {
    expect(runAs(version)).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('node server.js keys'),
    })
  })

  it('names its own commands in help and messages', async () => {
    await expect(inBox(['employees'])).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Run `node server.js employees --help`'),
    })
    expect(await readFile(join(box, 'server.js'), 'utf8')).not.toMatch(/npm run/)
  })

  it('comes with the licence of every bundled package', async () => {
    const licences = await readFile(join(build, 'server.licenses.txt'), 'utf8')
    for (const name of ['@hono/node-server', 'hono', 'oauth4webapi', 'pg', 'pg-types']) {
      expect(licences).toMatch(new RegExp(`^${name}$`, 'm'))
    }
  })
})
