import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { root } from '../../tools/bundle.ts'

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}

interface Locked extends Partial<Manifest> {
  /** Whether `npm ci --omit=dev` leaves it out. */
  readonly dev?: boolean
}

const read = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8'))
const product: Manifest = read('package.json')
const sandbox: Manifest = read('sandbox/package.json')
const locked: Readonly<Record<string, Locked>> = read('package-lock.json').packages

describe('the packages of the sandbox', () => {
  it('are left out of an installation without development packages, unless the product needs them', () => {
    const installed = Object.keys(sandbox.devDependencies).filter(
      name => locked[`node_modules/${name}`]?.dev !== true,
    )
    expect(installed).toEqual([
      // Pulumi's SDK brings the two for gRPC and the types.
      '@grpc/grpc-js',
      '@pulumi/pulumi',
      '@types/google-protobuf',
      'google-protobuf',
      'oauth4webapi',
    ])
    // A package in `dependencies` of a workspace is always installed.
    expect(sandbox).not.toHaveProperty('dependencies')
  })

  it('have the same versions in both lists', () => {
    const versions = { ...product.devDependencies, ...product.optionalDependencies, ...product.dependencies }
    const shared = Object.entries(sandbox.devDependencies).filter(([name]) => name in versions)
    expect(shared.length).toBeGreaterThan(5)
    expect(shared).toEqual(shared.map(([name]) => [name, versions[name]]))
  })
})

describe('the packages that npm ci leaves out', () => {
  const left = ['runtimes', 'checks'].flatMap(set =>
    Object.keys(read(`tools/packages/${set}/package.json`).dependencies),
  )

  it('are in one set, and npm ci installs none of them', () => {
    expect(left).toEqual([...new Set(left)])
    expect(left.filter(name => `node_modules/${name}` in locked)).toEqual([])
  })

  it.each(Object.entries({ product, sandbox }))('are optional where the %s imports them', (_, manifest) => {
    const names = Object.keys(manifest.peerDependencies ?? {})
    expect(names).not.toEqual([])
    expect(names.filter(name => !left.includes(name))).toEqual([])
    expect(names.filter(name => manifest.peerDependenciesMeta?.[name]?.optional !== true)).toEqual([])
  })

  describe('on first use', () => {
    let project: string
    let calls: string
    beforeEach(async () => {
      project = await mkdtemp(join(tmpdir(), 'homeport-packages-'))
      calls = join(project, 'calls')
      const set = join(project, 'tools/packages/runtimes')
      await mkdir(set, { recursive: true })
      for (const name of ['cache.ts', 'find-program.ts', 'packages.ts'])
        await cp(join(root, 'tools', name), join(project, 'tools', name))
      await writeFile(join(project, 'package.json'), '{ "type": "module" }')
      await writeFile(
        join(set, 'package.json'),
        '{ "dependencies": { "one": "1.0.0", "@two/three": "1.0.0" } }',
      )
      await writeFile(join(set, 'package-lock.json'), '{}')
    })
    afterEach(() => rm(project, { recursive: true, force: true }))

    /** Starts the command with a script in place of npm, in a process group of its own. */
    async function start(npm: string) {
      await mkdir(join(project, 'bin'), { recursive: true })
      await writeFile(join(project, 'bin/npm'), `#!/bin/sh\necho >> '${calls}'\n${npm}\n`, { mode: 0o700 })
      const child = spawn(process.execPath, ['tools/packages.ts', 'runtimes'], {
        cwd: project,
        detached: true,
        env: { PATH: `${join(project, 'bin')}:${process.env['PATH']}`, XDG_CACHE_HOME: project },
      })
      const ended = Promise.all([once(child, 'close'), text(child.stderr)])
      return { pid: child.pid ?? 0, ended: ended.then(([[status], errors]) => ({ status, errors })) }
    }
    const run = async (npm: string) => (await start(npm)).ended
    const inCache = () => readdir(join(project, 'homeport'))
    const linked = (name: string) => realpath(join(project, 'node_modules', name))
    const install = 'mkdir -p node_modules/one node_modules/@two/three'

    it('are kept once, although two processes start at the same time, and not installed again', async () => {
      // Neither ends before both have begun.
      const both = `until [ "$(wc -l < '${calls}')" -ge 2 ]; do sleep 0.01; done\n${install}`
      const [one, other] = [await start(both), await start(both)]
      const installed = {
        status: 0,
        errors: expect.stringMatching(/ is installed once: .*\nIt took \d+ s\.\n$/),
      }
      expect(await Promise.all([one.ended, other.ended])).toEqual([installed, installed])
      const [kept = '', ...more] = await inCache()
      expect(more).toEqual([])
      for (const name of ['one', '@two/three'])
        expect(await linked(name)).toBe(await realpath(join(project, 'homeport', kept, 'node_modules', name)))
      expect(await run('exit 1')).toEqual({ status: 0, errors: '' })
      expect(await readdir(join(project, 'node_modules'))).toEqual(['@two', 'one'])
    })

    it('replace what was installed before, and those of another lockfile', async () => {
      await mkdir(join(project, 'node_modules/one/lib'), { recursive: true })
      expect(await run(install)).toMatchObject({ status: 0 })
      const before = await linked('one')
      expect(before).toContain('/homeport/runtimes-')
      await writeFile(join(project, 'tools/packages/runtimes/package-lock.json'), '{ "packages": {} }')
      expect(await run(install)).toMatchObject({ status: 0 })
      expect(await linked('one')).not.toBe(before)
      expect(await inCache()).toHaveLength(2)
    })

    it('are not there if npm fails, and one sentence says why and what to do', async () => {
      const lines = ['code ENOTFOUND', 'network request to https://registry.example failed']
      const npm = `mkdir node_modules\n${lines.map(line => `echo 'npm error ${line}' >&2`).join('\n')}\nexit 1`
      const { status, errors } = await run(npm)
      expect(status).toBe(1)
      expect(errors).toMatch(
        /\n.* cannot be installed: network request to https:\/\/registry\.example failed\. .*`npm config get registry`.*https-proxy.*\n$/,
      )
      expect(await inCache()).toEqual([])
      expect(existsSync(join(project, 'node_modules'))).toBe(false)
    })

    it('leave nothing behind after Ctrl-C', async () => {
      const { pid, ended } = await start('mkdir node_modules\nexec sleep 600')
      await expect.poll(() => existsSync(calls), { timeout: 20_000 }).toBe(true)
      process.kill(-pid, 'SIGINT')
      expect(await ended).toMatchObject({ status: 1 })
      expect(await readFile(calls, 'utf8')).toBe('\n')
      expect(await inCache()).toEqual([])
    })
  })
})

describe('an installation for a record alone', () => {
  it('leaves out the packages for Entra and GitHub, and has the one for Cloudflare', async () => {
    const all = await installed('--omit=dev')
    const few = await installed('--omit=dev', '--omit=optional')
    expect(all).toEqual(expect.arrayContaining([...few]))
    const omitted = all.filter(name => !few.includes(name))
    expect(omitted).toEqual(expect.arrayContaining(['@pulumi/azuread', '@pulumi/github']))
    expect(few).toEqual(expect.arrayContaining(['@pulumi/cloudflare', '@pulumi/policy', '@pulumi/pulumi']))
  })
})

/** Returns the packages that `npm ci` would add to a new clone, by the lock file alone. */
async function installed(...options: readonly string[]): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'homeport-packages-'))
  try {
    for (const path of ['package.json', 'package-lock.json', '.npmrc', 'sandbox/package.json', 'tools']) {
      await cp(join(root, path), join(folder, path), { recursive: true })
    }
    const args = ['ci', '--dry-run', '--offline', '--ignore-scripts', ...options]
    const { stdout } = await promisify(execFile)('npm', args, { cwd: folder })
    return [...stdout.matchAll(/^add (\S+) /gm)].map(([, name = '']) => name).toSorted()
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
