import { lstat, readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts'
import { freePort } from '../../tools/free-port.ts'
import { allArchitectures, buildImages, type Workshop } from '../../tools/images/build.ts'
import { images } from '../../tools/images/images.ts'
import { type Postgres, startPostgres } from '../../tools/postgres.ts'
import { bundlePush } from '../../tools/push.ts'
import { bundleServer } from '../../tools/server.ts'
import { native, whyNoContainers } from './can-run.ts'
import { runContainer, startContainer, type Unpacked, unpack } from './container.ts'
import { readElf } from './elf.ts'

const maxBytes = 140_000_000

/** The files of every image, with `TRIPLET` for the folder of libraries. */
const baseFiles = [
  'etc/debian_version',
  'etc/group',
  'etc/os-release',
  'etc/passwd',
  'lib/TRIPLET/LOADER',
  'lib/TRIPLET/libc.so.6',
  'lib/TRIPLET/libdl.so.2',
  'lib/TRIPLET/libgcc_s.so.1',
  'lib/TRIPLET/libm.so.6',
  'lib/TRIPLET/libpthread.so.0',
  'lib/TRIPLET/librt.so.1',
  'lib/LOADER',
  'usr/bin/node',
  'usr/lib/TRIPLET/libstdc++.so.6',
  'usr/lib/TRIPLET/libstdc++.so.6.0.30',
  'usr/lib/os-release',
  'usr/share/doc/base-files/copyright',
  'usr/share/doc/gcc-12-base/copyright',
  'usr/share/doc/libc6/copyright',
  'usr/share/doc/libgcc-s1',
  'usr/share/doc/libstdc++6',
  'usr/share/doc/node/copyright',
  'var/lib/dpkg/status.d/base-files',
  'var/lib/dpkg/status.d/gcc-12-base',
  'var/lib/dpkg/status.d/libc6',
  'var/lib/dpkg/status.d/libgcc-s1',
  'var/lib/dpkg/status.d/libstdc++6',
]

const bundleFiles: Readonly<Record<string, readonly string[]>> = {
  homeport: ['index.js', 'licenses.txt', 'package.json'],
  'homeport-sign-in': ['licenses.txt', 'server.js'],
  'homeport-push': ['licenses.txt', 'push.js'],
}

/** Returns every file and link below a folder. */
async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter(entry => !entry.isDirectory())
    .map(entry => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort()
}

/** Returns paths in the form of `baseFiles`. */
const general = (paths: readonly string[]) =>
  paths
    .map(path =>
      path.replace(/(x86_64|aarch64)-linux-gnu/, 'TRIPLET').replace(/ld-linux-[\w-]+\.so\.[12]/, 'LOADER'),
    )
    .map(path => path.replace('lib64/LOADER', 'lib/LOADER'))
    .sort()

describe.skipIf(whyNoContainers !== '')(`images${whyNoContainers}`, () => {
  let workshop: Workshop
  const unpacked = new Map<string, { readonly files: readonly string[]; readonly image: Unpacked }>()
  const imageOf = (name: string) => unpacked.get(name)?.image as Unpacked
  beforeAll(async () => {
    await Promise.all([bundleServer(), bundlePush()])
    workshop = await buildImages(allArchitectures)
    for (const { name } of images) {
      const image = await unpack(workshop.buildah, `${name}:${native}`)
      unpacked.set(name, { image, files: await filesBelow(image.root) })
    }
  }, 600_000)
  afterAll(() => workshop?.close())

  describe.each(images)('$name', ({ name, arguments: args, port, environment, health }) => {
    it('contains these files and nothing else', () => {
      const own = (bundleFiles[name] ?? []).map(file => `opt/homeport/${file}`)
      expect(general(unpacked.get(name)?.files ?? [])).toEqual([...baseFiles, ...own].sort())
    })

    it('has no program but Node, no file for another user to change, and a size within the limit', async () => {
      const { image, files } = unpacked.get(name) ?? { image: imageOf(name), files: [] }
      let bytes = 0
      for (const file of files) {
        const { mode, size } = await lstat(join(image.root, file))
        bytes += size
        if ((mode & 0o170_000) === 0o120_000) continue
        expect(mode & 0o6022, file).toBe(0)
        // Libraries and the loader are marked as programs, too.
        const isLibrary = /\.so\.\d/.test(file)
        if (!isLibrary && !file.startsWith('opt/'))
          expect([file, mode & 0o111 ? 'program' : 'data']).toEqual([
            file,
            file === 'usr/bin/node' ? 'program' : 'data',
          ])
      }
      expect(bytes).toBeLessThan(maxBytes)
    })

    it('says what a runtime needs to know', () => {
      const { config } = imageOf(name)
      expect(config.User).toBe('65532:65532')
      expect(config.Cmd ?? []).toEqual(args)
      expect(config.Env).toEqual(
        expect.arrayContaining(Object.entries(environment).map(pair => pair.join('='))),
      )
      expect(Object.keys(config.ExposedPorts ?? {})).toEqual(port === null ? [] : [`${port}/tcp`])
      expect(config.Healthcheck?.Test).toEqual(['CMD', '/usr/bin/node', '--eval', health])
    })

    it('runs without root, without privileges, and cannot write anywhere', async () => {
      const script = `const fs = require('node:fs'), tries = {}
for (const file of ['/x', '/opt/homeport/x', '/etc/passwd', '/run/secrets/x', '/usr/bin/node', '/var/x']) {
  try { fs.writeFileSync(file, ''); tries[file] = 'written' } catch ({ code }) { tries[file] = code }
}
const status = fs.readFileSync('/proc/self/status', 'utf8')
console.log(JSON.stringify({ pid: process.pid, uid: process.getuid(), groups: process.getgroups(), tries,
  effective: /CapEff:\\s*(\\w+)/.exec(status)[1], name: require('node:os').userInfo().username }))`
      const { status, output } = await runContainer(imageOf(name), {
        command: ['/usr/bin/node', '--eval', script],
      })
      expect(status, output).toBe(0)
      const { tries, ...rest } = JSON.parse(output)
      expect(rest).toEqual({
        pid: 1,
        uid: 65532,
        groups: [65532],
        effective: '0000000000000000',
        name: 'homeport',
      })
      expect(new Set(Object.values(tries))).toEqual(new Set(['EROFS']))
    })

    it('is assembled alike for the other architecture, with libraries of that machine', async () => {
      for (const architecture of allArchitectures) {
        const { root, config } = await unpack(workshop.buildah, `${name}:${architecture}`)
        expect(config).toMatchObject({ ...imageOf(name).config, Hostname: expect.anything() })
        const files = (await filesBelow(root)).filter(file => !/^(proc|dev|run)\//.test(file))
        expect(general(files)).toEqual(general(unpacked.get(name)?.files ?? []))
        const names = new Set(files.map(file => basename(file)))
        let programs = 0
        for (const file of files) {
          const elf = (await lstat(join(root, file))).isFile()
            ? readElf(await readFile(join(root, file)))
            : null
          if (elf === null) continue
          programs += 1
          expect(elf.machine, file).toBe(architecture)
          for (const library of elf.needed) expect(names, `${file} needs ${library}`).toContain(library)
        }
        expect(programs).toBeGreaterThan(8)
      }
    })

    it('has a bill of materials with each package', async () => {
      const { sbom } = workshop.built.find(({ image }) => image.name === name) ?? { sbom: '{}' }
      const { packages } = JSON.parse(sbom)
      const urls: readonly string[] = packages.flatMap(
        ({ externalRefs = [] }: { externalRefs?: { referenceLocator: string }[] }) =>
          externalRefs.map(({ referenceLocator }) => referenceLocator),
      )
      for (const architecture of allArchitectures) {
        const described = await readFile(join(imageOf(name).root, 'var/lib/dpkg/status.d/libc6'), 'utf8')
        const version = /^Version: (.*)$/m.exec(described)?.[1] ?? ''
        expect(urls).toContain(`pkg:deb/debian/libc6@${encodeURIComponent(version)}?arch=${architecture}`)
      }
      expect(urls).toContain(`pkg:generic/node@${process.versions.node}`)
      if (name !== 'homeport-push')
        expect(urls).toContainEqual(
          expect.stringMatching(name === 'homeport' ? /^pkg:npm\/@actions\/core@/ : /^pkg:npm\/hono@/),
        )
    })
  })

  describe('a container of homeport', () => {
    let sandbox: Sandbox
    beforeAll(async () => {
      sandbox = await startSandbox()
    })
    afterAll(() => sandbox?.close())

    function settings() {
      const { cloudflare, echo } = sandbox.description
      const env = {
        HOMEPORT_BASE_URL: cloudflare.baseUrl,
        HOMEPORT_ZONE_ID: cloudflare.zoneId,
        HOMEPORT_HOSTNAME: `home.${cloudflare.zoneName}`,
        HOMEPORT_ADDRESS_SOURCES: echo.join('\n'),
        HOMEPORT_ALLOW_RESERVED_ADDRESS: 'true',
      }
      return { env, secrets: { 'api-token': cloudflare.dnsToken } }
    }

    it('checks once, with the token as a secret', async () => {
      const { status, output } = await runContainer(imageOf('homeport'), { ...settings(), args: ['--once'] })
      expect(output).toMatch(/updated|already correct/)
      expect(output).not.toContain(sandbox.description.cloudflare.dnsToken)
      expect(status).toBe(0)
    })

    it('fails without a token, and says which secret is missing', async () => {
      const { env } = settings()
      const { status, output } = await runContainer(imageOf('homeport'), { env, args: ['--once'] })
      expect(output).toContain('api-token')
      expect(status).toBe(1)
    })

    it.each(['SIGTERM', 'SIGINT'] as const)(
      'checks every five minutes, and ends with 0 at %s',
      async signal => {
        const container = await startContainer(imageOf('homeport'), settings())
        await container.wrote('already correct')
        await container.signal(signal)
        expect(await container.ended, container.output()).toBe(0)
      },
    )

    it.each([
      ['healthy after a check without a failure', 'already correct', 0],
      ['unhealthy after a check that failed', 'token-rejected', 1],
    ])('is %s', async (_, wrote, status) => {
      const { env, secrets } = settings()
      const token = status === 0 ? secrets['api-token'] : 'x'.repeat(40)
      const container = await startContainer(imageOf('homeport'), { env, secrets: { 'api-token': token } })
      try {
        await container.wrote(wrote)
        const health = imageOf('homeport').config.Healthcheck?.Test.slice(1) ?? []
        expect(await container.run(health)).toBe(status)
      } finally {
        await container.signal('SIGTERM')
        await container.ended
      }
    })
  })

  it('says what a container of homeport-push lacks, and ends with 2', async () => {
    const { status, output } = await runContainer(imageOf('homeport-push'))
    expect(output).toContain('ZONE_ID')
    expect(status).toBe(2)
  })

  it('of homeport-push is healthy while it serves, and ends with 0 at SIGTERM', async () => {
    const image = imageOf('homeport-push')
    const env = {
      HOST: '127.0.0.1',
      PORT: String(await freePort()),
      ZONE_ID: '0'.repeat(32),
      API_TOKEN_FILE: '/run/secrets/API_TOKEN',
      HOSTS_FILE: '/run/secrets/HOSTS',
    }
    const secrets = {
      API_TOKEN: 'a-token-that-nobody-issued-0123456789abc',
      HOSTS: `home.example.com A sha256:${'a'.repeat(64)}`,
    }
    const health = () => runContainer(image, { env, command: image.config.Healthcheck?.Test.slice(1) ?? [] })
    expect(await health()).toMatchObject({ status: 1 })
    const container = await startContainer(image, { env, secrets })
    await container.wrote('"event":"start"')
    expect(await health()).toEqual({ status: 0, output: '' })
    await container.signal('SIGTERM')
    expect(await container.ended, container.output()).toBe(0)
    expect(container.output()).not.toContain(secrets.API_TOKEN)
  })

  describe('a container of homeport-sign-in', () => {
    let postgres: Postgres
    beforeAll(async () => {
      postgres = await startPostgres()
    })
    afterAll(() => postgres?.close())

    it('says what is missing, and ends with 2', async () => {
      const { status, output } = await runContainer(imageOf('homeport-sign-in'))
      expect(output).toContain('TENANT_ID')
      expect(status).toBe(2)
    })

    it('is healthy while it can use the store, and ends with 0 at SIGTERM', async () => {
      const image = imageOf('homeport-sign-in')
      const url = await postgres.createDatabase('people')
      const keys = await runContainer(image, { args: ['keys', 'new'] })
      expect(keys.status).toBe(0)
      const id = '00000000-0000-0000-0000-000000000000'
      const env = {
        HOST: '127.0.0.1',
        PORT: String(await freePort()),
        BASE_PATH: '/_homeport',
        TENANT_ID: id,
        CLIENT_ID: id,
        ALLOWED_DOMAINS: 'example.com',
        REDIRECT_URI: 'https://people.example.com/_homeport/auth/callback',
        ...Object.fromEntries(
          ['DATABASE_URL', 'SESSION_KEYS', 'CLIENT_SECRET'].map(name => [
            `${name}_FILE`,
            `/run/secrets/${name}`,
          ]),
        ),
      }
      const secrets = { DATABASE_URL: url, SESSION_KEYS: keys.output, CLIENT_SECRET: 'a client secret' }
      const employees = await runContainer(image, { env, secrets, args: ['employees', 'migrate'] })
      expect(employees.status, employees.output).toBe(0)
      const container = await startContainer(image, { env, secrets })
      await container.wrote('"event":"start"')
      const health = () =>
        runContainer(image, { env, command: image.config.Healthcheck?.Test.slice(1) ?? [] })
      expect(await health()).toEqual({ status: 0, output: '' })
      await container.signal('SIGTERM')
      expect(await container.ended, container.output()).toBe(0)
      expect(container.output()).not.toContain('a client secret')
      expect(await health()).toMatchObject({ status: 1 })
    })
  })
})
