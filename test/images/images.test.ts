import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts'
import { root } from '../../tools/bundle.ts'
import { freePort } from '../../tools/free-port.ts'
import { type Postgres, startPostgres } from '../../tools/postgres.ts'
import { buildImages, type Images } from './build.ts'
import { runContainer, startContainer, type Unpacked, whyNoContainers } from './container.ts'

/** A service of a compose file. */
interface Service {
  readonly command?: readonly string[]
  readonly entrypoint?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly read_only?: boolean
}

/** Returns the services of a compose file, with the variables of `.env.example`. */
async function servicesOf(file: string): Promise<Readonly<Record<string, Service>>> {
  const read = (name: string) => readFile(join(root, 'docs/compose', name), 'utf8')
  const variables = new Map(
    [...(await read('.env.example')).matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
  )
  const text = (await read(file)).replaceAll(/\$\{(\w+)[^}]*\}/g, (_, name) => variables.get(name) ?? '')
  return parse(text, { merge: true }).services
}

const health = ({ config }: Unpacked) => config.Healthcheck?.Test.slice(1) ?? []

describe.skipIf(whyNoContainers !== '')(`the Dockerfile${whyNoContainers}`, () => {
  let work: string
  let images: Images
  let sandbox: Sandbox
  let postgres: Postgres
  beforeAll(async () => {
    work = await mkdtemp(join(tmpdir(), 'homeport-images-'))
    images = await buildImages(work)
  }, 900_000)
  beforeAll(async () => {
    sandbox = await startSandbox()
    postgres = await startPostgres()
  })
  afterAll(async () => {
    await postgres?.close()
    await sandbox?.close()
    await rm(work, { recursive: true, force: true })
  })

  describe.each([
    ['homeport', ['index.js', 'licenses.txt', 'package.json'], ['--watch', '5m'], []],
    ['sign-in', ['server.js', 'server.licenses.txt'], [], ['8080/tcp']],
    ['push', ['LICENSE', 'push.js'], ['serve'], ['8080/tcp']],
  ] as const)('%s', (name, files, command, ports) => {
    it('adds its bundle to the base, and says what a runtime needs to know', async () => {
      const { files: added, config } = images[name]
      expect(added).toEqual(files.map(file => `opt/homeport/${file}`))
      expect(config.User).toBe('65532:65532')
      expect(config.Entrypoint).toEqual([
        '/nodejs/bin/node',
        expect.stringMatching(/^\/opt\/homeport\/\w+\.js$/),
      ])
      expect(config.Cmd ?? []).toEqual(command)
      expect(Object.keys(config.ExposedPorts ?? {})).toEqual(ports)
    })

    it('runs without root, and cannot write anywhere', async () => {
      const script = `const fs = require('node:fs')
const tries = ['/x', '/opt/homeport/x', '/etc/passwd', '/run/secrets/x', '/nodejs/bin/node'].map(file => {
  try { fs.writeFileSync(file, '') } catch ({ code }) { return code }
})
console.log(JSON.stringify([process.getuid(), process.getgroups(), ...tries]))`
      const { status, output } = await runContainer(images[name], {
        command: ['/nodejs/bin/node', '--eval', script],
      })
      expect({ status, output }).toEqual({
        status: 0,
        output: '[65532,[65532],"EROFS","EROFS","EROFS","EROFS","EROFS"]\n',
      })
    })
  })

  describe('a container of homeport', () => {
    async function settings() {
      const { cloudflare, echo } = sandbox.description
      const { homeport } = await servicesOf('updater.yaml')
      const env = {
        ...homeport?.environment,
        HOMEPORT_BASE_URL: cloudflare.baseUrl,
        HOMEPORT_ZONE_ID: cloudflare.zoneId,
        HOMEPORT_HOSTNAME: `home.${cloudflare.zoneName}`,
        HOMEPORT_ADDRESS_SOURCES: echo.join('\n'),
        HOMEPORT_ALLOW_RESERVED_ADDRESS: 'true',
      }
      return { args: homeport?.command ?? [], env, secrets: { 'api-token': cloudflare.dnsToken } }
    }

    it('checks once with the token as a secret, and fails without it', async () => {
      const { env, secrets } = await settings()
      const { status, output } = await runContainer(images.homeport, { env, secrets, args: ['--once'] })
      expect(output).toMatch(/updated|already correct/)
      expect(output).not.toContain(sandbox.description.cloudflare.dnsToken)
      expect(status).toBe(0)
      const without = await runContainer(images.homeport, { env, args: ['--once'] })
      expect(without).toEqual({ status: 1, output: expect.stringContaining('api-token') })
    })

    it.each([
      ['is healthy after a check without a failure', 'SIGTERM', false, /updated|already correct/, 0],
      ['is unhealthy after a check that failed', 'SIGINT', false, /token-rejected/, 1],
      ['is healthy as the child of an init', 'SIGTERM', true, /updated|already correct/, 0],
      ['is unhealthy as the child of an init', 'SIGTERM', true, /token-rejected/, 1],
    ] as const)('%s, and ends at %s', async (_, signal, init, wrote, status) => {
      const given = await settings()
      const secrets = status === 0 ? given.secrets : { 'api-token': 'x'.repeat(40) }
      const container = await startContainer(images.homeport, { ...given, secrets, init })
      try {
        await container.wrote(wrote)
        expect(await container.run(health(images.homeport))).toBe(status)
      } finally {
        await container.signal(signal)
      }
      // A round that failed is the result of the watch.
      expect(await container.ended, container.output()).toBe(status)
    })
  })

  it('push says what it lacks, is healthy while it serves, and ends with 0 at SIGTERM', async () => {
    const lacking = await runContainer(images.push)
    expect(lacking).toEqual({ status: 2, output: expect.stringContaining('ZONE_ID') })
    const env = {
      HOST: '127.0.0.1',
      PORT: String(await freePort()),
      ZONE_ID: '0'.repeat(32),
      API_TOKEN_FILE: '/run/secrets/api-token',
      HOSTS_FILE: '/run/secrets/hosts',
    }
    const secrets = {
      'api-token': 'a-token-that-nobody-issued-0123456789abc',
      hosts: `home.example.com A sha256:${'a'.repeat(64)}`,
    }
    const check = { env, command: health(images.push) }
    expect(await runContainer(images.push, check)).toMatchObject({ status: 1 })
    const container = await startContainer(images.push, { env, secrets })
    await container.wrote(/"event":"start"/)
    expect(await runContainer(images.push, check)).toEqual({ status: 0, output: '' })
    await container.signal('SIGTERM')
    expect(await container.ended, container.output()).toBe(0)
    expect(container.output()).not.toContain(secrets['api-token'])
  })

  it('sign-in runs as protected.yaml says, and is healthy while it can use the store', async () => {
    const image = images['sign-in']
    const lacking = await runContainer(image)
    expect(lacking).toEqual({ status: 2, output: expect.stringContaining('TENANT_ID') })
    const { tables, handler, application } = await servicesOf('protected.yaml')
    for (const service of [tables, handler, application]) expect(service?.read_only).toBe(true)
    const keys = await runContainer(image, { args: ['keys', 'new'] })
    const secrets = {
      'client-secret': 'a client secret',
      'session-keys': keys.output,
      'database-url': await postgres.createDatabase('people'),
    }
    const args = tables?.command ?? []
    const migrated = await runContainer(image, { env: { ...tables?.environment }, secrets, args })
    expect(migrated.status, migrated.output).toBe(0)
    const env = { ...handler?.environment, HOST: '127.0.0.1', PORT: String(await freePort()) }
    const container = await startContainer(image, { env, secrets })
    await container.wrote(/"event":"start"/)
    const check = { env, command: health(image) }
    expect(await runContainer(image, check)).toEqual({ status: 0, output: '' })
    await container.signal('SIGTERM')
    expect(await container.ended, container.output()).toBe(0)
    expect(container.output()).not.toContain(secrets['client-secret'])
    expect(await runContainer(image, check)).toMatchObject({ status: 1 })

    const port = await freePort()
    const script = application?.entrypoint?.map(text => text.replace('9000', String(port))) ?? []
    const example = await startContainer(image, { command: script })
    try {
      const headers = { 'x-homeport-username': 'marlowe' }
      const greeting = () => fetch(`http://127.0.0.1:${port}`, { headers }).then(answer => answer.text())
      await expect.poll(greeting, { timeout: 30_000 }).toBe('Hello, marlowe!')
    } finally {
      await example.signal('SIGTERM')
    }
    expect(await example.ended).toBe(0)
  })

  it('lets no secret of a clone into an image or a cache', async () => {
    const context = join(work, 'clone')
    const secrets = [
      '.git/config',
      'token.txt',
      'hosts.txt',
      'docs/compose/.env',
      'docs/compose/secrets/api-token',
    ]
    const others = [
      'docs/compose/.env.example',
      'lib/secret-file.ts',
      'node_modules/pg/index.js',
      'infra/node_modules/x',
    ]
    for (const file of [...secrets, ...others]) {
      await mkdir(join(context, file, '..'), { recursive: true })
      await writeFile(join(context, file), '')
    }
    await cp(join(root, '.dockerignore'), join(context, '.dockerignore'))
    expect(await images.copyAll(context)).toEqual([
      '.dockerignore',
      'docs/compose/.env.example',
      'lib/secret-file.ts',
    ])
  })
})
