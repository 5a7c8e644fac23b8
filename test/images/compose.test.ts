import { spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { root } from '../../tools/bundle.ts'
import { buildImages } from '../../tools/images/build.ts'
import { images } from '../../tools/images/images.ts'
import { bundleServer } from '../../tools/server.ts'
import { native, whyNoContainers } from './can-run.ts'
import { loadCompose, readVariables } from './compose-file.ts'
import { unpack } from './container.ts'

const folder = join(root, 'docs/compose')
const files = ['updater.yaml', 'protected.yaml']
let variables: Readonly<Record<string, string>>
beforeAll(async () => {
  variables = readVariables(await readFile(join(folder, '.env.example'), 'utf8'))
})

describe('the compose files', () => {
  it.each(files)('%s runs our images read-only, with the example of .env', async file => {
    const { services } = await loadCompose(join(folder, file), variables)
    const ours = Object.values(services).filter(({ image }) => image.startsWith('ghcr.io/'))
    expect(ours.length).toBeGreaterThan(0)
    for (const { image, read_only } of ours) {
      const offered = images.map(({ name }) => `${name}:${variables['HOMEPORT_VERSION']}`)
      expect(offered).toContain(image.replace(/^ghcr\.io\/[^/]+\//, ''))
      expect(read_only).toBe(true)
    }
  })

  it.each(files)('%s names a variable that is missing', async file => {
    await expect(loadCompose(join(folder, file), {})).rejects.toThrow('.env')
  })

  it('give the updater the network of the host, for AAAA', async () => {
    const { services } = await loadCompose(join(folder, 'updater.yaml'), variables)
    expect(services['homeport']).toMatchObject({ network_mode: 'host', command: ['--watch', '5m'] })
  })

  it('keep the application apart from the handler and its database', async () => {
    const { services } = await loadCompose(join(folder, 'protected.yaml'), variables)
    const networks = Object.entries(services).map(([name, { networks = {} }]) => [
      name,
      (Array.isArray(networks) ? [...networks] : Object.keys(networks)).sort(),
    ])
    expect(Object.fromEntries(networks)).toEqual({
      application: ['behind'],
      caddy: ['behind', 'front'],
      database: ['data'],
      handler: ['data', 'front'],
      tables: ['data'],
    })
  })
})

describe.skipIf(whyNoContainers !== '')(`a protected application${whyNoContainers}`, () => {
  it('greets an employee after the commands of the page', async () => {
    await bundleServer()
    const signIn = images.filter(({ name }) => name === 'homeport-sign-in')
    const workshop = await buildImages([native], signIn)
    const work = await mkdtemp(join(tmpdir(), 'homeport-compose-'))
    try {
      const described = join(work, 'image.json')
      await writeFile(described, JSON.stringify(await unpack(workshop.buildah, `homeport-sign-in:${native}`)))
      const journey = join(root, 'test/images/journey.ts')
      const args = ['--net', '--mount', process.execPath, journey, work, described]
      const { status, stdout, stderr } = spawnSync('unshare', args, {
        encoding: 'utf8',
        // The certificate is of Caddy's own authority.
        env: { ...process.env, NODE_TLS_REJECT_UNAUTHORIZED: '0' },
        timeout: 90_000,
      })
      expect(status, stderr.slice(-6000)).toBe(0)
      expect(stdout).toContain('The example greeted marlowe.')
    } finally {
      await rm(work, { recursive: true })
      await workshop.close()
    }
  })
})
