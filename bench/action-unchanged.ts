import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startSandbox } from '../sandbox/sandbox.ts'
import { startRelay } from '../test/support/relay.ts'
import {
  bundle,
  type Run,
  requestsToService,
  roundTripMs,
  runNode,
  runProcess,
  setRecords,
  stepEnvironment,
  takeTurns,
  writeAuthority,
} from './action-runs.ts'

/**
 * Checks one correct record, with the action and with favonia/cloudflare-ddns in turn, and prints a `Contest` as JSON.
 * Runs in network and mount namespaces of its own, where a hosts file maps the real names to the sandbox and nothing else
 * can be reached. Its arguments are the number of rounds and, if given, the other program.
 */

/** What the programs took, the action first. */
export type Contest = readonly {
  /** Milliseconds of each run. */
  readonly times: readonly number[]
  /** Methods of the requests of one run to the DNS service. */
  readonly requests: readonly string[]
}[]

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
  await promisify(execFile)('ip', ['link', 'set', 'lo', 'up'])
  await writeFile(join(folder, 'hosts'), hosts.map(host => `127.0.0.1 ${host}\n`).join(''))
  await promisify(execFile)('mount', ['--bind', join(folder, 'hosts'), '/etc/hosts'])
  const sandbox = await startSandbox()
  const { cloudflare, https } = sandbox.description
  const relay = await startRelay(`http://${https.host}:${https.port}`, roundTripMs, 443)
  try {
    setRecords(sandbox, [hostname], content)
    const ca = await writeAuthority(folder, sandbox)
    const environment = await stepEnvironment(folder, {
      'api-token': cloudflare.dnsToken,
      'zone-id': cloudflare.zoneId,
      hostname,
      'allow-reserved-address': 'true',
    })
    const counted = async (run: Promise<Run>) => ({
      ...(await run),
      requests: requestsToService(sandbox),
    })
    const ours = () => counted(runNode(folder, bundle, { ...environment, NODE_EXTRA_CA_CERTS: ca }, 0))
    const theirs = (program: string) => {
      const env = {
        CLOUDFLARE_API_TOKEN: cloudflare.adminToken,
        IP4_DOMAINS: hostname,
        IP4_PROVIDER: 'url:https://api4.ipify.org/',
        IP6_PROVIDER: 'none',
        TTL: '120',
        UPDATE_CRON: '@once',
        EMOJI: 'false',
        SSL_CERT_FILE: ca,
      }
      return counted(runProcess(program, [], env, 0))
    }
    const programs = favonia === undefined ? [ours] : [ours, () => theirs(favonia)]
    const runs = await takeTurns(rounds, programs)
    return runs.map(taken => ({
      times: taken.map(({ wallMs }) => wallMs),
      requests: taken.at(-1)?.requests ?? [],
    }))
  } finally {
    await relay.close()
    await sandbox.close()
  }
}

const [rounds, favonia] = process.argv.slice(2)
const folder = await mkdtemp(join(tmpdir(), 'homeport-bench-'))
try {
  process.stdout.write(JSON.stringify(await measure(folder, Number(rounds), favonia)))
} finally {
  await rm(folder, { recursive: true })
}
