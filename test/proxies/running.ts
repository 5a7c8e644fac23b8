import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { root } from '../../tools/bundle.ts'
import { freePort } from '../../tools/free-port.ts'
import { send } from '../support/send.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

export type WebProxyName = 'nginx' | 'caddy' | 'traefik'

/** A proxy, and the part of the host that its document gives the handler. */
export interface Recipe {
  readonly name: WebProxyName
  readonly program: string
  /** BASE_PATH of the handler; blank if the application has only a path of the host. */
  readonly basePath: string
}

/** Names of the hosts that the proxy and the handler serve. */
export const hosts = ['localhost', '127.0.0.1'] as const
/** A host that the proxy serves, and the handler does not. */
export const hostOfNobody = 'nobody.test'
/** The names for which a proxy is configured. */
const names = [...hosts, hostOfNobody]

/** A request that reached the application, with its headers as they were sent. */
export interface Passed {
  readonly method: string
  readonly target: string
  readonly headers: readonly (readonly [name: string, value: string])[]
}

function readPassed({ method = '', url: target = '', rawHeaders }: IncomingMessage): Passed {
  const headers = rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? ''] as const] : [],
  )
  return { method, target, headers }
}

/** Returns the text in a WebSocket frame (RFC 6455 §5.2). */
function frameOf(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x81, text.length]), Buffer.from(text)])
}

/** What every client appends to its key (RFC 6455 §1.3). */
const webSocketGuid = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'

/**
 * An application behind a proxy, with an API of its own and WebSockets: `/timesheets/public` sends a header that would let
 * others keep the page, `cookies` has 16 KB of them, and `stream` sends an event at each request for `next`. A
 * WebSocket says hello and ends.
 */
export async function startApplication() {
  const passed: Passed[] = []
  const streams = new Set<ServerResponse>()
  let receivedBytes = 0
  const server = createServer({ maxHeaderSize: 262_144 }, (request, response) => {
    passed.push(readPassed(request))
    const [, name = '', query = ''] = /(upload|stream|next|cookies)(?:\?(.*))?$/.exec(request.url ?? '') ?? []
    if (name === 'upload') {
      request.on('data', (chunk: Buffer) => {
        receivedBytes += chunk.length
      })
      request.on('end', () => response.end(`${receivedBytes} bytes`))
      return
    }
    if (name === 'stream') {
      response.setHeader('content-type', query)
      response.flushHeaders()
      streams.add(response)
      return
    }
    if (name === 'next') for (const stream of streams) stream.write(`data: ${query}\n\n`)
    if (name === 'cookies')
      response.setHeader(
        'set-cookie',
        ['a', 'b', 'c', 'd'].map(cookie => `${cookie}=${'x'.repeat(4000)}`),
      )
    if (request.url?.includes('public')) response.setHeader('cache-control', 'public, max-age=600')
    response.end('the application')
  })
  server.maxHeadersCount = 0
  server.on('upgrade', (request, socket) => {
    passed.push(readPassed(request))
    const { 'sec-websocket-key': key, 'x-homeport-username': user } = request.headers
    const accept = createHash('sha1').update(`${key}${webSocketGuid}`).digest('base64')
    const opened = `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`
    socket.end(Buffer.concat([Buffer.from(opened), frameOf(`hello ${user}`)]))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    passed,
    /** Bytes of all uploads so far. */
    receivedBytes: () => receivedBytes,
    async close() {
      server.closeAllConnections()
      await new Promise<void>(resolve => server.close(() => resolve()))
    },
  }
}

interface Servers {
  readonly handler: number
  readonly application: number
}

interface Ports extends Servers {
  /** The proxy's own, without TLS in place of https. */
  readonly own: number
  /** Where the proxy sends visitors to https, if its document says so. */
  readonly plain: number
  /** The port in the URLs that visitors use. */
  readonly visited: number
}

/** Where a configuration is written, for which part of the hosts, and what replaces texts of the document in addition. */
interface Configuration {
  readonly folder: string
  readonly ports: Ports
  readonly isWholeHost: boolean
  readonly edits: readonly Edit[]
}

export type Edit = readonly [RegExp, string]

/** Replaces texts that must be present. @throws Error if the document has changed */
export function replaced(text: string, pairs: readonly Edit[]): string {
  return pairs.reduce((result, [pattern, by]) => {
    if (result.search(pattern) < 0) throw new Error(`The document has no ${pattern}.`)
    return result.replace(pattern, by)
  }, text)
}

/** Reads a file of docs/proxies, with other ports for the handler and the application. */
async function readDocument(file: string, ports: Servers): Promise<string> {
  return replaced(await readFile(join(root, 'docs/proxies', file), 'utf8'), [
    [/127\.0\.0\.1:8080/g, `127.0.0.1:${ports.handler}`],
    [/127\.0\.0\.1:9000/g, `127.0.0.1:${ports.application}`],
  ])
}

/** Returns a main configuration of nginx for a file of `conf.d`, with a line of its own. */
export function nginxMain(folder: string, site: string, line: string): string {
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map(kind => `${kind}_temp_path ${folder}/${kind};`)
    .join(' ')
  return `daemon off; pid ${folder}/pid; ${line}; events {} http { ${folders}\n${site}\n}`
}

/** Writes the configuration of nginx. Returns its arguments. */
async function configureNginx({ folder, ports, isWholeHost, edits }: Configuration) {
  const document = await readDocument(isWholeHost ? 'nginx-host.conf' : 'nginx.conf', ports)
  const plainServer = /^server \{(?:(?!^\})[\s\S])*?listen 80;[\s\S]*?^\}$/m
  const [plain = ''] = plainServer.exec(document) ?? []
  const plainServers = names.map(name => plain.replaceAll('people.example.com', name))
  const site = replaced(document, [
    [plainServer, plainServers.join('\n').replaceAll('$', '$$$$')],
    [/listen 80;/g, `listen 127.0.0.1:${ports.plain};`],
    [/listen 443 ssl;/, `listen 127.0.0.1:${ports.own};`],
    [/listen \[::\]:80;/g, `listen [::1]:${ports.plain};`],
    [/listen \[::\]:443 ssl;/, `listen [::1]:${ports.own};`],
    [/^ *ssl_certificate.*$/gm, ''],
    [/people\.example\.com/g, names.join(' ')],
    [/\$host;/g, `$$host:${ports.visited};`],
    [/\/var\/log\/nginx/g, folder],
    // The tests are one network that sends more than people in an office do.
    [/rate=20r\/s/, 'rate=1000r/s'],
    ...edits,
  ])
  const file = join(folder, 'nginx.conf')
  await writeFile(file, nginxMain(folder, site, 'worker_shutdown_timeout 1s'))
  return ['-e', 'stderr', '-p', folder, '-c', file]
}

/** Writes the configuration of Caddy, with the redirect to https as it is. Returns its arguments. */
async function configureCaddy({ folder, ports, isWholeHost, edits }: Configuration) {
  const document = await readDocument(isWholeHost ? 'Caddyfile-host' : 'Caddyfile', ports)
  const sites = names.flatMap(name => [`http://${name}:${ports.own}`, name])
  const here = `\tadmin off\n\tauto_https disable_certs\n\tdefault_bind 127.0.0.1\n\thttp_port ${ports.plain}\n\thttps_port ${await freePort()}`
  const site = replaced(document, [
    [/^\{$/m, `{\n${here}`],
    [/^(people\.example\.com|\{\$HOMEPORT_SITE:people\.example\.com\}) \{$/m, `${sites.join(', ')} {`],
    ...edits,
  ])
  const file = join(folder, 'Caddyfile')
  await writeFile(file, site)
  return ['run', '--config', file, '--adapter', 'caddyfile']
}

/** Writes the two files of Traefik, which asks nobody about updates here. Returns its arguments. */
async function configureTraefik({ folder, ports }: Configuration) {
  const file = join(folder, 'traefik.yml')
  const routes = join(folder, 'traefik-routes.yml')
  const settings = replaced(await readFile(join(root, 'docs/proxies/traefik.yml'), 'utf8'), [
    [/":80"/, `127.0.0.1:${ports.plain}`],
    [/":443"/, `127.0.0.1:${ports.own}`],
    [/^ *tls: \{\}$/m, ''],
    [/\/etc\/traefik\/traefik-routes\.yml$/m, routes],
  ])
  await writeFile(file, `global:\n  checkNewVersion: false\n${settings}`)
  const rules = names.map(name => `Host(\`${name}\`)`)
  const site = replaced(await readDocument('traefik-routes.yml', ports), [
    [/Host\(`people\.example\.com`\)(?=.*[&\n])/g, `(${rules.join(' || ')})`],
    [/^tls:$[\s\S]*/m, ''],
    [/average: 20/, 'average: 1000'],
  ])
  await writeFile(routes, site)
  return [`--configFile=${file}`]
}

const configure = { nginx: configureNginx, caddy: configureCaddy, traefik: configureTraefik }

/** Starts a proxy with the document's own configuration, on loopback, without TLS, and with these ports. */
export async function startProxy(
  { name, program, basePath }: Recipe,
  servers: Servers,
  { edits = [] as readonly Edit[], port: wanted = 0, visited = 0 } = {},
) {
  const folder = temporaryFolder()
  const port = wanted || (await freePort())
  const plain = await freePort()
  const ports = { ...servers, own: port, plain, visited: visited || port }
  const args = await configure[name]({ folder, ports, isWholeHost: basePath !== '', edits })
  const child = spawn(program, args, {
    env: { PATH: process.env['PATH'] ?? '', HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
  }
  /** Returns what the proxy printed, and what nginx wrote into its files. */
  async function readLog(): Promise<string> {
    const files = (await readdir(folder)).filter(file => file.endsWith('.log'))
    const texts = await Promise.all(files.map(file => readFile(join(folder, file), 'utf8')))
    return [output, ...texts].join('\n')
  }
  const ended = once(child, 'exit')
  async function stop() {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
    await ended
  }
  for (let tries = 0; ; tries += 1) {
    if (child.exitCode !== null || tries > 600) {
      await stop()
      throw new Error(`${name} did not start: ${output.slice(-3000)}`)
    }
    const answers = await send(
      port,
      'GET /_start HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
    ).then(
      // Traefik listens before it has read its routes, of which the application's has every path.
      ({ status }) => name !== 'traefik' || status !== 404,
      () => false,
    )
    if (answers) break
    await new Promise(resolve => setTimeout(resolve, 50))
  }
  return { port, plain, readLog, stop }
}
