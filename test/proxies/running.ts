import { spawn } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from '../../tools/bundle.ts'
import { freePort } from '../../tools/free-port.ts'
import { findTraefik } from '../../tools/traefik.ts'
import { debianProgram } from '../support/debian-program.ts'
import { accepts } from '../support/listen.ts'
import { serverProgram } from '../support/program.ts'
import { send } from '../support/send.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** A proxy, and the part of the host that its document gives the handler. */
export interface Recipe {
  readonly name: 'nginx' | 'caddy' | 'traefik'
  /** BASE_PATH of the handler; blank if the application has only a path of the host. */
  readonly basePath: string
}

/** Names of the hosts that the proxy and the handler serve. */
export const hosts = ['localhost', '127.0.0.1'] as const
/** A host that the proxy serves, and the handler does not. */
export const hostOfNobody = 'nobody.test'
/** The names for which a proxy is configured. */
const names = [...hosts, hostOfNobody]

interface Ports {
  readonly handler: number
  readonly application: number
  /** The proxy's own, without TLS in place of https. */
  readonly own: number
  /** Where the proxy sends visitors to https. */
  readonly plain: number
  /** The proxy's own for HTTP/2 without TLS; the same as `own` where both can be on one. */
  readonly http2: number
}

/** Where a configuration is written, and for which part of the hosts. */
interface Configuration {
  readonly folder: string
  readonly ports: Ports
  readonly isWholeHost: boolean
}

export type Edit = readonly [RegExp, string]

/** Reads a file of docs/proxies, and replaces texts that it must have. @throws Error if the document has changed */
export async function readDocument(file: string, ...edits: readonly Edit[]): Promise<string> {
  const text = await readFile(join(root, 'docs/proxies', file), 'utf8')
  return edits.reduce((result, [pattern, by]) => {
    if (result.search(pattern) < 0) throw new Error(`${file} has no ${pattern}.`)
    return result.replace(pattern, by)
  }, text)
}

/** Returns what replaces the addresses of the handler and the application. */
const addresses = ({ handler, application }: Ports): readonly Edit[] => [
  [/127\.0\.0\.1:8080/g, `127.0.0.1:${handler}`],
  [/127\.0\.0\.1:9000/g, `127.0.0.1:${application}`],
]

/** Returns a main configuration of nginx for a file of `conf.d`, with a line of its own. */
export function nginxMain(folder: string, site: string, line: string): string {
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map(kind => `${kind}_temp_path ${folder}/${kind};`)
    .join(' ')
  return `daemon off; pid ${folder}/pid; ${line}; events {} http { ${folders}\n${site}\n}`
}

/** Returns the configuration of nginx, with other names for the headers, and open preflights. */
async function configureNginx({ folder, ports, isWholeHost }: Configuration) {
  const site = await readDocument(
    isWholeHost ? 'nginx-host.conf' : 'nginx.conf',
    ...addresses(ports),
    [/listen 80;/, `listen 127.0.0.1:${ports.plain};`],
    [/listen 443 ssl;/, `listen 127.0.0.1:${ports.own}; listen 127.0.0.1:${ports.http2} http2;`],
    [/listen \[::\]:80;/, `listen [::1]:${ports.plain};`],
    [/listen \[::\]:443 ssl;/, `listen [::1]:${ports.own};`],
    [/^ *ssl_certificate.*$/gm, ''],
    // The first server sends visitors to https, of one host.
    [/server_name people\.example\.com;/, `server_name ${hosts[1]};`],
    [/server_name people\.example\.com;/, `server_name ${names.join(' ')};`],
    [/\$host;/g, `$$host:${ports.own};`],
    [/\/var\/log\/nginx/g, folder],
    // The tests are one network that sends more than people in an office do.
    [/rate=20r\/s/, 'rate=1000r/s'],
    [/# (proxy_set_header (?:Remote|X-Forwarded)-User)/g, '$1'],
    [/# ("~\^OPTIONS )/, '$1'],
  )
  return nginxMain(folder, site, 'worker_shutdown_timeout 1s')
}

/** Returns the configuration of Caddy, with the redirect to https as it is, other names for the headers, and open preflights. */
async function configureCaddy({ ports, isWholeHost }: Configuration) {
  const options = [
    'admin off',
    'auto_https disable_certs',
    'default_bind 127.0.0.1',
    `http_port ${ports.plain}`,
    `https_port ${await freePort()}`,
    // Browsers speak HTTP/2 with TLS only, which these tests leave out.
    'servers {\n\t\tprotocols h1 h2 h2c\n\t}',
  ]
  const sites = names.flatMap(name => [`http://${name}:${ports.own}`, name])
  return readDocument(
    isWholeHost ? 'Caddyfile-host' : 'Caddyfile',
    ...addresses(ports),
    [/^\{$/m, `{\n\t${options.join('\n\t')}`],
    [/^\{\$HOMEPORT_SITE:people\.example\.com\} \{$/m, `${sites.join(', ')} {`],
    [/# (request_header (?:-\*user|@known))/g, '$1'],
    [
      /# (@preflight \{)\n\t*# (.*)\n\t*# (.*)\n\t*# \}\n\t*# (handle @preflight \{)\n\t*# (.*)\n\t*# \}/,
      '$1\n$2\n$3\n}\n$4\n$5\n}',
    ],
  )
}

/** Writes the routes of Traefik. Returns its configuration, which asks nobody about updates here. */
async function configureTraefik({ folder, ports }: Configuration) {
  const routes = join(folder, 'traefik-routes.yml')
  const settings = await readDocument(
    'traefik.yml',
    [/":80"/, `127.0.0.1:${ports.plain}`],
    [/":443"/, `127.0.0.1:${ports.own}`],
    [/^ *tls: \{\}$/m, ''],
    [/\/etc\/traefik\/traefik-routes\.yml$/m, routes],
  )
  const rules = names.map(name => `Host(\`${name}\`)`)
  const site = await readDocument(
    'traefik-routes.yml',
    ...addresses(ports),
    [/Host\(`people\.example\.com`\)(?=.*[&\n])/g, `(${rules.join(' || ')})`],
    [/^tls:$[\s\S]*/m, ''],
    [/average: 20/, 'average: 1000'],
  )
  await writeFile(routes, site)
  return `global:\n  checkNewVersion: false\n${settings}`
}

const configure = { nginx: configureNginx, caddy: configureCaddy, traefik: configureTraefik }

/** Returns the arguments with which a proxy runs a configuration in the foreground. */
export const argumentsOf = {
  nginx: (folder: string, file: string) => ['-e', 'stderr', '-p', folder, '-c', file],
  caddy: (_: string, file: string) => ['run', '--config', file, '--adapter', 'caddyfile'],
  traefik: (_: string, file: string) => [`--configFile=${file}`],
}

/** Starts a proxy with the document's own configuration, on loopback, without TLS, and with these ports. */
export async function startProxy({ name, basePath }: Recipe, ports: Ports) {
  const folder = temporaryFolder()
  const configuration = await configure[name]({ folder, ports, isWholeHost: basePath !== '' })
  return start(name, folder, configuration, () =>
    send(ports.own, 'GET /_start HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n').then(
      // Traefik listens before it has read its routes, of which the application's has every path.
      ({ status }) => name !== 'traefik' || status !== 404,
      () => false,
    ),
  )
}

/**
 * Starts nginx with the document for a whole host, on loopback.
 * @param edits also what replaces the handler and the certificate
 * @param before what stands in front of the document
 */
export async function startNginxHost(
  { own, application }: Pick<Ports, 'own' | 'application'>,
  edits: readonly Edit[],
  before = '',
) {
  const folder = temporaryFolder()
  const site = await readDocument(
    'nginx-host.conf',
    [/127\.0\.0\.1:9000/g, `127.0.0.1:${application}`],
    [/listen 80;/, `listen 127.0.0.1:${await freePort()};`],
    [/listen 443 ssl;/, `listen 127.0.0.1:${own} ssl;`],
    [/listen \[::\]:80;/, ''],
    [/listen \[::\]:443 ssl;/, ''],
    [/\/var\/log\/nginx/g, folder],
    ...edits,
  )
  const main = nginxMain(folder, `${before}\n${site}`, 'worker_shutdown_timeout 1s')
  return start('nginx', folder, main, () => accepts(own))
}

/** Runs a proxy with a configuration. */
async function start(
  name: Recipe['name'],
  folder: string,
  configuration: string,
  isUp: () => Promise<boolean>,
) {
  const file = join(folder, name === 'traefik' ? 'traefik.yml' : 'configuration')
  await writeFile(file, configuration)
  const program = name === 'traefik' ? await findTraefik() : await debianProgram(name)
  const child = spawn(program ?? '', argumentsOf[name](folder, file), {
    env: { PATH: process.env['PATH'] ?? '', HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return serverProgram(child, folder, isUp)
}
