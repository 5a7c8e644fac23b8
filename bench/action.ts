import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startSandbox } from '../sandbox/sandbox.ts'
import { startRelay } from '../test/support/relay.ts'
import { temporaryFolder } from '../test/support/temporary-folder.ts'
import { root } from '../tools/bundle.ts'
import { type Measure, median, missedGoal, type Outcome, show, spread, table } from './figures.ts'

/** What a program took: milliseconds of each run, and the requests of one run to the DNS service. */
interface Result {
  readonly times: number[]
  requests: number
}

const defaultRounds = 15
/** At most this part of the other program's time. */
const goal = 0.3
/** What the relay adds to each exchange. */
const roundTripMs = 50
/** The shipped bundle. */
const bundle = join(root, 'action/dist/index.js')
const execute = promisify(execFile)
const content = '203.0.113.10'
const hostname = 'home.example.com'
const hosts = ['api.cloudflare.com', 'api4.ipify.org', 'checkip.amazonaws.com', 'ipv4.icanhazip.com']

/** Measures the shipped bundle with one record in namespaces, or says why that was not measured. */
export const measureAction: Measure = async ({ rounds = defaultRounds, favonia }, progress) => {
  const what = `unchanged record over https at ${roundTripMs} ms`
  function outcomeOf(measured: string, comparison: string, ratio?: number): Outcome {
    const row = [what, measured, comparison, ratio === undefined ? '' : show(ratio, 2), `${goal}`]
    const figures = table(['what', 'measured', 'compared with', 'ratio', 'goal'], row)
    return { figures, missed: ratio === undefined ? [] : missedGoal(what, ratio, goal) }
  }
  const isolated = ['--net', '--mount']
  try {
    await execute('unshare', [...isolated, 'true'])
  } catch {
    return outcomeOf('not measured: namespaces need Linux and root', '')
  }
  progress(`${what}, ${rounds} rounds`)
  const command = [process.execPath, import.meta.filename, `${rounds}`, ...(favonia ? [favonia] : [])]
  const { stdout } = await execute('unshare', [...isolated, ...command])
  const [ours, theirs] = JSON.parse(stdout) as readonly Result[]
  const cell = (result?: Result) =>
    result ? `${spread(result.times, 'ms')}, requests: ${result.requests}` : 'not measured'
  const ratio = theirs && median(ours?.times ?? []) / median(theirs.times)
  return outcomeOf(cell(ours), `favonia/cloudflare-ddns: ${cell(theirs)}`, ratio)
}

/**
 * Checks one correct record, with the action and with favonia/cloudflare-ddns in turn. Runs in network and mount namespaces of
 * its own, where a hosts file maps the real names to the sandbox and nothing else can be reached.
 * @returns the action's result first
 */
async function measure(folder: string, rounds: number, favonia?: string): Promise<readonly Result[]> {
  await execute('ip', ['link', 'set', 'lo', 'up'])
  const names = ['localhost', ...hosts].map(host => `127.0.0.1 ${host}\n`)
  await writeFile(join(folder, 'hosts'), names.join(''))
  await execute('mount', ['--bind', join(folder, 'hosts'), '/etc/hosts'])
  await using open = new AsyncDisposableStack()
  const sandbox = open.adopt(await startSandbox(), of => of.close())
  const { cloudflare, https, ca } = sandbox.description
  const target = `http://${https.host}:${https.port}`
  open.adopt(await startRelay(target, { roundTripMs, port: 443 }), of => of.close())
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
  const program = (file: string, args: readonly string[], env: NodeJS.ProcessEnv) => {
    const result: Result = { times: [], requests: 0 }
    return { run: () => execute(file, args, { env }), result }
  }
  const programs = [program(process.execPath, [bundle], ours)]
  if (favonia !== undefined) programs.push(program(favonia, [], theirs))
  // The first round does not count.
  for (let round = 0; round <= rounds; round += 1) {
    for (const { run, result } of programs) {
      const startMs = performance.now()
      await run()
      if (round > 0) result.times.push(performance.now() - startMs)
      result.requests = sandbox.control.journal().filter(({ service }) => service === 'cloudflare').length
      sandbox.control.clearJournal()
    }
  }
  return programs.map(({ result }) => result)
}

if (import.meta.main) {
  const [rounds, favonia] = process.argv.slice(2)
  process.stdout.write(JSON.stringify(await measure(temporaryFolder(), Number(rounds), favonia)))
}
