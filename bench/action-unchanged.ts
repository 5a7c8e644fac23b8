import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startSandbox } from '../sandbox/sandbox.ts'
import { startRelay } from '../test/support/relay.ts'
import { root } from '../tools/bundle.ts'

/**
 * Checks one correct record, with the action and with favonia/cloudflare-ddns in turn, and prints a `Contest` as JSON.
 * Runs in network and mount namespaces of its own, where a hosts file maps the real names to the sandbox and nothing else
 * can be reached. Its arguments are the number of rounds and, if given, the other program.
 */

/** What the programs took, the action first. */
export type Contest = readonly {
  /** Milliseconds of each run. */
  readonly times: readonly number[]
  /** Requests of one run to the DNS service. */
  readonly requests: number
}[]

/** The shipped bundle. */
export const bundle = join(root, 'action/dist/index.js')
/** What the relay adds to each exchange. */
export const roundTripMs = 50

const execute = promisify(execFile)
const content = '203.0.113.10'
const hostname = 'home.example.com'
const hosts = [
  'localhost',
  'api.cloudflare.com',
  'api4.ipify.org',
  'checkip.amazonaws.com',
  'ipv4.icanhazip.com',
]

async function measure(folder: string, rounds: number, favonia: string | undefined): Promise<Contest> {
  await execute('ip', ['link', 'set', 'lo', 'up'])
  await writeFile(join(folder, 'hosts'), hosts.map(host => `127.0.0.1 ${host}\n`).join(''))
  await execute('mount', ['--bind', join(folder, 'hosts'), '/etc/hosts'])
  const sandbox = await startSandbox()
  const { cloudflare, https, ca } = sandbox.description
  const relay = await startRelay(`http://${https.host}:${https.port}`, roundTripMs, 443)
  try {
    const records = [{ type: 'A', name: hostname, content, ttl: 120 }]
    sandbox.control.setState({ records: { [cloudflare.zoneId]: records } })
    const authority = join(folder, 'ca.pem')
    await writeFile(authority, ca)
    const ours = {
      HOMEPORT_API_TOKEN: cloudflare.dnsToken,
      HOMEPORT_ZONE_ID: cloudflare.zoneId,
      HOMEPORT_HOSTNAME: hostname,
      HOMEPORT_ALLOW_RESERVED_ADDRESS: 'true',
      NODE_EXTRA_CA_CERTS: authority,
    }
    const theirs = {
      CLOUDFLARE_API_TOKEN: cloudflare.adminToken,
      IP4_DOMAINS: hostname,
      IP4_PROVIDER: 'url:https://api4.ipify.org/',
      IP6_PROVIDER: 'none',
      TTL: '120',
      UPDATE_CRON: '@once',
      EMOJI: 'false',
      SSL_CERT_FILE: authority,
    }
    const programs = [
      { file: process.execPath, args: [bundle], env: ours },
      ...(favonia === undefined ? [] : [{ file: favonia, args: [], env: theirs }]),
    ].map(program => ({ ...program, times: [] as number[], requests: 0 }))
    // The first round does not count.
    for (let round = 0; round <= rounds; round += 1) {
      for (const program of programs) {
        const startMs = performance.now()
        await execute(program.file, program.args, { env: program.env })
        if (round > 0) program.times.push(performance.now() - startMs)
        program.requests = sandbox.control.journal().filter(({ service }) => service === 'cloudflare').length
        sandbox.control.clearJournal()
      }
    }
    return programs.map(({ times, requests }) => ({ times, requests }))
  } finally {
    await relay.close()
    await sandbox.close()
  }
}

if (import.meta.main) {
  const [rounds, favonia] = process.argv.slice(2)
  const folder = await mkdtemp(join(tmpdir(), 'homeport-bench-'))
  try {
    process.stdout.write(JSON.stringify(await measure(folder, Number(rounds), favonia)))
  } finally {
    await rm(folder, { recursive: true })
  }
}
