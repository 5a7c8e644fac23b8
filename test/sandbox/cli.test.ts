import { execFileSync, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { FullDescription, SandboxDescription } from '../../sandbox/sandbox.ts'
import { request } from './request.ts'

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

/** Whether this system lists the children of a process (Linux). */
const listsChildren = existsSync(`/proc/${process.pid}/task/${process.pid}/children`)

/** Returns the names of a process's children by their ids, or nothing where the system does not list them. */
async function childrenOf(pid: number): Promise<Map<string, string>> {
  if (!listsChildren) return new Map()
  const ids = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim().split(' ').filter(Boolean)
  const names = ids.map(async id => [id, (await readFile(`/proc/${id}/comm`, 'utf8')).trim()] as const)
  return new Map(await Promise.all(names))
}

async function upload({ cloudflare }: SandboxDescription): Promise<number> {
  const form = new FormData()
  form.append('metadata', '{"main_module":"worker.js"}')
  const code = 'export default { fetch: () => new Response("") }'
  form.append('worker.js', new Blob([code], { type: 'application/javascript+module' }), 'worker.js')
  const url = `${cloudflare.apiUrl}/accounts/${cloudflare.accountId}/workers/scripts/one`
  const headers = { authorization: `Bearer ${cloudflare.adminToken}` }
  return (await fetch(url, { method: 'PUT', headers, body: form })).status
}

/** Gets JSON over HTTPS from a server that has a certificate of `ca`. */
const getJson = async (url: string, ca: string): Promise<unknown> =>
  JSON.parse((await request(url, { ca })).text)

/** Uploads a Worker twice. Returns the ids of the processes that this started. */
async function startWorkerd(description: SandboxDescription, pid: number): Promise<string[]> {
  expect(await childrenOf(pid)).toEqual(new Map())
  expect([await upload(description), await upload(description)]).toEqual([200, 200])
  const started = await childrenOf(pid)
  if (listsChildren) expect([...started.values()]).toEqual(['workerd'])
  return [...started.keys()]
}

const areRunning = (pids: readonly string[]): boolean[] => pids.map(pid => existsSync(`/proc/${pid}`))

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

  it('serves and describes the identity provider and GitHub on request', async () => {
    const redirectUri = 'http://127.0.0.1:8080/auth/callback'
    await run(['--json', '--redirect-uri', redirectUri, '--github'], async line => {
      const { entra, github } = JSON.parse(line)
      expect(entra).toEqual({
        instance: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/$/),
        graphUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
        metadataHost: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
        tenantId: expect.any(String),
        tenantDomain: 'example.com',
        clientId: expect.any(String),
        clientSecret: expect.any(String),
        redirectUri,
        deployer: {
          clientId: expect.any(String),
          clientSecret: expect.any(String),
          objectId: expect.any(String),
        },
        users: expect.any(Array),
      })
      expect(github).toEqual({
        baseUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/$/),
        owner: 'homeport',
        repository: 'homeport',
        token: expect.stringMatching(/^github_pat_/),
        workflowToken: expect.stringMatching(/^ghs_/),
      })
    })
  })

  it('writes its certificate authority to --ca, and stops with workerd on SIGINT', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'ca-'))
    const file = join(folder, 'ca.pem')
    let started: string[] = []
    const { status } = await run(['--json', '--ca', file], async (line, pid) => {
      const description = JSON.parse(line) as SandboxDescription
      expect(await readFile(file, 'utf8')).toBe(description.ca)
      started = await startWorkerd(description, pid)
    })
    expect(status).toBe(0)
    expect(areRunning(started)).not.toContain(true)
    await rm(folder, { recursive: true })
  })

  it('serves HTTPS at --https-port and the identity provider, and stops with workerd on SIGTERM', async () => {
    // Below the ephemeral ports, so that no connection takes it meanwhile.
    const port = randomInt(15_000, 32_000)
    let started: string[] = []
    async function visit(line: string, pid: number) {
      const description = JSON.parse(line) as FullDescription
      expect(description.cloudflare.httpsUrl).toBe(`https://127.0.0.1:${port}`)
      const { metadataHost, instance, graphUrl, tenantId } = description.entra
      const metadata = await getJson(`https://${metadataHost}/metadata/endpoints`, description.ca)
      expect(metadata).toMatchObject({
        authentication: { loginEndpoint: instance.slice(0, -1), audiences: [graphUrl] },
        microsoftGraphResourceId: `${graphUrl}/`,
      })
      const configuration = `${instance}${tenantId}/v2.0/.well-known/openid-configuration`
      expect(await getJson(configuration, description.ca)).toMatchObject({
        issuer: `${instance}${tenantId}/v2.0`,
        token_endpoint: expect.stringMatching(/^https:\/\/localhost:/),
      })
      expect(await getJson(`${graphUrl}/v1.0/me`, description.ca)).toHaveProperty('error')
      started = await startWorkerd(description, pid)
    }
    const args = ['--json', '--https-port', String(port), '--entra-https']
    const { status } = await run(args, visit, 'SIGTERM')
    expect(status).toBe(0)
    expect(areRunning(started)).not.toContain(true)
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
    expect(stdout).toContain('--https-port')
  })

  it('exits with 2 if it cannot write the --ca file', async () => {
    const { status, stdout, stderr } = await run(['--json', '--ca', '/nonexistent/ca.pem'])
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toContain('--ca cannot write to "/nonexistent/ca.pem"')
  })
})
