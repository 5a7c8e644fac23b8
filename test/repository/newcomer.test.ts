import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { root } from '../../tools/bundle.ts'
import { cacheFolder, fromCache } from '../../tools/cache.ts'
import { debianProgram, NoProgram } from '../../tools/debian.ts'
import { startPostgres } from '../../tools/postgres.ts'
import { threeTimes } from '../../tools/three-times.ts'
import { hasBrowser } from '../support/browser.ts'

const isRoot = process.getuid?.() === 0
const onlyAsRoot = isRoot ? '' : ' (only for root)'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'homeport-newcomer-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

/** Runs a program of this repository with these variables. An empty one is removed. */
async function run(args: readonly string[], variables: Readonly<Record<string, string>>) {
  const given = Object.entries({ ...process.env, ...variables }).filter(([, value]) => value !== '')
  const child = spawn(process.execPath, args, { cwd: root, env: Object.fromEntries(given) })
  const [[status], output, errors] = await Promise.all([
    once(child, 'exit'),
    text(child.stdout),
    text(child.stderr),
  ])
  return { status, output, errors }
}

it('tests that need a browser are skipped where none starts, with one sentence', {
  timeout: 120_000,
}, async () => {
  const { status, output, errors } = await run(
    ['node_modules/vitest/vitest.mjs', 'run', 'test/journeys/journey.test.ts'],
    { CHROME_PATH: '/nowhere/chromium', VITEST: '' },
  )
  expect({ status, errors }, output).toEqual({
    status: 0,
    errors: expect.stringMatching(/^Tests in a browser are skipped\. No browser started .*\n$/),
  })
  expect(errors).toContain('Install Chromium, or set CHROME_PATH to one.')
})

describe.skipIf(!hasBrowser)('a browser', () => {
  it('starts nothing that others can put among the temporary files, and puts nothing there', async () => {
    const planted = join(folder, 'chromium')
    await writeFile(planted, `#!/bin/sh\ntouch '${folder}/it-ran'\n`)
    await chmod(planted, 0o755)
    const script = `
      const { startChromium } = await import('./tools/chromium.ts')
      await (await startChromium()).close()`
    const { status, errors } = await run(['--input-type=module', '--eval', script], { TMPDIR: folder })
    expect({ status, errors }).toEqual({ status: 0, errors: '' })
    expect(await readdir(folder)).toEqual(['chromium'])
  })
})

describe('a program in the cache', () => {
  it('is made once, although two processes start at the same time', async () => {
    const script = `
      import { writeFile } from 'node:fs/promises'
      import { join } from 'node:path'
      const { fromCache } = await import('./tools/cache.ts')
      process.stdout.write(await fromCache('program-1.0', 'run', async work => {
        await writeFile(join(work, 'run'), '', { mode: 0o700 })
        await new Promise(resolve => setTimeout(resolve, 200))
        return work
      }))`
    const start = () => run(['--input-type=module', '--eval', script], { XDG_CACHE_HOME: folder })
    const found = { status: 0, errors: '', output: join(folder, 'homeport/program-1.0/run') }
    expect(await Promise.all([start(), start()])).toEqual([found, found])
    expect(await readdir(join(folder, 'homeport'))).toEqual(['program-1.0'])
    expect((await stat(join(folder, 'homeport'))).mode & 0o777).toBe(0o700)
  })

  it('is not there if it could not be made completely', async () => {
    const before = process.env['XDG_CACHE_HOME']
    process.env['XDG_CACHE_HOME'] = folder
    try {
      const made = fromCache('program-1.0', 'run', async work => {
        await writeFile(join(work, 'run'), '', { mode: 0o700 })
        throw new Error('interrupted')
      })
      await expect(made).rejects.toThrow('interrupted')
    } finally {
      if (before === undefined) delete process.env['XDG_CACHE_HOME']
      else process.env['XDG_CACHE_HOME'] = before
    }
    expect(await readdir(join(folder, 'homeport'))).toEqual([])
  })

  it.skipIf(!isRoot)(`is not run from a folder of another user${onlyAsRoot}`, async () => {
    await mkdir(join(folder, 'homeport'))
    await chown(join(folder, 'homeport'), 65_534, 65_534)
    await expect(cacheFolder({ XDG_CACHE_HOME: folder })).rejects.toThrow(
      /^The cache .*homeport belongs to another user\. Set XDG_CACHE_HOME to a folder of yours\.$/,
    )
  })

  it('is refused in one sentence where no folder can be made', async () => {
    await writeFile(join(folder, 'file'), '')
    await expect(cacheFolder({ XDG_CACHE_HOME: join(folder, 'file') })).rejects.toThrow(
      /^The cache .*homeport cannot be created \(ENOTDIR\)\. Set XDG_CACHE_HOME/,
    )
  })
})

describe('a program that has to be fetched', () => {
  /** Makes apt-get a script, and fetches dig into an empty cache. Returns its path or the error, and the commands. */
  async function fetchWith(aptGet: string) {
    const calls = join(folder, 'calls')
    await writeFile(calls, '')
    const lines = ['#!/bin/sh', `echo "$1" >> '${calls}'`, aptGet]
    await writeFile(join(folder, 'apt-get'), lines.join('\n'), { mode: 0o700 })
    // Only this folder, so that no program is installed.
    vi.stubEnv('PATH', folder)
    vi.stubEnv('XDG_CACHE_HOME', folder)
    const result = await debianProgram('dig', 1).catch((error: unknown) => error)
    vi.unstubAllEnvs()
    return { result, calls: (await readFile(calls, 'utf8')).trim().split('\n') }
  }

  it('is tried three times, and then missing in one sentence', async () => {
    const { result, calls } = await fetchWith("echo 'E: no network' >&2; exit 100")
    expect(result).toEqual(
      new NoProgram(
        'dig is not installed, and apt-get cannot fetch it (E: no network). Install bind9-dnsutils.',
      ),
    )
    expect(calls).toEqual(Array(3).fill(['install', 'update']).flat())
    expect(await readdir(join(folder, 'homeport'))).toEqual([])
  })

  it('is tried again after a failure', async () => {
    let attempts = 0
    const fetched = threeTimes(async () => {
      attempts += 1
      if (attempts < 3) throw new Error('no network')
      return attempts
    }, 1)
    expect(await fetched).toBe(3)
  })

  it('is not tried again without the program that fetches it', async () => {
    let attempts = 0
    const fetched = threeTimes(async () => {
      attempts += 1
      await readFile(join(folder, 'missing'))
    }, 1)
    await expect(fetched).rejects.toThrow('ENOENT')
    expect(attempts).toBe(1)
  })
})

describe('PostgreSQL', () => {
  it('says in one sentence why it did not start', async () => {
    await expect(startPostgres('homeport', '/nowhere')).rejects.toThrow(
      /^PostgreSQL did not start: spawn \/nowhere\/initdb ENOENT\.$/,
    )
  })

  it.skipIf(!isRoot)(`says which folder root has to change${onlyAsRoot}`, async () => {
    // The user nobody cannot enter it.
    const script = `
      const { startPostgres } = await import('./tools/postgres.ts')
      await startPostgres().catch(error => process.stdout.write(error.message))`
    const { status, output } = await run(['--input-type=module', '--eval', script], { TMPDIR: folder })
    expect({ status, output }).toEqual({
      status: 0,
      output: expect.stringMatching(
        /^PostgreSQL did not start: spawn .* EACCES\. Root runs it as nobody: set TMPDIR to a folder that every user can enter\.$/,
      ),
    })
  })

  it.skipIf(!isRoot)(`runs as an existing user, in a folder of that user${onlyAsRoot}`, async () => {
    await chmod(folder, 0o755)
    const users = await readFile('/etc/passwd', 'utf8')
    const nobody = Number(/^nobody:[^:]*:(\d+)/m.exec(users)?.[1])
    const script = `
      const { startPostgres } = await import('./tools/postgres.ts')
      const postgres = await startPostgres()
      const { readdirSync, statSync } = await import('node:fs')
      const [name] = readdirSync(process.env.TMPDIR)
      process.stdout.write(String(statSync(process.env.TMPDIR + '/' + name + '/data/postmaster.pid').uid))
      await postgres.close()`
    const { status, output } = await run(['--input-type=module', '--eval', script], { TMPDIR: folder })
    expect({ status, output }).toEqual({ status: 0, output: String(nobody) })
    expect(await readFile('/etc/passwd', 'utf8')).toBe(users)
    expect(await readdir(folder)).toEqual([])
  })
})
