import { writeFile } from 'node:fs/promises'
import { get } from 'node:http'
import { join } from 'node:path'
import type { Entra } from '../../../sandbox/entra/entra.ts'
import type { Application } from '../../../sandbox/entra/graph/applications.ts'
import type { GitHub } from '../../../sandbox/github/github.ts'
import type { Fault } from '../../../sandbox/http/faults.ts'
import { type Sandbox, startSandbox } from '../../../sandbox/sandbox.ts'

export const environmentName = 'dns'
const zoneName = 'example.com'

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
export interface LiveToken {
  readonly id: string
  readonly name: string
  readonly status: string
  readonly policies: readonly { readonly permission_groups: readonly { readonly id: string }[] }[]
}

interface WorkerAnswer {
  readonly body: string
  readonly cookies: readonly string[]
}

/** What a stack is deployed to, with the questions that tests ask it behind the program's back. */
export class Services {
  readonly sandbox: Sandbox
  readonly entra: Entra
  readonly github: GitHub
  /** The file with the authority that vouches for the sandbox over https. */
  readonly authority: string

  private constructor(sandbox: Sandbox, entra: Entra, github: GitHub, authority: string) {
    this.sandbox = sandbox
    this.entra = entra
    this.github = github
    this.authority = authority
  }

  /** @param folder where the authority's certificate is written */
  static async start(folder: string): Promise<Services> {
    const sandbox = await startSandbox({ zoneName, entra: { redirectUris: [] }, github: true })
    const { entra, github } = sandbox
    if (entra === undefined || github === undefined)
      throw new Error('The sandbox left out what it was asked for.')
    github.repository.ensure(environmentName)
    const authority = join(folder, 'authority.pem')
    await writeFile(authority, sandbox.description.ca)
    return new Services(sandbox, entra, github, authority)
  }

  get at() {
    return this.sandbox.description.cloudflare
  }

  /** Calls the DNS service as somebody else than the program; resolves to the result. */
  async api<Result>(
    method: string,
    path: string,
    body?: unknown,
    token = this.at.adminToken,
  ): Promise<Result> {
    const response = await fetch(`${this.at.apiUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const answer = (await response.json()) as { success: boolean; errors: unknown; result: Result }
    if (!answer.success) throw new Error(`${method} ${path}: ${JSON.stringify(answer.errors)}`)
    return answer.result
  }

  async record(name: string): Promise<LiveRecord | undefined> {
    const path = `/zones/${this.at.zoneId}/dns_records?type=A&name=${name}`
    return (await this.api<LiveRecord[]>('GET', path))[0]
  }

  /** The account's tokens: those that stacks have made. */
  tokens(): Promise<LiveToken[]> {
    return this.api('GET', `/accounts/${this.at.accountId}/tokens?include_expired=true`)
  }

  /** The tokens of the user whom the minting token is of. */
  userTokens(): Promise<LiveToken[]> {
    return this.api('GET', '/user/tokens?include_expired=true')
  }

  /** The one registration there is. */
  registration(): Application {
    const [application, ...others] = this.entra.applications.applications.values()
    if (application === undefined || others.length > 0) {
      throw new Error(`There are ${this.entra.applications.applications.size} registrations, not one.`)
    }
    return application
  }

  /** Asks a deployed Worker, by the name of its host. */
  #askWorker(origin: string, path: string, cookie?: string): Promise<WorkerAnswer> {
    const { hostname, port } = new URL(this.at.baseUrl)
    const headers = { host: new URL(origin).host, ...(cookie === undefined ? {} : { cookie }) }
    return new Promise((resolve, reject) => {
      get({ hostname, port, path, headers }, response => {
        let body = ''
        response.setEncoding('utf8').on('data', (chunk: string) => {
          body += chunk
        })
        response.on('end', () => resolve({ body, cookies: response.headers['set-cookie'] ?? [] }))
      }).once('error', reject)
    })
  }

  /** Begins a sign-in at the deployed handler: the parameters that it sends the browser to the provider with. */
  async beginSignIn(origin: string): Promise<{ parameters: URLSearchParams; cookie: string }> {
    const { body, cookies } = await this.#askWorker(origin, '/api/auth/login-url')
    const { url } = JSON.parse(body) as { url: string }
    return {
      parameters: new URL(url).searchParams,
      cookie: cookies.map(one => one.split(';', 1)[0] ?? '').join('; '),
    }
  }

  /**
   * Has the deployed handler redeem a code that never was, and gives the status of each of its requests for a token: 400
   * when the provider knew the client and only the code was wrong, 401 for a client secret that is none.
   */
  async redeem(origin: string): Promise<(number | null)[]> {
    const { parameters, cookie } = await this.beginSignIn(origin)
    this.entra.clearRequests()
    const state = encodeURIComponent(parameters.get('state') ?? '')
    await this.#askWorker(origin, `/api/auth/callback?code=${'c'.repeat(40)}&state=${state}`, cookie)
    return this.entra.requests.filter(({ path }) => path.endsWith('/token')).map(({ status }) => status)
  }

  /** Signs in as a registered application with one of its secrets, as the handler does; resolves to the status. */
  async trySecret(clientId: string, secret: string): Promise<number> {
    const { instance, tenantId, graphUrl } = this.entra.description
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

  async control(method: string, path: string, body?: unknown): Promise<unknown> {
    const response = await fetch(`${this.sandbox.description.control}${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return response.json()
  }

  /** Has the DNS service fail so. */
  async failDns(...faults: Fault[]): Promise<void> {
    await this.control('PUT', '/faults', { faults })
  }

  /** Forgets what was asked until now. */
  async forget(): Promise<void> {
    await this.control('DELETE', '/journal')
    this.entra.clearRequests()
    this.github.forget()
  }

  /** What was written since then, at all three services, in the order of each. */
  async writes(): Promise<string[]> {
    const { entries } = (await this.control('GET', '/journal')) as {
      entries: { method: string; path: string }[]
    }
    const all = [...entries, ...this.entra.requests, ...this.github.requests]
    const isToken = (path: string) => path.endsWith('/oauth2/v2.0/token')
    return all
      .filter(({ method, path }) => ['POST', 'PUT', 'PATCH', 'DELETE'].includes(method) && !isToken(path))
      .map(({ method, path }) => `${method} ${this.#shorten(path)}`)
  }

  /** Identifiers say nothing to a reader; what they are identifiers of does. */
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
