import { lookup } from 'node:dns/promises'
import { writeFile } from 'node:fs/promises'
import { parseObject } from '../../lib/json.ts'
import { type Probe, probes } from '../../lib/probes.ts'
import type { FullDescription, Sandbox } from '../../sandbox/sandbox.ts'
import { NoBrowser } from '../../tools/chromium.ts'
import { pulumiCli } from '../../tools/pulumi-cli.ts'
import { Deployment, deploymentSteps } from '../journeys/deployment.ts'
import { type Check, same, type Telling, tell } from '../journeys/story.ts'
import { Services } from '../support/engine/services.ts'
import { Stage } from '../support/engine/stack.ts'
import { graphToken } from '../support/services.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import {
  type Accounts,
  act,
  explainLeft,
  findLeft,
  prefix,
  refuseProduction,
  removeLeft,
} from './accounts.ts'
import { askQuestion } from './probes.ts'
import { exchange, namesIn, record, writeRecording } from './recording.ts'
import { replayFolder } from './replay.ts'

/** The services of somebody's accounts, which only their APIs show. */
class AccountServices extends Services {
  static async of(accounts: Accounts): Promise<AccountServices> {
    const { nameServer, ca } = accounts
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
    await writeFile(services.authority, ca ?? '')
    return services
  }
}

const without = (keys: string) => Object.fromEntries(keys.split(' ').map(key => [key, undefined]))
const nobody = () => Promise.reject(new NoBrowser('A person has to click.'))

/** A stack in somebody's accounts: a record and its token, and where they have it, a hand-over and a registration. */
class AccountDeployment extends Deployment {
  readonly #accounts: Accounts
  readonly #roots: Readonly<Record<'entra' | 'graph', string>>
  /** What a recording names besides the accounts. */
  names: Readonly<Record<string, string>> = {}
  override readonly hostname: string
  protected override readonly name = prefix.replace('homeport-', '')
  protected override readonly handsOver: boolean
  override readonly origin: string
  override readonly redirectUris: readonly string[]
  override readonly deepLink = '/'
  override readonly databasesLeft = 0
  override readonly config: Readonly<Record<string, string | undefined>>

  constructor(stage: Stage, accounts: Accounts, roots: Readonly<Record<'entra' | 'graph', string>>) {
    super(stage)
    const { github, entra, cloudflare } = accounts
    this.#accounts = accounts
    this.#roots = roots
    this.hostname = `${prefix}.${cloudflare.zoneName}`
    this.origin = `https://${prefix}-people.${cloudflare.zoneName}`
    this.redirectUris = entra ? [`${this.origin}/auth/callback`] : []
    this.handsOver = github !== undefined
    this.config = {
      hostname: this.hostname,
      publicOrigin: this.origin,
      displayName: prefix,
      environment: prefix,
      signIn: entra ? 'host' : 'none',
      ...(entra ? {} : without('publicOrigin secretRotationA secretRotationB allowedDomains instance')),
      ...(entra ? {} : without('graphUrl displayName sessionKeys')),
      ...(github ? {} : without('repository environment github:baseUrl github:token')),
    }
  }

  protected override async openHandler(): Promise<readonly Check[]> {
    return []
  }

  /** Asks Entra and Graph what needs nobody: up to the page on which a person signs in. */
  override async signIn(): Promise<readonly Check[]> {
    const { entra } = this.#accounts
    if (!entra) return [{ what: 'no tenant', good: true, detail: 'not asked' }]
    const [secret = ''] = await this.clientSecrets()
    const client = await this.stack.output('clientId')
    this.names = { client, 'client secret': secret }
    const authority = `${this.#roots.entra}/${entra.tenantId}`
    const values = { authority, redirectUri: this.redirectUris[0] ?? '', graph: this.#roots.graph }
    const withSecret = (client_secret: string) => ({
      ...probes.credential,
      form: { ...probes.credential.form, client_secret },
    })
    const questions: readonly (readonly [name: string, probe: Probe, expected: string])[] = [
      ['redirect URI', probes.redirectUri, 'registered'],
      ['client secret', withSecret(secret), 'notRefused'],
      ['wrong client secret', withSecret('wrong'), 'refused'],
      ['Graph without a token', probes.profile, 'withoutToken'],
    ]
    const checks: Check[] = []
    for (const [name, probe, expected] of questions) {
      const { lines } = await askQuestion({ name, probe, expected, values }, { client }, exchange)
      checks.push(same(name, lines, []))
    }
    return checks
  }

  protected override async nothingLeft(): Promise<readonly Check[]> {
    const left = (await findLeft(this.#accounts)).filter(({ kind }) => kind !== 'record')
    const names = left.map(({ what }) => what)
    return [same('left', names, [])]
  }

  protected override async handedOver(): Promise<readonly string[]> {
    const left = await findLeft(this.#accounts)
    return left.filter(({ kind }) => kind === 'secret' || kind === 'variable').map(({ name }) => name)
  }

  protected override token(): Promise<string> {
    return this.stack.output('dnsToken')
  }

  protected override async clientSecrets(): Promise<readonly string[]> {
    if (!this.#accounts.entra) return []
    const settings = parseObject(await this.stack.output('handlerSettings'))
    return String(settings?.['CLIENT_SECRET']).split(',')
  }

  protected override act(address: string, token: string) {
    const { host, port } = this.#accounts.nameServer ?? {}
    const more = { hostname: this.hostname, verify: 'dns', 'name-servers': `${host}:${port}` }
    return act(this.#accounts, { 'api-token': token, address, ...more })
  }

  protected override readonly openBrowser = nobody
  protected override readonly employees = nobody
  protected override readonly visit = nobody
  protected override readonly nameSeen = nobody
  protected override readonly turnedAway = nobody
}

interface Terms extends Telling {
  /** Where to record. */
  readonly folder: string
}

/** Tells the story of a deployment with accounts. Stops at the first difference. Returns how many steps or replays differ. */
export async function rehearse(given: Accounts, { folder, ...telling }: Terms): Promise<number> {
  await refuseProduction(given, true)
  const { print } = telling
  for (const what of await removeLeft(given)) print(`removed, since an earlier rehearsal left it: ${what}`)
  await using open = new AsyncDisposableStack()
  const { accounts, roots, said } = open.adopt(await record(given), one => one.close())
  const pulumi = await pulumiCli(print)
  const stage = await Stage.start(pulumi, await AccountServices.of(accounts), accounts.ca === undefined)
  const story = open.adopt(new AccountDeployment(stage, accounts, roots), one => one.close())
  // For npm run drift, which has no identity of a run here.
  if (accounts.entra) stage.project.environment['HOMEPORT_GRAPH_TOKEN'] = await graphToken(accounts.entra)
  if (!(await tell(story, deploymentSteps, telling))) {
    const created = ['record', 'token', 'application', 'hand-over'].map(kind => `the ${kind} of ${prefix}`)
    print(await explainLeft(given, created))
    return 1
  }
  await removeLeft(given)
  await writeRecording(folder, { name: 'rehearsal', exchanges: said }, { ...namesIn(given), ...story.names })
  return await replayFolder(folder, print)
}
