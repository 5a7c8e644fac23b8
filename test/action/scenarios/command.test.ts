import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect } from 'vitest'
import { inputNames, inputs, secretInputs } from '../../../action/inputs/table.ts'
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

  scenario('refuses a Node.js that is too old, as an action too', async ({ stage, folder }) => {
    const old = join(folder, 'old.cjs')
    const runIn = async (version: string, env = {}) => {
      // 22.3 brought process.getBuiltinModule.
      const getBuiltinModule = version < '22.3' ? 'process.getBuiltinModule = undefined' : ''
      const versions = `Object.defineProperty(process.versions, 'node', { value: '${version}' })`
      await writeFile(old, [versions, getBuiltinModule].join('\n'))
      return runCommand([], { ...stage.variables, ...preloaded(old), ...env })
    }
    const message = 'Homeport needs Node.js 22.3 or newer. This is 20.20.2.'
    expect(await runIn('20.20.2')).toMatchObject({ status: 1, stdout: '', stderr: `error: ${message}\n` })
    const asAction = await runIn('20.20.2', { GITHUB_ACTIONS: 'true' })
    expect(asAction).toMatchObject({ status: 1, stdout: `::error title=Homeport::${message}\n`, stderr: '' })
    expect((await runIn('22.2.0')).status).toBe(1)
    expect((await runIn('22.3.0')).status).toBe(0)
  })

  scenario('prints one JSON object with --json, and the log on stderr', async ({ stage }) => {
    stage.setRecords({ content: after, ttl: 300 })
    const run = await runCommand(['--json'], stage.variables)
    expect(run.status).toBe(0)
    expect(run.stdout.trimEnd().split('\n')).toHaveLength(1)
    expect(JSON.parse(run.stdout)).toMatchObject({
      result: 'unchanged',
      changed: false,
      requests: 4,
      reason: '',
      drift: [{ field: 'ttl', found: 300, wanted: 120 }],
      records: [{ hostname: 'home.example.com', address: after }],
    })
    expect(run.stderr).toContain('already correct')
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
      [full, full, /^$/],
      ['pipe', full, /^$/],
      [full, 'pipe', /^warning: .*stdout \(ENOSPC\)\..*\n$/],
      ['pipe', 'pipe', /^$/],
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
      stage.setRecords()
      const missing = await runCommand(['--hostname', 'home.example.com'], stage.variables)
      expect(missing.stdout).toMatch(
        /error: home\.example\.com has no record.* the zone ID first.* set --create\./,
      )
    },
  )

  scenario('says every vote of address sources that fail once', async ({ stage }) => {
    stage.setRecords({ content: before })
    const sources = 'https://127.0.0.1:9/ip,interface:none0'
    const { stdout } = await runCommand(['--address-sources', sources], stage.variables)
    expect(stdout).toMatch(/error: Only 0 of 2 address sources/)
    for (const source of ['127.0.0.1:9', 'interface:none0'])
      expect(stdout.match(new RegExp(`${source}: no vote`, 'g'))).toHaveLength(1)
  })

  scenario('refuses a token file of more than 8 KiB, without reading on', async ({ stage, folder }) => {
    await writeFile(join(folder, 'api-token'), 'x'.repeat(1_000_000), { mode: 0o600 })
    // Masking a long secret took hundreds of times its size.
    const variables = { ...stage.variables, NODE_OPTIONS: '--max-old-space-size=48' }
    for (const [args, env] of [
      [['--api-token-file', '/dev/zero'], {}],
      [[], { CREDENTIALS_DIRECTORY: folder }],
    ] as const) {
      const { status, stdout } = await runCommand(args, { ...variables, ...env })
      expect(status).toBe(1)
      expect(stdout).toMatch(/(api-token-file|CREDENTIALS_DIRECTORY): ".+" has more than 8 KiB\./)
    }
    expect(stage.journal()).toEqual([])
  })

  scenario('prints help with every flag, and its version', async () => {
    const help = await runCommand(['--help'])
    expect(help).toMatchObject({ status: 0, stderr: '' })
    const flags = inputNames.filter(name => !secretInputs.includes(name))
    for (const name of flags) {
      const [, words = ''] = new RegExp(`^  --${name} (.*)$`, 'm').exec(help.stdout) ?? []
      expect(words).toMatch(/ {2,}\S+( \S+)+$/)
      const { value = '', default: standard } = inputs[name]
      expect(words).toContain(value)
      if (standard && standard !== 'false') expect(words).toContain(`(default: ${standard})`)
    }
    expect(help.stdout).not.toContain('--api-token ')
    expect(help.stdout).toContain(' https://github.com/OWNER/homeport/blob/main/docs/inputs.md\n')
    for (const line of help.stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(120)
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
