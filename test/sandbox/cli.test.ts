import { execFileSync, spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const script = fileURLToPath(new URL('../../sandbox/cli.ts', import.meta.url))

interface Ended {
  status: number | null
  stdout: string
  stderr: string
}

/** Runs the command. If `untilLine` is given, it gets the first line of output, and then the command gets a signal. */
const run = (
  args: string[],
  untilLine?: (line: string) => Promise<void>,
  signal: NodeJS.Signals = 'SIGINT',
) =>
  new Promise<Ended>((resolve, reject) => {
    const child = spawn(process.execPath, [script, ...args])
    let stdout = ''
    let stderr = ''
    let seen = false
    child.stdout.setEncoding('utf8').on('data', chunk => {
      stdout += chunk
      if (seen || untilLine === undefined || !stdout.includes('\n')) return
      seen = true
      untilLine(stdout.slice(0, stdout.indexOf('\n')))
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
  test('with --json prints one line with working addresses, and exits with 0 on SIGINT', async () => {
    const { status, stdout, stderr } = await run(['--json', '--seed', '9'], async line => {
      const { cloudflare, nameServer, nameServers, echo, control, entra, ...rest } = JSON.parse(line)
      expect(Object.keys(rest)).toEqual(['doh', 'https', 'ca'])
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
    expect(status).toBe(0)
    expect(stderr).toBe('')
    expect(stdout.trimEnd().split('\n')).toHaveLength(1)
  })

  test('without --json prints a plain-text overview into a pipe, and exits with 0 on SIGTERM', async () => {
    const { status, stdout } = await run([], async () => undefined, 'SIGTERM')
    expect(status).toBe(0)
    for (const part of ['/client/v4', 'dig @127.0.0.1', 'INPUT_API-TOKEN=', '/echo', '/journal']) {
      expect(stdout).toContain(part)
    }
    expect(stdout).not.toContain('\u001b[')
  })

  test('prints a command that passes every input to the action', async () => {
    const { stdout } = await run([], async () => undefined)
    const [line = ''] = /^ {2}env .*?index\.js$/ms.exec(stdout) ?? []
    const shown = line.replace('action/dist/index.js', "-p 'JSON.stringify(process.env)'")
    const inputs = JSON.parse(execFileSync('sh', ['-c', shown], { encoding: 'utf8', cwd: root }))
    expect(inputs).toMatchObject({
      'INPUT_API-TOKEN': expect.stringMatching(/^cfut_/),
      'INPUT_ZONE-ID': expect.stringMatching(/^[0-9a-f]{32}$/),
      INPUT_HOSTNAME: 'home.example.com',
      'INPUT_ADDRESS-SOURCES': expect.stringMatching(/^(http:\/\/127\.0\.0\.1:\d+\n?){3}$/),
      'INPUT_BASE-URL': expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      'INPUT_ALLOW-RESERVED-ADDRESS': 'true',
      RUNNER_ENVIRONMENT: 'self-hosted',
    })
  })

  test('prints its options with --help', async () => {
    const { status, stdout } = await run(['--help'])
    expect(status).toBe(0)
    for (const flag of [
      '--json',
      '--seed',
      '--port',
      '--https-port',
      '--ca',
      '--dns-port',
      '--control-port',
      '--echo-ports',
    ]) {
      expect(stdout).toContain(flag)
    }
  })

  test.each([
    [['--colour'], '--colour'],
    [['--port', 'x'], '--port must be a whole number from 0 to 65535, but is "x"'],
    [['--seed', '-1'], '--seed'],
    [['--echo-ports', '1,2'], '--echo-ports must be 3 ports'],
    [['extra'], 'extra'],
  ])('refuses %j', async (args, message) => {
    const { status, stdout, stderr } = await run(args)
    expect(status).toBe(2)
    expect(stdout).toBe('')
    expect(stderr).toContain(message)
    expect(stderr).toContain('--help')
  })

  test.each(['--port', '--https-port', '--dns-port', '--control-port'])(
    'names %s and the port if it is in use',
    async flag => {
      const server = createServer()
      await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
      const address = server.address()
      const port = typeof address === 'object' ? address?.port : undefined
      const { status, stdout, stderr } = await run([flag, String(port)])
      server.close()
      expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
      expect(stderr).toContain(`Port ${port} of ${flag} is taken.`)
    },
  )
})
