import { lookup } from 'node:dns/promises'
import { writeFile } from 'node:fs/promises'
import type { Browser } from 'playwright-core'
import { parseObject } from '../../lib/json.ts'
import { type Probe, probes } from '../../lib/probes.ts'
import type { FullDescription, Sandbox } from '../../sandbox/sandbox.ts'
import { NoBrowser } from '../../tools/chromium.ts'
import type { Question } from '../real/questions.ts'
import { type Accounts, findLeft, prefix } from '../support/accounts.ts'
import { Services } from '../support/engine/services.ts'
import { Stage } from '../support/engine/stack.ts'
import { runAction } from '../support/runner.ts'
import { graphToken } from '../support/services.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { Deployment } from './deployment.ts'
import { type Check, same } from './story.ts'

/** The services of somebody's accounts, which only their APIs show. */
class AccountServices extends Services {
  static async of(accounts: Accounts): Promise<AccountServices> {
    const { nameServer } = accounts
    const address = nameServer && (await lookup(nameServer.host)).address
    const description = {
      entra: { instance: '', graphUrl: '', deployer: {} },
      github: { baseUrl: '', owner: '', repository: '' },
      ...accounts,
      nameServer: { ...nameServer, host: address },
    }
    const sandbox = { description, close: async () => undefined }
    // Accounts lack what only a sandbox has, such as its users, and no step with accounts reads that.
    const services = new AccountServices(sandbox as unknown as Sandbox<FullDescription>, temporaryFolder())
    await writeFile(services.authority, accounts.ca ?? '')
    return services
  }
}

/** Where Entra and Graph are asked, and how. Resolves to what differs. */
export interface Asking {
  readonly roots: Readonly<Record<'entra' | 'graph', string>>
  ask(question: Question, values: Readonly<Record<string, string>>): Promise<readonly string[]>
  /** Gets what a recording names: the client ID and its secret. */
  readonly names: Record<string, string>
}

/** A stack in somebody's accounts: a record and its token, and where they have it, a hand-over and a registration. */
export class AccountDeployment extends Deployment {
  readonly #accounts: Accounts
  readonly #asking: Asking
  override readonly hostname: string
  protected override readonly name = prefix.replace('homeport-', '')
  protected override readonly handsOver: boolean
  override readonly origin: string
  override readonly redirectUris: readonly string[]
  override readonly deepLink = '/'
  override readonly databasesLeft = 0
  override readonly config: Readonly<Record<string, string | undefined>>

  private constructor(stage: Stage, accounts: Accounts, asking: Asking) {
    super(stage)
    const { github, entra, cloudflare } = accounts
    this.#accounts = accounts
    this.#asking = asking
    this.hostname = `${prefix}.${cloudflare.zoneName}`
    this.origin = `https://${prefix}-people.${cloudflare.zoneName}`
    this.redirectUris = entra ? [`${this.origin}/auth/callback`] : []
    this.handsOver = github !== undefined
    const without = (keys: string) => Object.fromEntries(keys.split(' ').map(key => [key, undefined]))
    this.config = {
      ...{ hostname: this.hostname, publicOrigin: this.origin, displayName: prefix, environment: prefix },
      signIn: entra ? 'host' : 'none',
      ...(entra ? {} : without('publicOrigin secretRotationA secretRotationB allowedDomains instance')),
      ...(entra ? {} : without('graphUrl displayName sessionKeys')),
      ...(github ? {} : without('repository environment github:baseUrl github:token')),
    }
  }

  static async open(pulumi: string, accounts: Accounts, asking: Asking): Promise<AccountDeployment> {
    const isReal = accounts.ca === undefined
    const stage = await Stage.start(pulumi, await AccountServices.of(accounts), isReal)
    // For npm run drift, which has no identity of a run here.
    if (accounts.entra) stage.project.environment['HOMEPORT_GRAPH_TOKEN'] = await graphToken(accounts.entra)
    return new AccountDeployment(stage, accounts, asking)
  }

  protected override async openHandler(): Promise<readonly Check[]> {
    return []
  }

  protected override async openBrowser(): Promise<Browser> {
    throw new NoBrowser('A person has to click.')
  }

  /** Asks Entra and Graph what needs nobody: up to the page on which a person signs in. */
  override async signIn(): Promise<readonly Check[]> {
    const { entra } = this.#accounts
    if (!entra) return [{ what: 'no tenant', good: true, detail: 'not asked' }]
    const [secret = ''] = await this.clientSecrets()
    const { roots, ask, names } = this.#asking
    const authority = `${roots.entra}/${entra.tenantId}`
    const values = { authority, redirectUri: this.redirectUris[0] ?? '', graph: roots.graph }
    const client = await this.stack.output('clientId')
    Object.assign(names, { client, 'client secret': secret })
    const withSecret = (client_secret: string) => ({
      ...{ ...probes.credential, form: { ...probes.credential.form, client_secret } },
    })
    const questions: readonly (readonly [name: string, probe: Probe, expected: string])[] = [
      ['redirect URI', probes.redirectUri, 'registered'],
      ['client secret', withSecret(secret), 'notRefused'],
      ['wrong client secret', withSecret('wrong'), 'refused'],
      ['Graph without a token', probes.profile, 'withoutToken'],
    ]
    const checks: Check[] = []
    for (const [name, probe, expected] of questions)
      checks.push(same(name, await ask({ name, probe, expected, values }, { client }), []))
    return checks
  }

  protected override async nothingLeft(): Promise<readonly Check[]> {
    const left = (await findLeft(this.#accounts)).filter(({ kind }) => kind !== 'record')
    return [
      same(
        'left',
        left.map(({ what }) => what),
        [],
      ),
    ]
  }

  protected override async handedOver(): Promise<readonly string[]> {
    return (await this.#found('hand-over')).map(({ name }) => name)
  }

  protected override async redirects(): Promise<readonly (readonly string[])[]> {
    const registrations = await this.#found('application')
    return registrations.map(({ web }) => web?.redirectUris.toSorted() ?? [])
  }

  /** Lists what the stack has of a kind. */
  async #found(kind: string) {
    return (await findLeft(this.#accounts)).filter(one => one.kind === kind)
  }

  protected override token(): Promise<string> {
    return this.stack.output('dnsToken')
  }

  protected override async clientSecrets(): Promise<readonly string[]> {
    if (!this.#accounts.entra) return []
    const settings = parseObject(await this.stack.output('handlerSettings'))
    return String(settings?.['CLIENT_SECRET']).split(',')
  }

  protected override async plantRedirect(): Promise<boolean> {
    return false
  }

  protected override act(address: string, token: string) {
    const { cloudflare: at, nameServer } = this.#accounts
    return runAction({
      ...{ 'api-token': token, 'zone-id': at.zoneId, hostname: this.hostname, address, verify: 'dns' },
      ...{ 'allow-reserved-address': 'true', 'mask-address': 'false', 'base-url': at.apiUrl },
      'name-servers': `${nameServer?.host}:${nameServer?.port}`,
    })
  }

  protected override employees(): Promise<string> {
    return Promise.reject(new Error('There are no employees.'))
  }

  protected override visit(): Promise<void> {
    return Promise.reject(new NoBrowser('A person has to click.'))
  }

  protected override nameSeen(): Promise<string> {
    return Promise.reject(new NoBrowser('A person has to click.'))
  }

  protected override turnedAway(): Promise<string> {
    return this.nameSeen()
  }
}
