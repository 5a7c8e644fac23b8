import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { clients } from '../../push/clients.ts'
import { debianProgram, perlModulesOf } from '../../tools/debian.ts'
import { home, second } from '../push/endpoint.ts'
import { pushHost } from './namespace.ts'
import type { Shape } from './shapes.ts'

/** A program of a router, with its arguments and its environment. */
export type Command = readonly [
  program: string,
  args: readonly string[],
  env?: Readonly<Record<string, string>>,
]

/** An IPv6 address in the three forms that clients send, and as the endpoint answers it. */
export const otherIpv6 = '2a00:1450:4001:82b::2'
const encoded = encodeURIComponent(otherIpv6)
const expanded = '2a00:1450:4001:082b:0000:0000:0000:0002'

/** Requests as clients sent them here, beside those of `shapes`. */
export const seenShapes: readonly (readonly [client: string, query: string, options: Shape])[] = [
  // openwrt/packages, dynamic_dns_functions.sh (do_transfer): the password in the URL, which both send after a 401 only.
  ['OpenWrt with GNU Wget, uclient-fetch', `hostname=${home}&myip=${second}`, { challenged: true }],
  // jeessy2/ddns-go, callback.go: a request body makes it a form.
  ['ddns-go, POST', '', { method: 'POST', form: `hostname=${home}&myip=${second}` }],
]

/** Requests with an IPv6 address alone, as clients sent them here. */
export const ipv6Shapes: readonly (readonly [client: string, query: string])[] = [
  // inadyn 2.11 to 2.13, section `custom` with `allow-ipv6`.
  ['inadyn', `hostname=${home}&myip=${encoded.toLowerCase()}`],
  // opnsense/plugins, dyndns2.py: also the commas of several names are encoded.
  ['OPNsense', `hostname=${home}%2C${home}&myip=${encoded}&system=dyndns&wildcard=NOCHG`],
  // openwrt/packages, dynamic_dns_functions.sh (expand_ipv6).
  ['OpenWrt', `hostname=${home}&myip=${expanded}`],
]

/** Names, one for each test: an endpoint reads a name six times a minute, and remembers what it holds. */
export const names: readonly string[] = Array.from({ length: 40 }, (_, index) => `home${index}.example.com`)

/** Returns the lines that `push add` prints for a client. */
function documented(name: string, hostname: string, password: string): readonly string[] {
  const lines = clients.find(client => client.name === name)?.lines
  if (lines === undefined) throw new Error(`There is no client ${name}.`)
  return lines({ endpoint: pushHost, hostnames: [hostname], password })
}

async function configure(folder: string, lines: readonly string[]): Promise<string> {
  await mkdir(folder, { recursive: true })
  const file = join(folder, 'conf')
  await writeFile(file, `${lines.join('\n')}\n`, { mode: 0o600 })
  return file
}

/** Configures ddclient as documented, to send the address of `wan`. */
export async function ddclient(
  folder: string,
  hostname: string,
  password: string,
  ...options: string[]
): Promise<Command> {
  const file = await configure(folder, [
    `cache=${folder}/cache`,
    'ssl_ca_file=/etc/ssl/certs/ca-certificates.crt',
    ...documented('ddclient', hostname, password).map(line => line.replace(/^(use=if, if=)eth0$/, '$1wan')),
  ])
  const program = await debianProgram('ddclient')
  const args = [program, '-file', file, '-daemon=0', '-noquiet', ...options]
  return ['perl', args, { PERL5LIB: perlModulesOf(program) }]
}

/** Configures inadyn as documented, to send the address of `wan`. */
export async function inadyn(
  folder: string,
  hostname: string,
  password: string,
  ...options: string[]
): Promise<Command> {
  const file = await configure(folder, [
    'iface = wan',
    'allow-ipv6 = false',
    ...documented('inadyn', hostname, password),
  ])
  const files = ['-f', file, '--cache-dir', folder, '-P', join(folder, 'pid')]
  return [await debianProgram('inadyn'), ['-n', ...files, ...options]]
}
