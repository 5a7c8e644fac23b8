import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { startSandbox } from '../../sandbox/sandbox.ts'
import { octodns } from '../../tools/octodns.ts'
import { runCommand } from '../support/command.ts'
import { installedOrSkip } from './installed.ts'
import { blocksIn, leftOut, missingLines } from './page.ts'

const page = 'docs/beside-other-tools.md'

/** The blocks of the page's section about octoDNS, in order. */
function octodnsBlocks(): readonly string[] {
  return blocksIn(page, '## octoDNS').map(({ text }) => text)
}

it(`${page} leaves the addresses to Homeport, and the rest to octoDNS`, async context => {
  const program = await installedOrSkip(octodns, context)
  const [zoneFile = '', config = '', command = '', ...outputs] = octodnsBlocks()
  const [firstTime = '', again = '', withoutTheNames = ''] = outputs
  const folder = await mkdtemp(join(tmpdir(), 'homeport-octodns-'))
  const sandbox = await startSandbox()
  try {
    const { baseUrl, apiUrl, zoneId, dnsToken, adminToken } = sandbox.description.cloudflare
    await mkdir(join(folder, 'config'))
    const zonePath = join(folder, 'config/example.com.yaml')
    await writeFile(
      join(folder, 'octodns.yaml'),
      config.replace(/^( *)token: .*/m, `$&\n$1api_url: ${apiUrl}`),
    )
    await writeFile(zonePath, zoneFile)

    /** Moves the kept names to an address. */
    const moveTo = async (address: string) => {
      const { status, stderr } = await runCommand([], {
        HOMEPORT_API_TOKEN: dnsToken,
        HOMEPORT_ZONE_ID: zoneId,
        HOMEPORT_BASE_URL: baseUrl,
        HOMEPORT_HOSTNAME: 'home.example.com\nnas.example.com',
        HOMEPORT_ADDRESS: address,
        HOMEPORT_ALLOW_RESERVED_ADDRESS: 'true',
        HOMEPORT_CREATE: 'true',
      })
      expect(status, stderr).toBe(0)
    }
    /** Runs the page's command. Returns what it prints. */
    const sync = async (change = (text: string) => text) => {
      const [, ...args] = change(command).trim().split(' ')
      const env = {
        PATH: process.env['PATH'],
        PYTHONPATH: dirname(dirname(program)),
        CLOUDFLARE_TOKEN: adminToken,
      }
      const ended = await promisify(execFile)('python3', [program, ...args], { cwd: folder, env })
      return ended.stdout + ended.stderr
    }

    await moveTo('192.0.2.44')
    await writeFile(zonePath, zoneFile.replaceAll(/^(home|nas):\n( .*\n)+/gm, ''))
    expect(missingLines(await sync(text => text.replace(' --doit', '')), withoutTheNames)).toEqual([])

    await writeFile(zonePath, zoneFile)
    expect(missingLines(await sync(), firstTime)).toEqual([])
    expect(missingLines(await sync(), again)).toEqual([])
    await moveTo('192.0.2.45')
    expect(missingLines(await sync(), again)).toEqual([])

    const list = await fetch(`${apiUrl}/zones/${zoneId}/dns_records?type=A`, {
      headers: { authorization: `Bearer ${adminToken}` },
    })
    const { result } = (await list.json()) as { result: { name: string; content: string }[] }
    expect(result.map(({ name, content }) => `${name} ${content}`).toSorted()).toEqual([
      'home.example.com 192.0.2.45',
      'nas.example.com 192.0.2.45',
    ])
  } finally {
    await sandbox.close()
    await rm(folder, { recursive: true })
  }
})

it(`${page} has no other commands`, () => {
  expect(leftOut('docs/beside-other-tools.md', new Set(octodnsBlocks()))).toEqual([])
})
