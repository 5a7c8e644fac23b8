import { join } from 'node:path'
import { readWorkerBundle } from '../../infra/resources/worker-bundle.ts'
import { root } from '../../tools/bundle.ts'
import { bundleWorker } from '../../tools/worker.ts'
import { startNode } from './command.ts'
import { daysAgo } from './configuration.ts'
import { environmentName, Services } from './engine/services.ts'
import { createUserToken } from './services.ts'

/** Path of the program that the demo runs. */
export const program = join(root, 'infra/index.ts')
export const stackName = 'demo'
const repository = 'homeport/homeport'

/** Hosts of the demo's stack. */
export const demoHosts = { dynamic: 'office.example.com', signIn: 'people.example.com' } as const
export const publicOrigin = `https://${demoHosts.signIn}`

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
    environment: environmentName,
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

/** The services that the demo deploys to, with its configuration, and what it left there. */
export class Deployment extends Services {
  /** Returns the configuration of a new stack, and creates its minting token, as an operator does by hand. */
  async configuration() {
    await ensureWorker()
    const { cloudflare, entra, github } = this.sandbox.description
    const { zoneId, accountId, apiUrl } = cloudflare
    const account = `com.cloudflare.api.account.${accountId}`
    const minting = await createUserToken(cloudflare, 'minting', [[account, 'Account API Tokens Write']])
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
        'homeport:mintingApiToken': minting.value,
        'github:token': github.token,
      },
    }
  }

  /** Reads from Cloudflare with a token. Resolves to the status. */
  async statusWith(token: string, path: string): Promise<number> {
    const headers = { authorization: `Bearer ${token}` }
    return (await fetch(`${this.at.apiUrl}${path}`, { headers })).status
  }

  /** Runs a program of the repository as an operator does. */
  async run(script: string, args: readonly string[], { cwd, env, input = '' }: Place): Promise<Ran> {
    const place = { cwd, input, timeLimitMs: 120_000 }
    const { status, stdout, stderr } = await startNode([join(root, script), ...args], env, place).ended
    return { status, output: stdout.trim(), problem: stderr.trim() }
  }

  /** Returns the client secrets of all registrations. */
  get clientSecrets(): readonly string[] {
    const passwords = this.state.entra.applications.flatMap(application => application.passwords)
    return passwords.map(({ secretText }) => secretText)
  }

  /** Returns the DNS token as the scheduled workflow gets it. */
  get token(): string {
    return this.handedOverToken() ?? ''
  }

  /** Returns what was handed over to GitHub, by name. */
  get handedOver(): Readonly<Record<string, string>> {
    const { secrets = {}, variables = {} } = this.state.github.environments[environmentName] ?? {}
    return { ...secrets, ...variables }
  }
}
