import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts'
import { createSessionKey } from '../../src/session/keys.ts'
import { root } from '../../tools/bundle.ts'
import { freePort } from '../../tools/free-port.ts'
import { type Postgres, startPostgres } from '../../tools/postgres.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { timeLimit } from '../support/time-limit.ts'
import { buildImages, type Images } from './build.ts'
import { startContainer, type Unpacked, whyNoContainers } from './container.ts'

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
    work = temporaryFolder()
    images = await buildImages(work)
    sandbox = await startSandbox()
    postgres = await startPostgres()
  }, timeLimit(900_000))
  afterAll(async () => {
    await postgres?.close()
    await sandbox?.close()
  })

  it.each([
    ['homeport', ['index.js', 'licenses.txt', 'package.json'], ['--watch', '5m'], []],
    ['sign-in', ['server.js', 'server.licenses.txt'], [], ['8080/tcp']],
    ['push', ['LICENSE', 'push.js'], ['serve'], ['8080/tcp']],
  ] as const)('%s adds its bundle to the base, and runs it without root', (name, files, command, ports) => {
    const { files: added, config } = images[name]
    expect(added).toEqual(files.map(file => `opt/homeport/${file}`))
    expect(config.User).toBe('65532:65532')
    const script = files.find(file => file.endsWith('.js'))
    expect(config.Entrypoint).toEqual(['/nodejs/bin/node', `/opt/homeport/${script}`])
    expect(config.Cmd ?? []).toEqual(command)
    expect(Object.keys(config.ExposedPorts ?? {})).toEqual(ports)
  })

  /** Returns what updater.yaml gives its container, with the sandbox in place of Cloudflare. */
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
    return { args: homeport?.command ?? [], env }
  }

  it.each([
    ['is healthy after a check with the token as a secret', 'SIGINT', false, /updated|already correct/, 0],
    ['is unhealthy as the child of an init', 'SIGTERM', true, /token-rejected/, 1],
  ] as const)('homeport %s, and ends at %s', async (_, signal, init, written, status) => {
    const token = status === 0 ? sandbox.description.cloudflare.dnsToken : 'x'.repeat(40)
    const options = { ...(await settings()), secrets: { 'api-token': token }, init }
    const container = startContainer(images.homeport, options)
    try {
      await expect.poll(container.output).toMatch(written)
      expect(container.run(health(images.homeport))).toBe(status)
    } finally {
      container.signal(signal)
    }
    // A round that failed is the result of the watch.
    expect(await container.ended).toEqual({ status, output: expect.not.stringContaining(token) })
  })

  /** Starts a server, checks its health while it serves and not, and stops it. */
  async function serve(
    image: Unpacked,
    env: Readonly<Record<string, string>>,
    secrets: Readonly<Record<string, string>>,
  ) {
    const options = { env: { ...env, HOST: '127.0.0.1', PORT: String(await freePort()) }, secrets }
    const check = { ...options, command: health(image) }
    expect(await startContainer(image, check).ended).toMatchObject({ status: 1 })
    const container = startContainer(image, options)
    await expect.poll(container.output).toMatch(/"event":"start"/)
    expect(container.run(health(image))).toBe(0)
    container.signal('SIGTERM')
    expect(await container.ended).toMatchObject({ status: 0 })
    for (const secret of Object.values(secrets)) expect(container.output()).not.toContain(secret)
  }

  it('push is healthy while it serves, and ends with 0 at SIGTERM', async () => {
    const env = {
      ZONE_ID: '0'.repeat(32),
      API_TOKEN_FILE: '/run/secrets/api-token',
      HOSTS_FILE: '/run/secrets/hosts',
    }
    await serve(images.push, env, {
      'api-token': 'a-token-that-nobody-issued-0123456789abc',
      hosts: `home.example.com A sha256:${'a'.repeat(64)}`,
    })
  })

  it('sign-in runs as protected.yaml says, and is healthy while it can use the store', async () => {
    const image = images['sign-in']
    const { tables, handler, application } = await servicesOf('protected.yaml')
    for (const service of [tables, handler, application]) expect(service?.read_only).toBe(true)
    const secrets = {
      'client-secret': 'a client secret',
      'session-keys': createSessionKey(new Date()),
      'database-url': await postgres.createDatabase('people'),
    }
    const options = { env: { ...tables?.environment }, secrets, args: tables?.command ?? [] }
    expect(await startContainer(image, options).ended).toMatchObject({ status: 0 })
    await serve(image, { ...handler?.environment }, secrets)

    const port = await freePort()
    const command = application?.entrypoint?.map(text => text.replace('9000', String(port))) ?? []
    const container = startContainer(image, { command })
    const headers = { 'x-homeport-username': 'marlowe' }
    const greeting = () => fetch(`http://127.0.0.1:${port}`, { headers }).then(answer => answer.text())
    await expect.poll(greeting).toBe('Hello, marlowe!')
    container.signal('SIGTERM')
    expect(await container.ended).toMatchObject({ status: 0 })
  })

  it('lets no secret of a clone into an image or a cache', async () => {
    const context = join(work, 'clone')
    const secrets = ['.git/config', 'token.txt', 'hosts.txt', 'docs/compose/.env', 'docs/compose/secrets/x']
    const others = ['node_modules/pg/index.js', 'infra/node_modules/x']
    const copied = ['docs/compose/.env.example', 'lib/secret-file.ts']
    for (const file of [...secrets, ...others, ...copied]) {
      await mkdir(join(context, file, '..'), { recursive: true })
      await writeFile(join(context, file), '')
    }
    await cp(join(root, '.dockerignore'), join(context, '.dockerignore'))
    expect(await images.copyAll(context)).toEqual(['.dockerignore', ...copied])
  })
})
