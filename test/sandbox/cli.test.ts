import { execFileSync, spawn } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const script = join(root, 'sandbox/cli.ts')

interface Ended {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Gets the first line of output and the process id, while the command runs. */
type Visit = (line: string, pid: number) => Promise<void>

/** Runs the command. If `visit` is given, the command gets a signal after it. */
const run = (args: string[], visit?: Visit, signal: NodeJS.Signals = 'SIGINT') =>
  new Promise<Ended>((resolve, reject) => {
    const child = spawn(process.execPath, [script, ...args])
    let stdout = ''
    let stderr = ''
    let seen = false
    child.stdout.setEncoding('utf8').on('data', chunk => {
      stdout += chunk
      if (seen || visit === undefined || !stdout.includes('\n')) return
      seen = true
      visit(stdout.slice(0, stdout.indexOf('\n')), child.pid ?? 0)
        .catch(reject)
        .finally(() => child.kill(signal))
    })
    child.stderr.setEncoding('utf8').on('data', chunk => {
      stderr += chunk
    })
    child.once('error', reject)
    child.once('close', status => resolve({ status, stdout, stderr }))
  })

describe('npm run sandbox', () => {
  it('with --json prints one line with working addresses', async () => {
    const { status, stdout, stderr } = await run(['--json', '--seed', '9'], async line => {
      const { cloudflare, nameServer, nameServers, echo, control, entra, ...rest } = JSON.parse(line)
      // Without GitHub, which starts only on request.
      expect(Object.keys(rest).sort()).toEqual(['ca', 'doh', 'https'])
      expect(Object.keys(entra)).toEqual(
        expect.arrayContaining(
          'instance graphUrl metadataHost tenantId clientId clientSecret redirectUri users'.split(' '),
        ),
      )
      expect(entra.redirectUri).toBe('http://localhost:8080/auth/callback')
      expect(Object.keys(cloudflare)).toEqual(
        'baseUrl apiUrl httpsUrl accountId zoneId zoneName adminToken dnsToken'.split(' '),
      )
      expect(nameServers).toEqual([nameServer, { host: '127.0.0.1', port: expect.any(Number) }])
      expect(cloudflare.apiUrl).toBe(`${cloudflare.baseUrl}/client/v4`)
      expect(nameServer).toEqual({ host: '127.0.0.1', port: expect.any(Number) })
      expect(echo).toHaveLength(3)
      expect((await fetch(`${control}/state`)).status).toBe(200)
    })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout.trimEnd().split('\n')).toHaveLength(1)
  })

  it('without --json prints a plain-text overview, with a command that passes every input to the action', async () => {
    const { status, stdout } = await run([], async () => undefined, 'SIGTERM')
    expect(status).toBe(0)
    for (const part of ['/client/v4', 'dig @127.0.0.1', 'INPUT_API-TOKEN=', '/echo', '/journal']) {
      expect(stdout).toContain(part)
    }
    expect(stdout).not.toContain('\u001b[')
    const [command = ''] = /^ {2}env .*?index\.js$/ms.exec(stdout) ?? []
    const shown = command.replace(/\S+index\.js$/, "-p 'JSON.stringify(process.env)'")
    const inputs = JSON.parse(execFileSync('sh', ['-c', shown], { encoding: 'utf8', cwd: root }))
    expect(inputs).toMatchObject({
      'INPUT_API-TOKEN': expect.stringMatching(/^cfut_/),
      'INPUT_ZONE-ID': expect.stringMatching(/^[0-9a-f]{32}$/),
      INPUT_HOSTNAME: 'home.example.com',
      'INPUT_ADDRESS-SOURCES': expect.stringMatching(/^(http:\/\/127\.0\.0\.1:\d+\n?){3}$/),
      'INPUT_BASE-URL': expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      'INPUT_ALLOW-RESERVED-ADDRESS': 'true',
      GITHUB_ACTIONS: 'true',
      RUNNER_ENVIRONMENT: 'self-hosted',
    })
  })

  it('prints its options with --help and exits with 0', async () => {
    const { status, stdout } = await run(['--help'])
    expect(status).toBe(0)
    expect(stdout).toContain('--redirect-uri')
  })
})
