import { delimiter } from 'node:path'
import { findProgram } from '../../tools/find-program.ts'

/** Programs that tests start beside ours, with the packages of Debian that install them. */
const packages = {
  nginx: 'nginx',
  caddy: 'caddy',
  pgbouncer: 'pgbouncer',
  // Its package only recommends the module for https.
  ddclient: 'ddclient libio-socket-ssl-perl',
  inadyn: 'inadyn',
  curl: 'curl',
  buildah: 'buildah',
} as const

export type ProgramName = keyof typeof packages

/** A program is not installed. The message says what installs it. */
export class NoProgram extends Error {
  override readonly name = 'NoProgram'
}

/** Returns the path of a program that is installed. */
export async function findDebianProgram(name: ProgramName): Promise<string | undefined> {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  return findProgram(name, [...folders, '/usr/sbin', '/usr/local/sbin'])
}

/** Returns the path of a program that is installed. @throws NoProgram */
export async function debianProgram(name: ProgramName): Promise<string> {
  const found = await findDebianProgram(name)
  if (found !== undefined) return found
  throw new NoProgram(
    `${name} is not installed. Run: apt-get install --no-install-recommends ${packages[name]}`,
  )
}
