import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect } from 'vitest'
import { runCommand } from '../../support/command.ts'
import { after, before, scenario } from '../../support/stage.ts'

/** Loaded before the command: names are resolved only after this many milliseconds, as after boot or resume. */
const lateMs = 3500
const hook = `import dns from 'node:dns'
import { syncBuiltinESMExports } from 'node:module'
const { lookup } = dns
dns.lookup = (name, options, callback) => {
  if (performance.now() > ${lateMs}) return lookup(name, options, callback)
  const error = Object.assign(new Error('getaddrinfo EAI_AGAIN'), { code: 'EAI_AGAIN', syscall: 'getaddrinfo' })
  setImmediate(callback, error)
}
syncBuiltinESMExports()`

scenario('a network that comes up after the limit of a call, and within the deadline', async ({ stage }) => {
  const folder = await mkdtemp(join(tmpdir(), 'homeport-late-'))
  try {
    await writeFile(join(folder, 'hook.mjs'), hook)
    await stage.setRecords({ content: before })
    await stage.setEchoes(after)
    const { cloudflare, echo } = stage.description
    const byName = (url: string) => url.replace('127.0.0.1', 'localhost')
    const { status, stdout, stderr } = await runCommand(
      [
        ...['--hostname', 'home.example.com', '--zone-id', cloudflare.zoneId],
        ...['--base-url', byName(cloudflare.baseUrl), '--allow-reserved-address'],
        // A call has a fifth of this.
        ...['--timeout', '15s', '--address-sources', echo.map(byName).join('\n')],
      ],
      {
        HOMEPORT_API_TOKEN: cloudflare.dnsToken,
        NODE_OPTIONS: `--import=${pathToFileURL(join(folder, 'hook.mjs'))}`,
      },
    )
    expect([status, stdout + stderr]).toEqual([0, expect.stringContaining(`-> ${after}, updated`)])
    // Attempts that could not leave the machine are no requests: three echoes, a list and a write.
    expect(stdout).toContain('5 requests')
  } finally {
    await rm(folder, { recursive: true })
  }
})
