import { readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { committedBundle, root } from '../bundle.ts'
import { serverBundle } from '../server.ts'

/** Where `npm run release -- host` writes the archive. Not committed. */
export const hostArchive = join(root, 'build/homeport-host.tar.gz')

/** The files of a host: the programs, their units, and what people copy for their proxy. */
const filesOf = (server: string): Readonly<Record<string, string>> => ({
  'server.js': server,
  'server.licenses.txt': server.replace(/\.js$/, '.licenses.txt'),
  'homeport.mjs': join(root, committedBundle, 'index.js'),
  'homeport.licenses.txt': join(root, committedBundle, 'licenses.txt'),
  ...Object.fromEntries(
    [
      'LICENSE',
      'docs/command/homeport.service',
      'docs/command/homeport.timer',
      'docs/proxies/Caddyfile',
      'docs/proxies/Caddyfile-host',
      'docs/proxies/Caddyfile-push',
      'docs/proxies/nginx-host.conf',
      'docs/proxies/nginx-push.conf',
      'docs/proxies/nginx.conf',
      'docs/proxies/traefik-routes.yml',
      'docs/proxies/traefik.yml',
      'docs/sign-in/homeport-sign-in.service',
    ].map(path => [basename(path), join(root, path)]),
  ),
})

/** Writes the archive of what a host needs, in one folder. The same files make the same archive. `server` is built before. */
export async function writeHostArchive(outfile = hostArchive, server = serverBundle): Promise<void> {
  const files = filesOf(server)
  const names = Object.keys(files).sort()
  const entries = await Promise.all(
    names.map(async name => entryOf(`homeport-host/${name}`, await readFile(files[name] ?? ''))),
  )
  // Two empty blocks end an archive.
  await writeFile(outfile, gzipSync(Buffer.concat([...entries, Buffer.alloc(2 * blockBytes)]), { level: 9 }))
}

const blockBytes = 512

/** Returns a file as an archive has it: its header and its blocks (POSIX.1-1988, ustar). No owner, and no time. */
function entryOf(path: string, content: Buffer): Buffer {
  const header = Buffer.alloc(blockBytes)
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0')
  header.write(path, 0, 100)
  header.write(`${octal(/\.m?js$/.test(path) ? 0o755 : 0o644, 7)}\0`, 100)
  header.write(`${octal(0, 7)}\0${octal(0, 7)}\0`, 108)
  header.write(`${octal(content.length, 11)}\0${octal(0, 11)}\0`, 124)
  // The sum counts itself as blanks.
  header.write('        ', 148)
  header.write('0', 156)
  header.write('ustar\x0000', 257)
  header.write(
    `${octal(
      header.reduce((sum, byte) => sum + byte, 0),
      6,
    )}\0 `,
    148,
  )
  return Buffer.concat([header, content, Buffer.alloc(-content.length & (blockBytes - 1))])
}
