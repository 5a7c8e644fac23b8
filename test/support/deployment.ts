import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { request as httpsRequest } from 'node:https'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { readWorkerBundle } from '../../infra/resources/worker-bundle.ts'
import type { EntraState } from '../../sandbox/entra/state.ts'
import type { GitHubState } from '../../sandbox/github/state.ts'
import { type FullDescription, type Sandbox, startSandbox } from '../../sandbox/sandbox.ts'
import { root } from '../../tools/bundle.ts'
import { identity } from '../../tools/pulumi-project.ts'
import { bundleWorker } from '../../tools/worker.ts'
import { askCloudflare } from './services.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** Path of the program that the demo runs. */
export const program = join(root, 'infra/index.ts')
export const stackName = 'demo'
const accountTokensWrite = '5bc3f8b21c554832afc660159ab75fa4'
const environment = 'dns'
const repository = 'homeport/homeport'

/** Hosts of the demo's stack. */
export const demoHosts = { dynamic: 'office.example.com', signIn: 'people.example.com' } as const
export const publicOrigin = `https://${demoHosts.signIn}`

/** Returns the date some days ago, in the form that the configuration takes. */
export function daysAgo(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)
}

/** Returns the configuration of the demo's stack. */
export function demoConfig(place: { readonly zoneId: string; readonly accountId: string }) {
  const keys = {
    ...place,
    hostname: demoHosts.dynamic,
    publicOrigin,
    secretRotationA: daysAgo(90),
    secretRotationB: daysAgo(30),
    // The minting token of the demo may create account-owned tokens only.
    tokenOwner: 'account',
    allowedDomains: 'example.com',
    repository,
    environment,
  }
  return Object.fromEntries(Object.entries(keys).map(([key, value]) => [`homeport:${key}`, value]))
}

/** A session key and a minting token in the right form. No service accepts them. */
export const cannedSecrets = {
  'homeport:sessionKeys': `demo:${Buffer.from(Array.from({ length: 32 }, (_, index) => index)).toString('base64url')}`,
  'homeport:mintingApiToken': 'a'.repeat(40),
}

/** Builds the Worker unless it is up to date. */
export async function ensureWorker(): Promise<void> {
  try {
    readWorkerBundle(root)
  } catch {
    await bundleWorker()
  }
}

/** The output and exit status of a command of the repository. */
export interface Ran {
  readonly status: number | null
  readonly output: string
  /** What it wrote to standard error. */
  readonly problem: string
}

/** Where and how a command runs. */
interface Place {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  /** For its standard input. */
  readonly input?: string
}

/** The emulated services that the demo deploys to, and ways to inspect them from outside. */
export class Deployment {
  readonly sandbox: Sandbox<FullDescription>
  readonly folder: string
  /** File with the certificate authority of the sandbox. */
  readonly authority: string

  private constructor(sandbox: Deployment['sandbox'], folder: string) {
    this.sandbox = sandbox
    this.folder = folder
    this.authority = join(folder, 'authority.pem')
  }

  static async start(): Promise<Deployment> {
    const folder = temporaryFolder()
    await ensureWorker()
    const sandbox = await startSandbox({ entra: { redirectUris: [] }, github: true })
    sandbox.control.setState({ github: { environments: { [environment]: {} } } })
    const deployment = new Deployment(sandbox, folder)
    await writeFile(deployment.authority, sandbox.description.ca)
    await writeFile(join(folder, identity.file), identity.text)
    return deployment
  }

  async close(): Promise<void> {
    await this.sandbox.close()
  }

  /** Returns the configuration of a new stack, and creates its minting token, as an operator does by hand. */
  async configuration() {
    const { cloudflare, entra, github } = this.sandbox.description
    const { zoneId, accountId, apiUrl } = cloudflare
    return {
      config: {
        ...demoConfig({ zoneId, accountId }),
        'homeport:instance': entra.instance.replace(/\/$/, ''),
        'homeport:graphUrl': entra.graphUrl,
        'cloudflare:baseUrl': apiUrl,
        'github:baseUrl': github.baseUrl,
      },
      secrets: {
        ...cannedSecrets,
        'homeport:mintingApiToken': await this.#mintingToken(),
        'github:token': github.token,
      },
    }
  }

  async #mintingToken(): Promise<string> {
    const { accountId } = this.sandbox.description.cloudflare
    const policies = [
      {
        effect: 'allow',
        permission_groups: [{ id: accountTokensWrite }],
        resources: { [`com.cloudflare.api.account.${accountId}`]: '*' },
      },
    ]
    const { value } = await this.api<{ value: string }>('POST', '/user/tokens', { name: 'minting', policies })
    return value
  }

  /** Calls Cloudflare, with the administrator's token by default. @throws Error if it refuses */
  api<Result>(method: string, path: string, body?: unknown, token?: string): Promise<Result> {
    return askCloudflare<Result>(this.sandbox.description.cloudflare, method, path, body, token)
  }

  /** Reads from Cloudflare with a token. Resolves to the status. */
  async statusWith(token: string, path: string): Promise<number> {
    const headers = { authorization: `Bearer ${token}` }
    return (await fetch(`${this.sandbox.description.cloudflare.apiUrl}${path}`, { headers })).status
  }

  /** Sends a request to the deployed handler at its host, over TLS. */
  handler(path: string): Promise<{ readonly status: number; readonly body: string }> {
    const { https, ca } = this.sandbox.description
    return new Promise((resolve, reject) => {
      const asked = httpsRequest(
        { ...https, path, ca, servername: demoHosts.signIn, headers: { host: demoHosts.signIn } },
        response => {
          text(response).then(body => resolve({ status: response.statusCode ?? 0, body }), reject)
        },
      )
      asked.on('error', reject).end()
    })
  }

  /** Runs a program of the repository as an operator does. */
  async run(script: string, args: readonly string[], { cwd, env, input = '' }: Place): Promise<Ran> {
    const child = spawn(process.execPath, [join(root, script), ...args], { cwd, env })
    child.stdin.end(input)
    const [[status], output, problem] = await Promise.all([
      once(child, 'exit') as Promise<[number | null]>,
      text(child.stdout),
      text(child.stderr),
    ])
    return { status, output: output.trim(), problem: problem.trim() }
  }

  get entra(): EntraState {
    // The control interface does not know the types of the services' states. This one is Entra's.
    return this.sandbox.control.state()['entra'] as unknown as EntraState
  }

  /** Returns the client secrets of all registrations. */
  get clientSecrets(): readonly string[] {
    const passwords = this.entra.applications.flatMap(application => application.passwords)
    return passwords.map(({ secretText }) => secretText)
  }

  /** Returns the DNS token as the scheduled workflow gets it. */
  get token(): string {
    return this.handedOver['CLOUDFLARE_DNS_TOKEN'] ?? ''
  }

  /** Returns what was handed over to GitHub, by name. */
  get handedOver(): Readonly<Record<string, string>> {
    // As above: this is GitHub's.
    const { environments } = this.sandbox.control.state()['github'] as unknown as GitHubState
    const { secrets = {}, variables = {} } = environments[environment] ?? {}
    return { ...secrets, ...variables }
  }
}

/** Asks the provider for a token with a client secret. Resolves to the status. */
export async function tryClientSecret(
  { instance, tenantId, graphUrl }: FullDescription['entra'],
  clientId: string,
  secret: string,
): Promise<number> {
  const response = await fetch(`${instance}${tenantId}/oauth2/v2.0/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: secret,
      scope: `${graphUrl}/.default`,
    }),
  })
  return response.status
}
