import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { createAuthority } from '../../sandbox/http/certificates.ts'
import { root } from '../../tools/bundle.ts'
import { debianProgram, librariesOf } from '../../tools/debian.ts'
import { startNode } from '../push/started.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { createNetwork, hostsFile, pushHost } from './namespace.ts'
import type { Command } from './routers.ts'
import { nginxMain, replaced } from './running.ts'

/** A proxy with TLS in front of the endpoint on Node. `test/push/entries.test.ts` has what differs on a Worker. */
export interface Front {
  readonly proxy: 'nginx' | 'caddy'
  /** Returns the configuration of the proxy. `folder` has `endpoint.sock`, `host.pem`, `host.key` and, later, its logs. */
  readonly configure: (folder: string) => Promise<string>
}

const readRecipe = (file: string) => readFile(join(root, 'docs/proxies', file), 'utf8')

/** A main configuration of nginx as the only user of a namespace. */
const mainOf = (folder: string, site: string) => nginxMain(folder, site, 'user root; master_process off')

export const fronts: readonly Front[] = [
  {
    proxy: 'nginx',
    configure: async folder =>
      mainOf(
        folder,
        replaced(await readRecipe('nginx-push.conf'), [
          [/\/etc\/ssl\/push\.example\.com\.pem/, `${folder}/host.pem`],
          [/\/etc\/ssl\/private\/push\.example\.com\.key/, `${folder}/host.key`],
          [/\/var\/log\/nginx/g, folder],
          [/127\.0\.0\.1:8080/, `unix:${folder}/endpoint.sock:`],
        ]),
      ),
  },
  {
    proxy: 'caddy',
    configure: async folder =>
      replaced(await readRecipe('Caddyfile-push'), [
        [/^\{$/m, '{\n\tadmin off\n\tauto_https disable_certs'],
        [/127\.0\.0\.1:8080/, `unix/${folder}/endpoint.sock`],
        // Loaded for another site, so that this one stays as it is. Caddy finds it by its names.
        [/$/, `\nhttps://certificates.test {\n\ttls ${folder}/host.pem ${folder}/host.key\n}\n`],
      ]),
  },
]

/** Passes connections to a socket file on to a port of loopback, which a network namespace cannot reach. */
async function startBridge(file: string, port: number) {
  const server = createServer(incoming => {
    const outgoing = connect(port, '127.0.0.1')
    for (const [from, to] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const)
      from
        .on('error', () => to.destroy())
        .on('close', () => to.destroy())
        .pipe(to)
  })
  server.listen(file)
  await once(server, 'listening')
  return server
}

/** The router's own address until a test sets another. No client sends it. */
export const routerAddress = '8.8.8.8'

const startTimeoutMs = 15_000

/** Collects what a program prints. */
function outputOf({ stdout, stderr }: ChildProcess): () => string {
  let output = ''
  for (const stream of [stdout, stderr])
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk
    })
  return () => output
}

export type PushFront = Awaited<ReturnType<typeof startPushFront>>

/** Starts an endpoint, a network of its own with a router, and the proxy between them. */
export async function startPushFront(front: Front, env: Readonly<Record<string, string>>) {
  await using starting = new AsyncDisposableStack()
  const endpoint = await startNode({ ...env, TRUSTED_PROXIES: '127.0.0.1/32' })
  starting.defer(endpoint.stop)
  const folder = temporaryFolder()
  const bridge = await startBridge(join(folder, 'endpoint.sock'), endpoint.port)
  starting.defer(() => void bridge.close())
  const authority = await createAuthority()
  const { key, cert } = authority.issue(pushHost)
  const configuration = join(folder, 'configuration')
  await writeFile(configuration, await front.configure(folder))
  const files = { 'ca.pem': authority.pem, 'host.pem': cert, 'host.key': key, hosts: hostsFile }
  for (const [file, text] of Object.entries(files)) await writeFile(join(folder, file), text)
  const namespace = await createNetwork(folder)
  starting.defer(namespace.close)
  const proxy = namespace.start(
    await debianProgram(front.proxy),
    front.proxy === 'nginx'
      ? ['-e', 'stderr', '-p', folder, '-c', configuration]
      : ['run', '--config', configuration, '--adapter', 'caddyfile'],
    { HOME: folder },
  )
  const output = outputOf(proxy)
  const ended = once(proxy, 'exit')
  starting.defer(async () => {
    proxy.kill('SIGTERM')
    await ended
  })

  /** Runs a program of the router to its end. */
  async function run(...[program, args, own]: Command) {
    const child = namespace.start(program, args, { LD_LIBRARY_PATH: await librariesOf(program), ...own })
    const output = outputOf(child)
    const [status] = await once(child, 'close')
    return { status: status as number | null, output: output() }
  }
  await namespace.setAddress(routerAddress)
  const curl = await debianProgram('curl')
  const deadline = Date.now() + startTimeoutMs
  while ((await run(curl, ['--silent', '--fail', `https://${pushHost}/health`])).status !== 0) {
    if (proxy.exitCode !== null || Date.now() > deadline)
      throw new Error(`${front.proxy} does not answer: ${output()}`)
  }
  const running = starting.move()
  return {
    run,
    setAddress: namespace.setAddress,
    stop: () => running.disposeAsync(),
    /** Returns what the endpoint and the proxy printed, and what nginx wrote into its files. */
    async readLog() {
      const logs = (await readdir(folder)).filter(file => file.endsWith('.log'))
      const texts = await Promise.all(logs.map(file => readFile(join(folder, file), 'utf8')))
      return [endpoint.output(), output(), ...texts].join('\n')
    },
  }
}
