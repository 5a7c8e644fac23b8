import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect } from 'vitest'
import { helpText } from '../../../action/inputs/command.ts'
import { compileCache } from '../../../tools/compile-cache.ts'
import { bundle, runCommand, startCommand } from '../../support/command.ts'
import { preloaded } from '../../support/host.ts'
import { outputOf } from '../../support/program.ts'
import { after, before, onList, scenario } from '../../support/stage.ts'
import { hasSystemd, quoteForUnit, verifyUnit } from '../../support/systemd.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

describe('the command', () => {
  scenario('updates a record with a token from a file, and never prints it', async ({ stage, folder }) => {
    const { dnsToken } = stage.description.cloudflare
    stage.setRecords({ content: before })
    const file = join(folder, 'token')
    await writeFile(file, `${dnsToken}\n`)
    const variables = { ...stage.variables, HOMEPORT_API_TOKEN: '' }
    const run = await runCommand(['--api-token-file', file], variables)
    expect(run).toMatchObject({ status: 0, stderr: '' })
    expect(run.stdout).not.toMatch(/::/)
    expect(run.stdout).not.toContain(dnsToken.slice(0, 8))
    expect(run.stdout).toContain(`home.example.com A: ${before} -> ${after}, updated`)
    for (const line of run.stdout.trimEnd().split('\n')) {
      expect(line).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ /)
    }
    expect(stage.records()[0]?.content).toBe(after)
  })

  scenario('refuses a Node.js that is too old, as an action too', async ({ folder }) => {
    const old = join(folder, 'old.cjs')
    const runIn = async (version: string, env = {}) => {
      // 22.3 brought process.getBuiltinModule.
      const versions = `Object.defineProperty(process.versions, 'node', { value: '${version}' })`
      await writeFile(old, `${versions}\nprocess.getBuiltinModule = undefined`)
      return runCommand([], { ...preloaded(old), ...env })
    }
    const message = (version: string) => `Homeport needs Node.js 22.3 or newer. This is ${version}.\n`
    expect(await runIn('22.2.0')).toMatchObject({
      status: 1,
      stdout: '',
      stderr: `error: ${message('22.2.0')}`,
    })
    expect(await runIn('20.20.2', { GITHUB_ACTIONS: 'true' })).toMatchObject({
      status: 1,
      stdout: `::error title=Homeport::${message('20.20.2')}`,
      stderr: '',
    })
  })

  scenario('ends a watch with 1 after an error that nobody foresaw', async ({ stage, folder }) => {
    stage.setRecords({ content: after })
    const thrower = join(folder, 'throws.cjs')
    await writeFile(thrower, "setTimeout(() => { throw new Error('unforeseen') }, 2000)")
    const run = await runCommand(['--watch=1h'], { ...stage.variables, ...preloaded(thrower) })
    expect(run.status).toBe(1)
    expect(run.stderr).toMatch(/^error: .*unforeseen/m)
  })

  /** Runs the command with these streams. Closes those that are pipes, and returns the status and what it said on stderr. */
  async function runInto(
    stdio: readonly ('pipe' | number)[],
    args: readonly string[],
    env: NodeJS.ProcessEnv,
  ) {
    const run = spawn(process.execPath, [bundle, ...args], {
      env: { ...env, ...compileCache() },
      stdio: ['ignore', ...stdio],
    })
    const said = outputOf(run)
    if (stdio[0] === 'pipe') for (const stream of [run.stdout, run.stderr]) stream?.destroy()
    const [status] = await once(run, 'close')
    return { status, said: said() }
  }

  scenario('updates without a log, on a full disk or for a reader that left', async ({ stage }) => {
    const full = openSync('/dev/full', 'w')
    for (const [stdout, stderr, warning] of [
      ['pipe', full, /^$/],
      [full, 'pipe', /^warning: .*stdout \(ENOSPC\)\..*\n$/],
    ] as const) {
      stage.setRecords({ content: before })
      const { status, said } = await runInto([stdout, stderr], [], stage.variables)
      expect(status).toBe(0)
      expect(said).toMatch(warning)
      expect(stage.records()[0]?.content).toBe(after)
    }
    closeSync(full)
  })

  scenario('updates while nobody reads its log', async ({ stage, folder }) => {
    stage.setRecords({ content: before })
    const pipe = join(folder, 'log')
    expect(spawnSync('mkfifo', [pipe]).status).toBe(0)
    const stalled = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK)
    const fill = () => writeSync(stalled, Buffer.alloc(65_536, '.'))
    const filled = fill()
    expect(fill).toThrow(/EAGAIN/)
    const { status, said } = await runInto([stalled, 'pipe'], [], stage.variables)
    expect({ status, said }).toEqual({
      status: 0,
      said: expect.stringMatching(/^warning: .*stdout \(EAGAIN\)/),
    })
    expect(stage.records()[0]?.content).toBe(after)
    expect(readSync(stalled, Buffer.alloc(filled))).toBe(filled)
    closeSync(stalled)
  })

  scenario('fails if its JSON object cannot be written, and says so', async ({ stage }) => {
    stage.setRecords({ content: after })
    const full = openSync('/dev/full', 'w')
    const json = await runInto([full, 'pipe'], ['--json'], stage.variables)
    expect(json.status).toBe(1)
    expect(json.said).toContain('error: Failed to write the JSON object to stdout (ENOSPC)')
    expect(json.said).not.toMatch(/may have/)
    const said = 'error: Failed to write to stdout (ENOSPC).\n'
    expect(await runInto([full, 'pipe'], ['--version'], {})).toEqual({ status: 1, said })
    closeSync(full)
  })

  scenario('says that it wrote nothing if it is ended before a write', async ({ stage }) => {
    stage.setFaults({ match: onList, answer: { kind: 'stall' } })
    const running = startCommand([], stage.variables)
    await stage.received('GET')
    running.process.kill('SIGTERM')
    const { status, stderr } = await running.ended
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: 'error: Homeport ended without a result. It wrote nothing. Run it again.\n',
    })
  })

  scenario(
    'prints each wrong input on a line with error:, and the flags that were used',
    async ({ stage }) => {
      const args = ['--hostname', 'home', '--ttl', '0', '--verify=udp']
      const { status, stdout } = await runCommand(args, stage.variables)
      expect(status).toBe(1)
      const lines = stdout.trimEnd().split('\n').slice(0, 3)
      for (const [index, name] of ['hostname', 'ttl', 'verify'].entries())
        expect(lines[index]).toMatch(new RegExp(`^\\S+Z error: --${name} `))
    },
  )

  scenario('says every vote of address sources that fail once', async ({ stage }) => {
    stage.setRecords({ content: before })
    const sources = 'https://127.0.0.1:9/ip,interface:none0'
    const { stdout } = await runCommand(['--address-sources', sources], stage.variables)
    expect(stdout).toMatch(/error: Only 0 of 2 address sources/)
    for (const source of [
      '127.0.0.1:9: no vote',
      'interface:none0: no vote: this host has no such interface, only "',
    ])
      expect(stdout.split(source)).toHaveLength(2)
  })

  scenario('prints its help, and its version', async () => {
    expect(await runCommand(['--help'])).toMatchObject({ status: 0, stdout: helpText(), stderr: '' })
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
    expect(await runCommand(['--version'])).toMatchObject({
      status: 0,
      stdout: `homeport ${version}\n`,
      stderr: '',
    })
  })
})

scenario.skipIf(!hasSystemd)(
  `the files for hosts include a service and a timer that systemd accepts${hasSystemd ? '' : ' (systemd-analyze is not installed)'}`,
  async ({ folder }) => {
    // The timer names the service.
    for (const name of ['homeport.service', 'homeport.timer']) {
      const unit = (await readFile(join(root, 'docs/command', name), 'utf8'))
        .replace('/usr/bin/node', quoteForUnit(process.execPath))
        .replace('/opt/homeport/homeport.mjs', quoteForUnit(bundle))
      await writeFile(join(folder, name), unit)
      expect(verifyUnit(join(folder, name))).toMatchObject({ status: 0, stderr: '' })
    }
  },
)
