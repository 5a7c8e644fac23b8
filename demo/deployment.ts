import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { GitHubState } from '../sandbox/github/state.ts'
import { type ProgramRun, runProgram } from '../sandbox/pulumi/engine/engine.ts'
import { resourceProvider } from '../sandbox/pulumi/plugins/resource-provider.ts'
import { type FullDescription, type Sandbox, startSandbox } from '../sandbox/sandbox.ts'
import { bundleWorker } from '../tools/worker.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
/** Path of the program that the demo runs. */
export const program = join(root, 'infra/index.ts')
const accountTokensWrite = '5bc3f8b21c554832afc660159ab75fa4'
const environment = 'dns'

/** Hosts of the demo's stack. */
export const demoHosts = { dynamic: 'office.example.com', signIn: 'people.example.com' } as const

/** Returns the date a number of days ago, as the configuration takes it. */
function daysAgo(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)
}

/** Returns the configuration of the demo's stack. */
export function demoConfig(place: { readonly zoneId: string; readonly accountId: string }) {
  const keys = {
    ...place,
    hostname: demoHosts.dynamic,
    publicOrigin: `https://${demoHosts.signIn}`,
    secretRotationA: daysAgo(90),
    secretRotationB: daysAgo(0),
    // The minting token of the demo may create account-owned tokens only.
    tokenOwner: 'account',
    allowedDomains: 'example.com',
    repository: 'homeport/homeport',
    environment,
  }
  return Object.fromEntries(Object.entries(keys).map(([key, value]) => [`homeport:${key}`, value]))
}

/** A session key and a minting token in the right form. No service accepts them. */
export const cannedSecrets = {
  'homeport:sessionKeys': `demo:${Buffer.from(Array.from({ length: 32 }, (_, index) => index)).toString('base64url')}`,
  'homeport:mintingApiToken': 'a'.repeat(40),
}

/** The emulated services that the demo deploys to, and ways to look at them from outside. */
export class Deployment {
  readonly sandbox: Sandbox<FullDescription>
  readonly #folder: string

  private constructor(sandbox: Deployment['sandbox'], folder: string) {
    this.sandbox = sandbox
    this.#folder = folder
  }

  static async start(): Promise<Deployment> {
    const folder = await mkdtemp(join(tmpdir(), 'homeport-demo-'))
    const [sandbox] = await Promise.all([
      startSandbox({ entra: { redirectUris: [] }, github: true }),
      bundleWorker(),
    ])
    sandbox.control.setState({ github: { environments: { [environment]: {} } } })
    await writeFile(join(folder, 'authority.pem'), sandbox.description.ca)
    return new Deployment(sandbox, folder)
  }

  async close(): Promise<void> {
    await this.sandbox.close()
    await rm(this.#folder, { recursive: true, force: true })
  }

  /** Runs the program unchanged. Its resources are created in the sandbox, by the calls of the real providers. */
  async up(): Promise<ProgramRun> {
    const { cloudflare, entra, github } = this.sandbox.description
    const { zoneId, accountId, apiUrl, adminToken } = cloudflare
    const { baseUrl, token } = github
    const { tenantId, deployer } = entra
    return runProgram({
      program,
      stack: 'demo',
      config: {
        ...demoConfig({ zoneId, accountId }),
        'cloudflare:baseUrl': apiUrl,
        'github:baseUrl': baseUrl,
      },
      secrets: {
        ...cannedSecrets,
        'homeport:mintingApiToken': await this.#mintingToken(),
        'github:token': token,
      },
      provider: resourceProvider(
        {
          cloudflare: { baseUrl: apiUrl, apiToken: adminToken },
          azuread: { metadataHost: entra.metadataHost, tenantId, ...deployer },
        },
        { SSL_CERT_FILE: join(this.#folder, 'authority.pem') },
      ),
    })
  }

  /** Creates the minting token, as an operator does by hand. */
  async #mintingToken(): Promise<string> {
    const { accountId } = this.sandbox.description.cloudflare
    const policies = [
      {
        effect: 'allow',
        permission_groups: [{ id: accountTokensWrite }],
        resources: { [`com.cloudflare.api.account.${accountId}`]: '*' },
      },
    ]
    const made = await this.cloudflare('POST', '/user/tokens', { body: { name: 'minting', policies } })
    const { result } = made.body as { result: { value: string } }
    return result.value
  }

  /** Runs `npm run after-up`, which creates the tables and adds an employee. Resolves to its output. */
  async afterUp(outputs: unknown): Promise<{ readonly good: boolean; readonly output: string }> {
    const { apiUrl, adminToken } = this.sandbox.description.cloudflare
    const child = spawn(process.execPath, ['infra/after-up.ts', '--outputs', '-', '--admin', 'alice'], {
      cwd: root,
      env: { PATH: process.env['PATH'], CLOUDFLARE_API_URL: apiUrl, CLOUDFLARE_API_TOKEN: adminToken },
    })
    child.stdin.end(JSON.stringify(outputs))
    const [[status], output, problem] = await Promise.all([
      once(child, 'exit'),
      text(child.stdout),
      text(child.stderr),
    ])
    return { good: status === 0, output: `${output}${problem}`.trim() }
  }

  /** Sends a request to the DNS service, with the administrator's token by default. */
  async cloudflare(
    method: string,
    path: string,
    { body, token }: { readonly body?: unknown; readonly token?: string } = {},
  ): Promise<{ readonly status: number; readonly body: unknown }> {
    const { apiUrl, adminToken } = this.sandbox.description.cloudflare
    const response = await fetch(`${apiUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${token ?? adminToken}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { status: response.status, body: await response.json() }
  }

  /** Sends a request to the deployed handler by its hostname. */
  handler(path: string): Promise<{ readonly status: number; readonly body: string }> {
    return new Promise((resolve, reject) => {
      const asked = request(
        new URL(path, this.sandbox.description.cloudflare.baseUrl),
        { headers: { host: demoHosts.signIn } },
        response => {
          text(response).then(body => resolve({ status: response.statusCode ?? 0, body }), reject)
        },
      )
      asked.on('error', reject).end()
    })
  }

  /** Returns the names of the secrets and variables that were handed over to GitHub. */
  get handedOver(): readonly string[] {
    const { environments } = this.sandbox.control.state()['github'] as GitHubState
    const { secrets = {}, variables = {} } = environments[environment] ?? {}
    return [...Object.keys(secrets), ...Object.keys(variables)].toSorted()
  }
}
