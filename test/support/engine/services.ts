import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { get } from 'node:https'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Application } from '../../../sandbox/entra/graph/applications.ts'
import { type FullDescription, type Sandbox, startSandbox } from '../../../sandbox/sandbox.ts'
import { type SandboxState, stateOf } from '../../../sandbox/testing/state.ts'
import { identity } from '../../../tools/pulumi-project.ts'
import { askCloudflare, askOrThrow, graphToken, requestGraphToken } from '../services.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { Visitor } from '../visitor.ts'

export const environmentName = 'dns'

export const sandboxOptions = { entra: { redirectUris: [] }, github: true } as const

/** A record as the service lists it. */
export interface LiveRecord {
  readonly id: string
  readonly name: string
  readonly type: string
  readonly content: string
  readonly ttl: number
  readonly proxied: boolean
}

/** A token as the service lists it. */
interface LiveToken {
  readonly id: string
  readonly name: string
  readonly status: string
}

/** The emulated services that a stack is deployed to, and direct requests to them. */
export class Services {
  readonly sandbox: Sandbox<FullDescription>
  readonly folder: string
  /** File with the certificate authority of the sandbox. */
  readonly authority: string

  protected constructor(sandbox: Services['sandbox'], folder: string) {
    this.sandbox = sandbox
    this.folder = folder
    this.authority = join(folder, 'authority.pem')
  }

  static async start(): Promise<Services> {
    const folder = temporaryFolder()
    const sandbox = await startSandbox(sandboxOptions)
    sandbox.control.setState({ github: { environments: { [environmentName]: {} } } })
    const services = new Services(sandbox, folder)
    await writeFile(services.authority, sandbox.description.ca)
    await writeFile(join(folder, identity.file), identity.text)
    return services
  }

  get at() {
    return this.sandbox.description.cloudflare
  }

  get state(): SandboxState {
    return stateOf(this.sandbox.control)
  }

  /** Calls Cloudflare directly. Resolves to the result. */
  api<Result>(method: string, path: string, body?: unknown, token?: string): Promise<Result> {
    return askCloudflare<Result>(this.at, method, path, body, token)
  }

  async record(name: string): Promise<LiveRecord | undefined> {
    const path = `/zones/${this.at.zoneId}/dns_records?type=A&name=${name}`
    return (await this.api<LiveRecord[]>('GET', path))[0]
  }

  /** Lists the account's tokens, which only stacks create. */
  tokens(): Promise<LiveToken[]> {
    return this.api('GET', `/accounts/${this.at.accountId}/tokens?include_expired=true`)
  }

  /** Lists the tokens of the minting token's user. */
  userTokens(): Promise<LiveToken[]> {
    return this.api('GET', '/user/tokens?include_expired=true')
  }

  /** Calls Graph as the deployer. Resolves to the body of the answer. */
  async graph(method: string, path: string, body?: object) {
    const { entra } = this.sandbox.description
    return askOrThrow(method, `${entra.graphUrl}/v1.0${path}`, await graphToken(entra), body)
  }

  /** Returns the registration with a client ID. */
  applicationOf(clientId: string): Application {
    const found = this.state.entra.applications.find(({ appId }) => appId === clientId)
    if (found === undefined) throw new Error(`There is no registration ${clientId}.`)
    return found
  }

  /** Deletes the variables that were handed over. */
  deleteVariables(): void {
    const environment = this.state.github.environments[environmentName]
    const environments = { [environmentName]: { ...environment, variables: {} } }
    this.sandbox.control.setState({ github: { environments } })
  }

  /** Returns the only registration that has an owner, as those of stacks do. */
  registration(): Application {
    const applications = this.state.entra.applications.filter(({ owners }) => owners.length > 0)
    const [application] = applications
    if (application === undefined || applications.length > 1) {
      throw new Error(`There are ${applications.length} registrations, not one.`)
    }
    return application
  }

  /** Returns the client secrets of all registrations. */
  get clientSecrets(): readonly string[] {
    const passwords = this.state.entra.applications.flatMap(application => application.passwords)
    return passwords.map(({ secretText }) => secretText)
  }

  /** Returns what was handed over to GitHub, by name. */
  get handedOver(): Readonly<Record<string, string>> {
    const { secrets = {}, variables = {} } = this.state.github.environments[environmentName] ?? {}
    return { ...secrets, ...variables }
  }

  /** Returns the DNS token as the scheduled workflow gets it. */
  get token(): string {
    return this.handedOver['CLOUDFLARE_DNS_TOKEN'] ?? ''
  }

  /** Sends a request to a deployed Worker by its hostname. */
  async askWorker(origin: string, path: string, given: Readonly<Record<string, string>> = {}) {
    const { https, ca } = this.sandbox.description
    const { host } = new URL(origin)
    const request = get({ ...https, ca, servername: host, path, headers: { host, ...given } })
    const [answer] = (await once(request, 'response')) as [IncomingMessage]
    const cookies = answer.headers['set-cookie'] ?? []
    return { status: answer.statusCode, body: await text(answer), cookies }
  }

  /** Sends a ping to a deployed endpoint, as a router does. Resolves to status and body. */
  async ping(origin: string, password: string, query: string): Promise<string> {
    const authorization = `Basic ${btoa(`homeport:${password}`)}`
    const { status, body } = await this.askWorker(origin, `/nic/update?${query}`, { authorization })
    return `${status} ${body}`
  }

  /** Starts a sign-in at the deployed handler. Resolves to its authorization URL and its cookies. */
  async beginSignIn(origin: string): Promise<{ url: URL; parameters: URLSearchParams; cookie: string }> {
    const { body, cookies } = await this.askWorker(origin, '/api/auth/login-url')
    const url = new URL((JSON.parse(body) as { url: string }).url)
    return {
      url,
      parameters: url.searchParams,
      cookie: cookies.map(one => one.split(';', 1)[0] ?? '').join('; '),
    }
  }

  /**
   * Makes the deployed handler redeem an invalid code. Resolves to the status of each token request: 400 if only the code
   * was wrong, 401 for a wrong client secret.
   */
  async redeem(origin: string): Promise<(number | string | null)[]> {
    const { parameters, cookie } = await this.beginSignIn(origin)
    this.sandbox.control.clearJournal()
    const state = encodeURIComponent(parameters.get('state') ?? '')
    await this.askWorker(origin, `/api/auth/callback?code=${'c'.repeat(40)}&state=${state}`, { cookie })
    const journal = this.sandbox.control.journal()
    return journal.filter(({ path }) => path.endsWith('/token')).map(({ status }) => status)
  }

  /** Signs somebody in at the deployed handler, with an account of the provider. Resolves to the handler's last answer. */
  async signIn(origin: string, account: string): Promise<unknown> {
    const { url, cookie } = await this.beginSignIn(origin)
    const returned = await new Visitor(origin).visitProvider(url, account)
    return JSON.parse((await this.askWorker(origin, `/api/auth/callback?${returned}`, { cookie })).body)
  }

  /** Requests a token with a client secret. Resolves to the status. */
  async trySecret(clientId: string, secret: string): Promise<number> {
    const changes = { client_id: clientId, client_secret: secret }
    return (await requestGraphToken(this.sandbox.description.entra, changes)).status
  }

  /** Lists the writes to the three services since the journals were cleared, each in order. */
  writes(): string[] {
    const entries = this.sandbox.control.journal()
    const all = ['cloudflare', 'graph', 'github'].flatMap(name =>
      entries.filter(({ service }) => service === name),
    )
    const isToken = (path: string) => path.endsWith('/oauth2/v2.0/token')
    return all
      .filter(({ method, path }) => ['POST', 'PUT', 'PATCH', 'DELETE'].includes(method) && !isToken(path))
      .map(({ method, path }) => `${method} ${this.#shorten(path)}`)
  }

  /** Shortens a path and replaces its identifiers, which differ in every run. */
  #shorten(path: string): string {
    return path
      .replace('/client/v4', '')
      .replace(`/zones/${this.at.zoneId}`, '')
      .replace(`/accounts/${this.at.accountId}`, '')
      .replace('/v1.0', '')
      .replace(/[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{32}/g, '*')
  }

  close(): Promise<void> {
    return this.sandbox.close()
  }
}
