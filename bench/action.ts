import { execFile } from 'node:child_process'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Sandbox, startSandbox } from '../sandbox/sandbox.ts'
import { startRelay } from '../test/support/relay.ts'
import { root } from '../tools/bundle.ts'
import {
  bundle,
  type Run,
  requestsToService,
  roundTripMs,
  runNode,
  setRecords,
  stepEnvironment,
  takeTurns,
  writeAuthority,
} from './action-runs.ts'
import type { Contest } from './action-unchanged.ts'
import { median, show, spread, table } from './figures.ts'
import type { Room } from './room.ts'

const names = 100
const manyRounds = 5
const defaultRounds = 15
const [before, after] = ['192.0.2.10', '203.0.113.10']

type Row = readonly string[]
const execute = promisify(execFile)

export const action: Room = {
  options: ['rounds', 'favonia'],

  help: `Usage: npm run bench -- action [--rounds N] [--favonia PATH]

Measures the shipped bundle of the action:
- a refused input, compared with a script that only imports node:https
- ${names} changed names through relays that add ${roundTripMs} ms to each round trip, over http and https
- an unchanged record over https at ${roundTripMs} ms, compared with favonia/cloudflare-ddns. Needs Linux and root: both run in
  network and mount namespaces, where a hosts file maps api.cloudflare.com and the echo services to the sandbox
Figures are medians of N rounds (${defaultRounds} by default; at most ${manyRounds} for the ${names} names). Compared programs take turns.

favonia/cloudflare-ddns has no setting for the address of the API. Build it in an empty folder and pass the path of ddns:
  go mod init bench
  go get github.com/favonia/cloudflare-ddns/cmd/ddns@v1.17.0
  go build github.com/favonia/cloudflare-ddns/cmd/ddns
Without it, only the action is measured.
`,

  async measure({ rounds = defaultRounds, favonia }, progress) {
    const folder = await mkdtemp(join(tmpdir(), 'homeport-bench-'))
    try {
      progress(`a refused input, ${rounds} rounds`)
      const refused = await measureRefusal(folder, rounds)
      const many = await measureManyNames(folder, Math.min(rounds, manyRounds), progress)
      progress(`an unchanged record, ${rounds} rounds`)
      return table(
        ['what', 'measured', 'compared with', 'ratio', 'goal'],
        ['bundle, unminified', `${show((await stat(bundle)).size)} bytes`, '', '', '225,280 bytes'],
        ...refused,
        ...many,
        await measureUnchanged(rounds, favonia),
      )
    } finally {
      await rm(folder, { recursive: true })
    }
  },
}

/** Compares a refused input with the floor of every program that can speak HTTPS. */
async function measureRefusal(folder: string, rounds: number): Promise<readonly Row[]> {
  const script = join(folder, 'https.mjs')
  await writeFile(script, "import 'node:https'\n")
  const environment = await stepEnvironment(folder, { 'api-token': 'x'.repeat(40), ttl: 'soon' })
  const [floor = [], refused = []] = await takeTurns(rounds, [
    () => runNode(folder, script, environment, 0),
    () => runNode(folder, bundle, environment, 1),
  ])
  const kinds = [
    { what: 'wall time', unit: 'ms', goal: '1.3', digits: 0, figureOf: ({ wallMs }: Run) => wallMs },
    { what: 'processor time', unit: 'ms', goal: '1.3', digits: 0, figureOf: ({ cpuMs }: Run) => cpuMs },
    { what: 'peak memory', unit: 'MiB', goal: '1.15', digits: 1, figureOf: (run: Run) => run.peakMebibytes },
  ]
  return kinds.map(({ what, unit, goal, digits, figureOf }) => {
    const [ours, least] = [refused, floor].map(runs => runs.map(run => figureOf(run) ?? Number.NaN))
    return [
      `refused input, ${what}`,
      spread(ours ?? [], unit, digits),
      `a script that only imports \`node:https\`: ${spread(least ?? [], unit, digits)}`,
      show(median(ours ?? []) / median(least ?? []), 2),
      goal,
    ]
  })
}

/** Changes many names through relays, and counts what arrives. */
async function measureManyNames(
  folder: string,
  rounds: number,
  progress: (text: string) => void,
): Promise<readonly Row[]> {
  const sandbox = await startSandbox()
  const { cloudflare, https, echo } = sandbox.description
  const relays = await Promise.all(
    [cloudflare.baseUrl, `http://${https.host}:${https.port}`, ...echo].map(url =>
      startRelay(url, roundTripMs),
    ),
  )
  const [http, secure, ...echoes] = relays.map(({ baseUrl }) => baseUrl)
  const rows: Row[] = []
  try {
    const hostnames = Array.from({ length: names }, (_, index) => `host-${index}.example.com`)
    const ca = await writeAuthority(folder, sandbox)
    for (const [scheme, baseUrl] of [
      ['http', http],
      ['https', `https://localhost:${new URL(secure ?? '').port}`],
    ] as const) {
      progress(`${names} changed names over ${scheme}, ${rounds} rounds`)
      const environment = await stepEnvironment(folder, {
        'api-token': cloudflare.dnsToken,
        'zone-id': cloudflare.zoneId,
        hostname: hostnames.join('\n'),
        'base-url': baseUrl ?? '',
        'address-sources': echoes.join('\n'),
        'allow-reserved-address': 'true',
      })
      const seconds: number[] = []
      let requests: readonly string[] = []
      for (let round = 0; round < rounds; round += 1) {
        setRecords(sandbox, hostnames, before)
        const run = await runNode(folder, bundle, { ...environment, NODE_EXTRA_CA_CERTS: ca }, 0)
        seconds.push(run.wallMs / 1000)
        requests = requestsToService(sandbox)
        const left = sandboxRecords(sandbox).filter(({ content }) => content !== after).length
        if (left > 0) throw new Error(`${left} of ${names} records were not changed.`)
      }
      const measured = `${spread(seconds, 's', 2)}, ${requests.length} requests`
      rows.push([`${names} changed names at ${roundTripMs} ms over ${scheme}`, measured, '', '', '3 s'])
    }
    return rows
  } finally {
    await Promise.all(relays.map(relay => relay.close()))
    await sandbox.close()
  }
}

/** Compares the check of one record in namespaces, or says why it was not measured. */
async function measureUnchanged(rounds: number, favonia: string | undefined): Promise<Row> {
  const what = `unchanged record over https at ${roundTripMs} ms`
  const isolated = ['--net', '--mount']
  try {
    await execute('unshare', [...isolated, 'true'])
  } catch {
    return [what, 'not measured: namespaces need Linux and root', '', '', '0.3']
  }
  const program = favonia === undefined ? [] : [favonia]
  const { stdout } = await execute('unshare', [
    ...isolated,
    process.execPath,
    join(root, 'bench/action-unchanged.ts'),
    `${rounds}`,
    ...program,
  ])
  const [ours, theirs] = (JSON.parse(stdout) as Contest).map(({ times, requests }) => ({
    cell: `${spread(times, 'ms')}, ${requests.length} request${requests.length === 1 ? '' : 's'}`,
    middle: median(times),
  }))
  if (!ours || !theirs) return [what, ours?.cell ?? '', 'not measured: `--favonia` was not given', '', '0.3']
  const comparison = `${await nameOf(program[0] ?? '')}: ${theirs.cell}`
  return [what, ours.cell, comparison, show(ours.middle / theirs.middle, 2), '0.3']
}

/** Returns a Go program's module with its version, if Go is there to read it. */
async function nameOf(program: string): Promise<string> {
  const { stdout } = await execute('go', ['version', '-m', program]).catch(() => ({ stdout: '' }))
  const [, version] = /^\tmod\t\S+\tv(\S+)/m.exec(stdout) ?? []
  return ['favonia/cloudflare-ddns', ...(version === undefined ? [] : [version])].join(' ')
}

function sandboxRecords(sandbox: Sandbox): readonly { readonly content: string }[] {
  const { records } = sandbox.control.state() as Record<string, Record<string, { content: string }[]>>
  return records?.[sandbox.description.cloudflare.zoneId] ?? []
}
