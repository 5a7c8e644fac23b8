import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { Entra } from '../sandbox/entra/entra.ts'
import type { GitHub } from '../sandbox/github/github.ts'
import { type ProgramRun, runProgram } from '../sandbox/pulumi/engine/engine.ts'
import { resourceProvider } from '../sandbox/pulumi/plugins/table.ts'
import { type Sandbox, startSandbox } from '../sandbox/sandbox.ts'
import { bundleWorker } from '../tools/worker.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
/** Path of the program that the demo runs. */
export const program = join(root, 'infra/index.ts')
const accountTokensWrite = '5bc3f8b21c554832afc660159ab75fa4'
const environment = 'dns'

/** What the demo deploys: one stack. */
export const demoHosts = { dynamic: 'office.example.com', signIn: 'people.example.com' } as const

/** A day so many days before now, as the configuration takes it. */
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)

/** The configuration of the demo's stack. */
export function demoConfig(place: { readonly zoneId: string; readonly accountId: string }) {
  const keys = {
    ...place,
    hostname: demoHosts.dynamic,
    publicOrigin: `https://${demoHosts.signIn}`,
    secretRotationA: daysAgo(90),
    secretRotationB: daysAgo(0),
    // The account's, since the token that mints it here may mint for the account alone.
    tokenOwner: 'account',
    allowedDomains: 'example.com',
    repository: 'homeport/homeport',
    environment,
  }
  return Object.fromEntries(Object.entries(keys).map(([key, value]) => [`homeport:${key}`, value]))
}

/** A session key and a minting token that fit their forms; nothing anywhere accepts them. */
export const cannedSecrets = {
  'homeport:sessionKeys': `demo:${Buffer.from(Array.from({ length: 32 }, (_, index) => index)).toString('base64url')}`,
  'homeport:mintingApiToken': 'a'.repeat(40),
}

/** Everything the program is deployed to, stand-ins all, and the ways to look at it from outside. */
export class Deployment {
  readonly sandbox: Sandbox
  readonly #entra: Entra
  readonly #github: GitHub
  readonly #folder: string

  private constructor(sandbox: Sandbox, entra: Entra, github: GitHub, folder: string) {
    this.sandbox = sandbox
    this.#entra = entra
    this.#github = github
    this.#folder = folder
  }

  static async start(): Promise<Deployment> {
    const folder = await mkdtemp(join(tmpdir(), 'homeport-demo-'))
    const [sandbox] = await Promise.all([
      startSandbox({ entra: { redirectUris: [] }, github: true }),
      bundleWorker(),
    ])
    const { entra, github } = sandbox
    if (!entra || !github) throw new Error('The sandbox left out what it was asked for.')
    github.repository.ensure(environment)
    await writeFile(join(folder, 'authority.pem'), sandbox.description.ca)
    return new Deployment(sandbox, entra, github, folder)
  }

  async close(): Promise<void> {
    await this.sandbox.close()
    await rm(this.#folder, { recursive: true, force: true })
  }

  /** Runs the program unchanged. Its resources are created in the sandbox, by the calls of the real providers. */
  async up(): Promise<ProgramRun> {
    const { cloudflare, entra } = this.sandbox.description
    const { zoneId, accountId, apiUrl, adminToken } = cloudflare
    const { baseUrl, token } = this.#github.description
    const { tenantId, deployer } = this.#entra.description
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
          azuread: { metadataHost: entra?.metadataHost ?? '', tenantId, ...deployer },
        },
        { SSL_CERT_FILE: join(this.#folder, 'authority.pem') },
      ),
    })
  }

  /** A token that may mint others and do nothing else: what an operator makes by hand. */
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

  /** Makes the tables and adds an employee, by the operator's command. Gives what it said. */
  async afterUp(outputs: unknown): Promise<{ readonly good: boolean; readonly said: string }> {
    const { apiUrl, adminToken } = this.sandbox.description.cloudflare
    const child = spawn(process.execPath, ['infra/after-up.ts', '--outputs', '-', '--admin', 'alice'], {
      cwd: root,
      env: { PATH: process.env['PATH'], CLOUDFLARE_API_URL: apiUrl, CLOUDFLARE_API_TOKEN: adminToken },
    })
    child.stdin.end(JSON.stringify(outputs))
    const [[status], said, problem] = await Promise.all([
      once(child, 'exit'),
      text(child.stdout),
      text(child.stderr),
    ])
    return { good: status === 0, said: `${said}${problem}`.trim() }
  }

  /** Asks the DNS service; as somebody who may do everything unless a token is given. */
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

  /** Asks the deployed handler, by its host's name. */
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

  /** Names of what was handed over to GitHub. */
  get handedOver(): readonly string[] {
    const place = this.#github.repository.environments.get(environment)
    return [...(place?.secrets.keys() ?? []), ...(place?.variables.keys() ?? [])].toSorted()
  }
}
