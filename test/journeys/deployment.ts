import type { Resolver } from 'node:dns/promises'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { handedOver } from '../../infra/settings/handed-over.ts'
import type { Application } from '../../sandbox/entra/graph/applications.ts'
import { NoBrowser } from '../../tools/chromium.ts'
import { daysAgo } from '../support/configuration.ts'
import { NoProgram } from '../support/debian-program.ts'
import { ensureWorker } from '../support/deployment.ts'
import type { LiveRecord } from '../support/engine/services.ts'
import { type Config, type Stack, Stage, hostname as usualHostname } from '../support/engine/stack.ts'
import type { StepRun } from '../support/runner.ts'
import { ask } from '../support/services.ts'
import { newPage, pick, refusal } from './browser.ts'
import { resolverFor, runFrom } from './emulated-network.ts'
import { type Check, type Step, same, shows } from './story.ts'

/** The story from an empty account to an empty account, wherever the handler runs. */
export const deploymentSteps: readonly Step<Deployment>[] = [
  { title: 'The services are empty', run: story => story.lookAround() },
  { title: 'The operator deploys the stack', run: story => story.deploy() },
  { title: 'The handler answers at its hosts', run: story => story.open() },
  { title: 'The operator imports employees', needs: 'employees', run: story => story.importEmployees() },
  {
    title: 'The action follows the address, with the token of the stack',
    run: story => story.followAddresses(),
  },
  { title: 'alice opens a deep link, signs in, and lands on it', run: story => story.signIn() },
  { title: 'A contractor is refused', needs: 'employees', run: story => story.refuse() },
  {
    needs: 'employees',
    title: 'The operator deactivates alice, and her next click is refused',
    run: story => story.deactivate(),
  },
  { title: 'The operator rotates the secrets, and nobody notices', run: story => story.rotate() },
  { title: 'npm run drift finds what somebody changed by hand', run: story => story.findDrift() },
  { title: 'The operator follows its instructions', run: story => story.undoDrift() },
  {
    title: 'The operator destroys the stack, and what is protected is left',
    run: story => story.destroy(),
  },
]

// RFC 5737 reserves these addresses for documentation.
const bootstrapAddress = '192.0.2.1'
const addresses = ['203.0.113.10', '198.51.100.20'] as const
const lastAddress = '198.51.100.99'
/** In place of a name. */
export const nobody = 'nobody'
/** Path of every record of the zone. */
const recordsOf = ({ at }: Stage['services']) => `/zones/${at.zoneId}/dns_records`

const employeesFile = `id,user_name,is_active,is_admin
7,alice,true,false
8,bob,true,false
9,carol,false,false
`

/** A stack of the real CLI, its operator, and the people who sign in. */
export abstract class Deployment {
  readonly services: Stage['services']
  protected readonly stage: Stage
  /** What ends with the story, in order of its start. */
  protected readonly closing: (() => Promise<unknown>)[] = []
  readonly #names: Resolver
  #stack: Stack | undefined
  /** The browser, or why there are no pages. */
  #pages: { readonly browser: Browser } | { readonly problem: string } = {
    problem: 'No browser started yet.',
  }
  #alice: Page | undefined
  /** Id of the record that somebody added by hand. */
  #addedRecord: string | undefined

  constructor(stage: Stage) {
    this.stage = stage
    this.services = stage.services
    this.#names = resolverFor(stage.services.sandbox.description.nameServer)
  }

  /** @param pulumi path of the CLI */
  static async start<Story>(this: new (stage: Stage) => Story, pulumi: string): Promise<Story> {
    await ensureWorker()
    return new this(await Stage.start(pulumi))
  }

  /** What the stack has besides the configuration of every test. */
  protected abstract readonly config: Config
  protected abstract readonly redirectUris: readonly string[]
  /** The origin at which people start. */
  protected abstract readonly origin: string
  /** Where alice wants to go: a path with a query. */
  protected abstract readonly deepLink: string
  /** How many databases outlive the stack. */
  protected abstract readonly databasesLeft: number

  /** Starts what the deployment does not, and checks that the handler answers. */
  protected abstract openHandler(): Promise<readonly Check[]>
  /** Starts the browser that finds the hosts. @throws NoBrowser @throws NoProgram */
  protected abstract openBrowser(): Promise<Browser>
  /** Runs a command of `npm run employees`. Resolves to what it printed. @throws Error */
  protected abstract employees(...command: string[]): Promise<string>
  /** Opens a path without a session, up to the page of the provider. */
  protected abstract visit(page: Page, path: string): Promise<void>
  /** Resolves to the name that the protected page knows, or `nobody`. */
  protected abstract nameSeen(page: Page): Promise<string>
  /** Resolves to what the handler says on the next click of somebody who was deactivated. */
  protected abstract turnedAway(page: Page): Promise<string>
  /** What else is to be seen once alice has signed in. */
  protected async signedIn(_: Page): Promise<readonly Check[]> {
    return []
  }
  /** Hands rotated secrets to the handler, if the deployment does not. */
  protected async renew(): Promise<readonly Check[]> {
    return []
  }
  /** What else the stack leaves behind, or not. */
  protected async left(): Promise<readonly Check[]> {
    return []
  }

  readonly hostname: string = usualHostname
  /** Whether the stack hands over to GitHub. */
  protected readonly handsOver: boolean = true
  /** Name of the stack. */
  protected readonly name: string = 'demo'

  /** Resolves to the names of what was handed to GitHub. */
  protected async handedOver(): Promise<readonly string[]> {
    return Object.keys(this.services.handedOver)
  }

  /** Resolves to the token of the stack, as the scheduled workflow gets it. */
  protected async token(): Promise<string> {
    return this.services.token
  }

  /** Lists the registrations of stacks. */
  async #registrations() {
    if (this.redirectUris.length === 0) return []
    const { value } = await this.services.graph('GET', '/applications')
    const { clientId } = this.services.sandbox.description.entra.deployer
    return (value as readonly Application[]).filter(({ appId }) => appId !== clientId)
  }

  /** Resolves to the client secrets of the registration. */
  protected async clientSecrets(): Promise<readonly string[]> {
    return this.services.clientSecrets
  }

  async lookAround(): Promise<readonly Check[]> {
    return [...(await this.nothingLeft(0)), same('name server', await this.served(this.hostname), [])]
  }

  async deploy(): Promise<readonly Check[]> {
    const rotation = { secretRotationA: daysAgo(90), secretRotationB: daysAgo(30) }
    this.#stack = await this.stage.stack(this.name, { ...rotation, ...this.config })
    await this.stack.up()
    const beyond = (await ask('GET', `${this.services.at.apiUrl}/user/tokens`, await this.token())).status
    return [
      ...(await this.#pointsTo(bootstrapAddress)),
      same(
        'handed to GitHub',
        (await this.handedOver()).toSorted(),
        this.handsOver ? Object.values(handedOver).toSorted() : [],
      ),
      same('token beyond its zone', beyond, 403),
      await this.#redirects(),
    ]
  }

  async open(): Promise<readonly Check[]> {
    const checks = await this.openHandler()
    try {
      const browser = await this.openBrowser()
      this.closing.push(() => browser.close())
      this.#pages = { browser }
    } catch (error) {
      if (!(error instanceof NoProgram || error instanceof NoBrowser)) throw error
      this.#pages = { problem: error.message }
    }
    return [
      ...checks,
      ...(await this.#onPages(async browser => [
        same('a stranger sees', await this.nameSeen(await this.#opened(browser)), nobody),
      ])),
    ]
  }

  async importEmployees(): Promise<readonly Check[]> {
    const file = join(this.services.folder, 'employees.csv')
    await writeFile(file, employeesFile)
    await this.employees('import', file)
    const listed = (await this.employees('list')).split('\n').map(line => line.split('\t'))
    const found = listed.flatMap(([name, , active]) => (active === undefined ? [] : [`${name} (${active})`]))
    return [same('employees', found, ['alice (active)', 'bob (active)', 'carol (inactive)'])]
  }

  async followAddresses(): Promise<readonly Check[]> {
    const checks: Check[] = []
    for (const address of addresses) checks.push(...(await this.#follow(address)))
    return checks
  }

  signIn(): Promise<readonly Check[]> {
    return this.#onPages(async browser => {
      this.#alice = await newPage(browser)
      const { redirectedTo, arrivedAt } = await this.#signInAs(this.#alice, 'alice')
      const { users } = this.services.state.entra
      const alice = users.find(({ userPrincipalName }) => userPrincipalName === 'alice@example.com')
      return [
        same('code sent to', redirectedTo, this.redirectUris[0]),
        same('arrives at', arrivedAt, this.origin + this.deepLink),
        same('page knows', await this.nameSeen(this.#alice), 'alice'),
        shows('bound', await this.employees('list'), new RegExp(`^alice\t.*\tbound to ${alice?.id}$`, 'm')),
        ...(await this.signedIn(this.#alice)),
      ]
    })
  }

  refuse(): Promise<readonly Check[]> {
    return this.#onPages(async browser => {
      const page = await newPage(browser)
      await this.visit(page, this.deepLink)
      await pick(page, 'contractor')
      return [
        shows('refused', await refusal(page), /not in the employee system/),
        same('page knows', await this.nameSeen(page), nobody),
      ]
    })
  }

  async deactivate(): Promise<readonly Check[]> {
    await this.employees('deactivate', 'alice')
    const listed = await this.employees('list')
    const refused = await this.#onPages(async () => {
      const alice = required(this.#alice)
      const told = shows('next click', await this.turnedAway(alice), /.*inactive.*/i)
      return [told, same('page knows', await this.nameSeen(alice), nobody)]
    })
    return [shows('list', listed, /^alice\t.*\tinactive/m), ...refused]
  }

  async rotate(): Promise<readonly Check[]> {
    let bob: Page | undefined
    const before = await this.#onPages(async browser => {
      bob = await newPage(browser)
      const { arrivedAt } = await this.#signInAs(bob, 'bob')
      return [same('bob arrives at', arrivedAt, this.origin + this.deepLink)]
    })
    const oldToken = await this.token()
    const oldSecrets = await this.clientSecrets()
    const hasSecrets = oldSecrets.length > 0
    const rotated = hasSecrets ? { secretRotationA: daysAgo(0) } : {}
    await this.stack.configure({ tokenRotation: 'second', ...rotated })
    await this.stack.up()
    const token = await this.token()
    const clientSecrets = await this.clientSecrets()
    const dead = oldSecrets.filter(secret => !clientSecrets.includes(secret))
    const fresh = clientSecrets.filter(secret => !oldSecrets.includes(secret))
    const clientId = hasSecrets ? await this.stack.output('clientId') : ''
    const statuses = [...dead, ...fresh].map(secret => this.services.trySecret(clientId, secret))
    const refused = await this.act(lastAddress, oldToken)
    const again = (what: string) =>
      this.#onPages(async browser => {
        const { arrivedAt } = await this.#signInAs(await newPage(browser), 'bob')
        return [same(what, arrivedAt, this.origin + this.deepLink)]
      })
    return [
      ...before,
      same('token replaced', token !== oldToken, true),
      same('action with the old one', refused.outputs['reason'], 'token-rejected'),
      ...(await this.#follow(lastAddress)),
      same(
        'client secrets replaced',
        [dead.length, fresh.length, clientSecrets.length],
        hasSecrets ? [1, 1, 2] : [0, 0, 0],
      ),
      same('old and new one answer', await Promise.all(statuses), hasSecrets ? [401, 200] : []),
      ...(await again('bob signs in meanwhile')),
      ...(await this.renew()),
      ...(await again('bob signs in afterwards')),
      ...(await this.#onPages(async () => [
        same("bob's first page knows", await this.nameSeen(required(bob)), 'bob'),
      ])),
    ]
  }

  async findDrift(): Promise<readonly Check[]> {
    const before = await this.#noDrift('before')
    for (const { id, web } of await this.#registrations()) {
      const redirectUris = [...web.redirectUris, 'https://elsewhere.example.net/']
      await this.services.graph('PATCH', `/applications/${id}`, { web: { redirectUris } })
    }
    const hasRedirect = this.redirectUris.length > 0
    const body = { type: 'A', name: this.hostname, content: '192.0.2.66', ttl: 120, proxied: false }
    const { id } = await this.services.api<{ id: string }>('POST', recordsOf(this.services), body)
    this.#addedRecord = id
    const found = await this.stack.drift()
    return [
      before,
      ...(hasRedirect
        ? [shows('redirect URI', found.output, /^The registration has web\.redirectUris = /m)]
        : []),
      shows(
        'record',
        found.output,
        new RegExp(`^There is a record "${id}".* besides the stack's own, `, 'm'),
      ),
      same(
        'in all',
        [found.status, lastLine(found.output)],
        [1, `Stack ${this.name} has ${hasRedirect ? '2 differences' : 'one difference'}.`],
      ),
    ]
  }

  async undoDrift(): Promise<readonly Check[]> {
    await this.services.api('DELETE', `${recordsOf(this.services)}/${required(this.#addedRecord)}`)
    await this.stack.up()
    return [
      await this.#redirects(),
      ...(await this.#pointsTo(lastAddress)),
      await this.#noDrift('npm run drift'),
    ]
  }

  async destroy(): Promise<readonly Check[]> {
    const token = await this.token()
    const { at } = this.services
    await this.stack.must(['destroy', '--yes', '--skip-preview', '--exclude-protected'])
    const refused = (await ask('GET', `${at.apiUrl}${recordsOf(this.services)}`, token)).status
    return [
      ...(await this.nothingLeft(this.databasesLeft)),
      same('its token', refused, 403),
      ...(await this.#pointsTo(lastAddress)),
      ...(await this.left()),
    ]
  }

  async close(): Promise<void> {
    for (const close of this.closing.toReversed()) await close()
    await this.stage.close()
  }

  protected get stack(): Stack {
    return required(this.#stack)
  }

  /** Returns the IPv4 addresses that the name server has for a name. */
  protected async served(name: string): Promise<readonly string[]> {
    try {
      return await this.#names.resolve4(name)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'ENOTFOUND' || code === 'ENODATA') return []
      throw error
    }
  }

  /** Runs `npm run after-up` with outputs of the stack, and checks that it succeeds. */
  protected async afterUp(environment: NodeJS.ProcessEnv, ...args: readonly string[]): Promise<Check> {
    const { status, output } = await this.stack.afterUp(args, environment)
    return { what: 'npm run after-up', good: status === 0, detail: status === 0 ? 'done' : output }
  }

  /** Opens the start page as somebody who has no session. */
  async #opened(browser: Browser): Promise<Page> {
    const page = await newPage(browser)
    await page.goto(`${this.origin}/`)
    return page
  }

  /** Runs checks in the browser. Without one, says why. */
  async #onPages(checks: (browser: Browser) => Promise<readonly Check[]>): Promise<readonly Check[]> {
    if ('browser' in this.#pages) return checks(this.#pages.browser)
    return [{ what: 'no pages', good: true, detail: this.#pages.problem }]
  }

  /**
   * Signs in with an account of the provider, and waits for the deep link.
   * @returns where the provider sent the code to, without its query, and where the visitor arrived
   */
  async #signInAs(page: Page, name: string): Promise<{ redirectedTo: string; arrivedAt: string }> {
    await this.visit(page, this.deepLink)
    const redirected = page.waitForRequest(request => /[?&]code=/.test(request.url()))
    await pick(page, name)
    const { origin, pathname } = new URL((await redirected).url())
    await page.waitForURL(this.origin + this.deepLink)
    return { redirectedTo: origin + pathname, arrivedAt: page.url() }
  }

  /** Checks that `npm run drift` finds nothing. */
  async #noDrift(what: string): Promise<Check> {
    const { status, output } = await this.stack.drift()
    return same(
      what,
      [status, lastLine(output)],
      [0, `No drift: stack ${this.name} is as the last run left it.`],
    )
  }

  /** Checks that there is one registration, with the redirect URIs of the stack. */
  async #redirects(): Promise<Check> {
    const registrations = await this.#registrations()
    const found = registrations.flatMap(({ web }) => web.redirectUris).toSorted()
    return same('redirect URIs', found, this.redirectUris)
  }

  /** Checks that no resource of any kind exists, except the protected record and some databases. */
  protected async nothingLeft(databases: number): Promise<readonly Check[]> {
    const { state, handedOver, at } = this.services
    const countOf = async (path: string) =>
      (await this.services.api<readonly unknown[]>('GET', `/accounts/${at.accountId}/${path}`)).length
    return [
      same('Workers', await countOf('workers/scripts'), 0),
      same('domains', await countOf('workers/domains'), 0),
      same('databases', await countOf('d1/database'), databases),
      same('tokens', await countOf('tokens'), 0),
      same('registrations', state.entra.applications.length, 0),
      same('service principals', state.entra.servicePrincipals.length, 0),
      same('handed to GitHub', Object.keys(handedOver).length, 0),
    ]
  }

  /** Checks that the record has an address and no other change, and that the name server serves it. */
  async #pointsTo(address: string): Promise<readonly Check[]> {
    const path = `${recordsOf(this.services)}?type=A&name=${this.hostname}`
    const records = await this.services.api<readonly LiveRecord[]>('GET', path)
    const found = records.map(
      ({ content, ttl, proxied }) => `${content} ttl ${ttl}${proxied ? ' proxied' : ''}`,
    )
    return [
      same('record', found, [`${address} ttl 120`]),
      same('name server', await this.served(this.hostname), [address]),
    ]
  }

  /** Changes the address, and checks that the action follows it. */
  async #follow(address: string): Promise<readonly Check[]> {
    const { status, outputs, log } = await this.act(address, await this.token())
    const action = same('action', [outputs['result'], outputs['address']], ['updated', address])
    return [
      status === 0 ? action : { ...action, good: false, detail: log },
      ...(await this.#pointsTo(address)),
    ]
  }

  /** Changes the address, and runs the shipped action with a token and the scheduled workflow's variables from GitHub. */
  protected act(address: string, token: string): Promise<StepRun> {
    const { handedOver, sandbox } = this.services
    const { nameServer } = sandbox.description
    sandbox.control.setState({ echo: { address } })
    return runFrom(sandbox.description, {
      'api-token': token,
      'zone-id': handedOver['HOMEPORT_ZONE_ID'] ?? '',
      hostname: handedOver['HOMEPORT_HOSTNAME'] ?? '',
      verify: 'dns',
      'name-servers': `${nameServer.host}:${nameServer.port}`,
    })
  }
}

export function required<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('An earlier step of the story has not run.')
  return value
}

const lastLine = (output: string): string => output.trim().split('\n').at(-1) ?? ''
