import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { clients } from '../../push/clients.ts'
import { debianProgram } from '../support/debian-program.ts'
import { pushHost } from './namespace.ts'

/** A program of a router, with its arguments. */
export type Command = readonly [program: string, args: readonly string[]]

/**
 * Names, one for each test: an endpoint reads a name six times a minute, and remembers what it holds. With about so many, it may
 * send most requests for all names.
 */
export const names: readonly string[] = Array.from({ length: 45 }, (_, index) => `home${index}.example.com`)

/** Returns the lines that `push add` prints for a client. */
function documented(name: string, hostname: string, password: string): readonly string[] {
  const lines = clients.find(client => client.name === name)?.lines
  if (lines === undefined) throw new Error(`There is no client ${name}.`)
  return lines({ endpoint: pushHost, hostnames: [hostname], password })
}

async function configure(folder: string, lines: readonly string[]): Promise<string> {
  const file = join(folder, 'conf')
  await writeFile(file, `${lines.join('\n')}\n`, { mode: 0o600 })
  return file
}

/** Configures ddclient as documented, to send the address of `wan`. */
export async function ddclient(folder: string, hostname: string, password: string): Promise<Command> {
  const file = await configure(folder, [
    `cache=${folder}/cache`,
    'ssl_ca_file=/etc/ssl/certs/ca-certificates.crt',
    ...documented('ddclient', hostname, password).map(line => line.replace(/^(use=if, if=)eth0$/, '$1wan')),
  ])
  return [await debianProgram('ddclient'), ['-file', file, '-daemon=0', '-noquiet', '-force']]
}

/** Configures inadyn as documented, to send the address of `wan`. */
export async function inadyn(folder: string, hostname: string, password: string): Promise<Command> {
  const file = await configure(folder, [
    'iface = wan',
    'allow-ipv6 = false',
    ...documented('inadyn', hostname, password),
  ])
  const files = ['-f', file, '--cache-dir', folder, '-P', join(folder, 'pid')]
  return [await debianProgram('inadyn'), ['-n', ...files, '--once', '--force']]
}

/** Runs the documented script of an ASUS router, whose firmware would be told 1 or 0, as when it got this address. */
export async function asus(address: string, hostname: string, password: string): Promise<Command> {
  const lines = documented('ASUS with Asuswrt-Merlin', hostname, password)
  const script = lines
    .slice(lines.indexOf('#!/bin/sh'))
    .join('\n')
    .replace('curl', await debianProgram('curl'))
    .replace('/sbin/ddns_custom_updated', 'echo')
  return ['/bin/sh', ['-c', script, 'ddns-start', address]]
}
