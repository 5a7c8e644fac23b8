import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { pipeline } from 'node:stream'
import { createAuthority } from '../../sandbox/http/certificates.ts'
import { startNode } from '../push/started.ts'
import { debianProgram } from '../support/debian-program.ts'
import { outputOf, serverProgram } from '../support/program.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { createNetwork, hostsFile, pushHost } from './namespace.ts'
import type { Command } from './routers.ts'
import { argumentsOf, nginxMain, readDocument } from './running.ts'

/**
 * Return the configurations of proxies with TLS in front of the endpoint on Node; `test/push/entries.test.ts` has what differs
 * on a Worker. The folder has `endpoint.sock`, `host.pem`, `host.key` and, later, their logs.
 */
const configure = {
  async nginx(folder: string) {
    const site = await readDocument(
      'nginx-push.conf',
      [/\/etc\/ssl\/push\.example\.com\.pem/, `${folder}/host.pem`],
      [/\/etc\/ssl\/private\/push\.example\.com\.key/, `${folder}/host.key`],
      [/\/var\/log\/nginx/g, folder],
      [/127\.0\.0\.1:8080/, `unix:${folder}/endpoint.sock:`],
    )
    // It is the only user of a namespace.
    return nginxMain(folder, site, 'user root; master_process off')
  },
  caddy: (folder: string) =>
    readDocument(
      'Caddyfile-push',
      [/^\{$/m, '{\n\tadmin off\n\tauto_https disable_certs'],
      [/127\.0\.0\.1:8080/, `unix/${folder}/endpoint.sock`],
      // Loaded for another site, so that this one stays as it is. Caddy finds it by its names.
      [/$/, `\nhttps://certificates.test {\n\ttls ${folder}/host.pem ${folder}/host.key\n}\n`],
    ),
}

/** Passes connections to a socket file on to a port of loopback, which a network namespace cannot reach. */
async function startBridge(file: string, port: number) {
  const server = createServer(incoming => {
    const outgoing = connect(port, '127.0.0.1')
    pipeline(incoming, outgoing, incoming, () => {})
  })
  server.listen(file)
  await once(server, 'listening')
  return server
}

/** The router's own address until a test sets another. No client sends it. */
export const routerAddress = '8.8.8.8'

export type PushFront = Awaited<ReturnType<typeof startPushFront>>

/** Starts an endpoint, a network of its own with a router, and the proxy between them. */
export async function startPushFront(name: keyof typeof configure, env: Readonly<Record<string, string>>) {
  await using starting = new AsyncDisposableStack()
  const endpoint = await startNode({ ...env, TRUSTED_PROXIES: '127.0.0.1/32' })
  starting.defer(endpoint.stop)
  const folder = temporaryFolder()
  const bridge = await startBridge(join(folder, 'endpoint.sock'), endpoint.port)
  starting.defer(() => void bridge.close())
  const authority = await createAuthority()
  const { key, cert } = authority.issue(pushHost)
  const configuration = await configure[name](folder)
  const files = {
    configuration,
    'ca.pem': authority.pem,
    'host.pem': cert,
    'host.key': key,
    hosts: hostsFile,
  }
  for (const [file, text] of Object.entries(files)) await writeFile(join(folder, file), text)
  const network = await createNetwork(folder)
  starting.defer(network.close)
  await network.setAddress(routerAddress)

  /** Runs a program of the router to its end. */
  async function run(...[program, args]: Command) {
    const child = network.start(program, args)
    const output = outputOf(child)
    const [status] = await once(child, 'close')
    return { status: status as number | null, output: output() }
  }
  const curl = await debianProgram('curl')
  const proxy = await serverProgram(
    network.start(await debianProgram(name), argumentsOf[name](folder, join(folder, 'configuration')), {
      HOME: folder,
    }),
    folder,
    async () => (await run(curl, ['--silent', '--fail', `https://${pushHost}/health`])).status === 0,
  )
  starting.defer(proxy.stop)
  const running = starting.move()
  return {
    run,
    setAddress: network.setAddress,
    stop: () => running.disposeAsync(),
    /** Returns what the endpoint and the proxy wrote. */
    readLog: async () => `${endpoint.output()}\n${await proxy.readLog()}`,
  }
}
