import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { daysAgo } from '../../test/support/configuration.ts'
import type { Outputs } from '../../test/support/deployed-stack.ts'
import { demoHosts, publicOrigin } from '../../test/support/deployment.ts'
import { ask } from '../../test/support/services.ts'
import { newPage, pick, press, refusal, startBrowser } from './browser.ts'
import { type Check, same, shows } from './check.ts'
import { lastLine, required, Scene, type Step } from './scene.ts'

/** The story from an empty sandbox to an empty sandbox. Each step needs the ones before it. */
export const journeySteps: readonly Step<Journey>[] = [
  { title: 'The services are empty', run: journey => journey.lookAround() },
  { title: 'The operator deploys the stack', run: journey => journey.deploy() },
  { title: 'The uploaded Worker runs at its domain, with its database', run: journey => journey.open() },
  { title: 'The operator imports employees', run: journey => journey.importEmployees() },
  {
    title: 'The action follows three changes of the address, with the token of the stack',
    run: journey => journey.followAddresses(),
  },
  { title: 'alice signs in and lands where she came from', run: journey => journey.signIn() },
  { title: 'The operator deactivates alice', run: journey => journey.deactivate() },
  {
    title: 'The operator rotates the token and a client secret, and everything keeps working',
    run: journey => journey.rotate(),
  },
  { title: 'npm run drift finds what somebody changed by hand', run: journey => journey.findDrift() },
  { title: 'The operator follows its instructions', run: journey => journey.undoDrift() },
  {
    title: 'The operator destroys the stack, and the protected record and the employees are left',
    run: journey => journey.destroy(),
  },
]

// RFC 5737 reserves these addresses for documentation.
const bootstrapAddress = '192.0.2.1'
const addresses = ['203.0.113.10', '198.51.100.20', '203.0.113.77'] as const
const lastAddress = '198.51.100.99'
const cameFrom = '/dashboard?week=47'

const employeesFile = `id,user_name,is_active,is_admin
7,alice,true,false
8,bob,true,false
9,carol,false,false
`

/** What the steps of the story share. */
export class Journey extends Scene {
  #outputs: Outputs | undefined
  #browser: Browser | undefined
  #alice: Page | undefined
  /** Id of the record that somebody added by hand. */
  #addedRecord: string | undefined

  override async close(): Promise<void> {
    await this.#browser?.close()
    await super.close()
  }

  async lookAround(): Promise<readonly Check[]> {
    return [...(await this.nothingLeft()), same('name server', await this.served(demoHosts.dynamic), [])]
  }

  async deploy(): Promise<readonly Check[]> {
    const { redirectUri } = await this.#up()
    const { handedOver, token, at } = this.deployment
    const beyond = (await ask('GET', `${at.apiUrl}/user/tokens`, token)).status
    return [
      ...(await this.pointsTo(bootstrapAddress)),
      same('handed to GitHub', Object.keys(handedOver).toSorted(), [
        'CLOUDFLARE_DNS_TOKEN',
        'HOMEPORT_HOSTNAME',
        'HOMEPORT_RECORD_TYPE',
        'HOMEPORT_ZONE_ID',
      ]),
      same('token beyond its zone', beyond, 403),
      this.redirectsTo(redirectUri),
    ]
  }

  async open(): Promise<readonly Check[]> {
    const { apiUrl } = this.deployment.at
    const outputs = JSON.stringify(this.#deployed)
    const migrated = await this.afterUp(outputs, [], { CLOUDFLARE_API_URL: apiUrl })
    const health = await this.deployment.askWorker(publicOrigin, '/healthz')
    const login = await this.deployment.askWorker(publicOrigin, '/api/auth/login-url')
    const { url } = JSON.parse(login.body) as { url: string }
    const redirectUri = new URL(url).searchParams.get('redirect_uri')
    return [
      migrated,
      same(`${demoHosts.signIn}/healthz`, [health.status, health.body], [200, '{"status":"ok"}']),
      same('redirect URI', redirectUri, this.#deployed['redirectUri']),
    ]
  }

  async importEmployees(): Promise<readonly Check[]> {
    const file = join(this.deployment.folder, 'employees.csv')
    await writeFile(file, employeesFile)
    const status = await this.#employees('import', file)
    const found = await this.#query<{ user_name: string; is_active: number }>(
      'SELECT user_name, is_active FROM employees ORDER BY user_name',
    )
    const names = found.map(({ user_name, is_active }) => `${user_name}${is_active ? '' : ' (inactive)'}`)
    return [
      same('npm run employees', status, 0),
      same('in the database', names, ['alice', 'bob', 'carol (inactive)']),
    ]
  }

  async followAddresses(): Promise<readonly Check[]> {
    const checks: Check[] = []
    for (const address of addresses) checks.push(...(await this.follow(address)))
    return checks
  }

  async signIn(): Promise<readonly Check[]> {
    const { https, ca } = this.deployment.sandbox.description
    this.#browser = await startBrowser([demoHosts.signIn], `${https.host}:${https.port}`, ca)
    this.#alice = await newPage(this.#browser)
    const { redirectedTo, arrivedAt } = await signIn(this.#alice, 'alice')
    const bindings = await this.#query<Readonly<Record<string, string>>>(
      'SELECT employee_id, directory_id FROM homeport_bindings',
    )
    const { users } = this.deployment.state.entra
    const alice = users.find(({ userPrincipalName }) => userPrincipalName === 'alice@example.com')
    return [
      same('code sent to', redirectedTo, this.#deployed['redirectUri']),
      same('arrives at', arrivedAt, `${publicOrigin}${cameFrom}`),
      same('session', await whoAmI(this.#alice), '200 alice'),
      same('bound in the database', bindings, [{ employee_id: '7', directory_id: alice?.id }]),
    ]
  }

  async deactivate(): Promise<readonly Check[]> {
    const alice = required(this.#alice)
    const status = await this.#employees('deactivate', 'alice')
    const session = await whoAmI(alice)
    await alice.goto(`${publicOrigin}/`)
    await press(alice, 'Sign in')
    return [
      same('npm run employees', status, 0),
      same('session', session, '401'),
      same('signs in again', await refusal(alice), 'Your account is inactive'),
    ]
  }

  async rotate(): Promise<readonly Check[]> {
    const { token: oldToken, clientSecrets: oldSecrets } = this.deployment
    await this.stack.configure({ tokenRotation: 'second', secretRotationA: daysAgo(0) })
    const { clientId = '' } = await this.#up()
    const { clientSecrets, token } = this.deployment
    const dead = oldSecrets.filter(secret => !clientSecrets.includes(secret))
    const fresh = clientSecrets.filter(secret => !oldSecrets.includes(secret))
    const statuses = [...dead, ...fresh].map(secret => this.deployment.trySecret(clientId, secret))
    const refused = await this.act(lastAddress, oldToken)
    const bob = await newPage(required(this.#browser))
    const { arrivedAt } = await signIn(bob, 'bob')
    return [
      same('token replaced', token !== oldToken, true),
      same('action with the old one', refused.outputs['reason'], 'token-rejected'),
      ...(await this.follow(lastAddress)),
      same('client secrets replaced', [dead.length, fresh.length, clientSecrets.length], [1, 1, 2]),
      same('old and new one answer', await Promise.all(statuses), [401, 200]),
      same('bob arrives at', arrivedAt, `${publicOrigin}${cameFrom}`),
      same('session', await whoAmI(bob), '200 bob'),
    ]
  }

  async findDrift(): Promise<readonly Check[]> {
    const before = await this.noDrift('before')
    this.addRedirectUri('https://elsewhere.example.net/')
    const body = { type: 'A', name: demoHosts.dynamic, content: '192.0.2.66', ttl: 120, proxied: false }
    const { id } = await this.deployment.api<{ id: string }>('POST', this.#records, body)
    this.#addedRecord = id
    const found = await this.drift()
    const added = new RegExp(`^There is a record "${id}".* besides the stack's own, `, 'm')
    return [
      before,
      shows('redirect URI', found.output, /^The registration has web\.redirectUris = .* instead of .*\./m),
      shows('record', found.output, added),
      same(
        'in all',
        [found.status, lastLine(found.output)],
        [1, `Stack ${this.stack.name} has 2 differences.`],
      ),
    ]
  }

  async undoDrift(): Promise<readonly Check[]> {
    await this.deployment.api('DELETE', `${this.#records}/${required(this.#addedRecord)}`)
    const { redirectUri } = await this.#up()
    const after = await this.noDrift('npm run drift')
    return [this.redirectsTo(redirectUri), ...(await this.pointsTo(lastAddress)), after]
  }

  async destroy(): Promise<readonly Check[]> {
    const { token, at } = this.deployment
    await this.stack.destroy()
    const refused = (await ask('GET', `${at.apiUrl}${this.#records}`, token)).status
    const rows = await this.#query<{ user_name: string }>('SELECT user_name FROM employees ORDER BY 1')
    const left = rows.map(({ user_name }) => user_name)
    return [
      ...(await this.nothingLeft(1)),
      same('employees', left, ['alice', 'bob', 'carol']),
      same('its token', refused, 403),
      ...(await this.pointsTo(lastAddress)),
      same(demoHosts.signIn, await this.served(demoHosts.signIn), []),
    ]
  }

  /** Path of the zone's records. */
  get #records(): string {
    return `/zones/${this.deployment.at.zoneId}/dns_records`
  }

  get #deployed(): Outputs {
    return required(this.#outputs)
  }

  async #up(): Promise<Outputs> {
    this.#outputs = await this.stack.up()
    return this.#outputs
  }

  /** Runs `npm run employees` against the stack's database. Resolves to its exit status. */
  #employees(...command: string[]): Promise<number> {
    const { accountId, adminToken, apiUrl } = this.deployment.at
    const environment = {
      CLOUDFLARE_ACCOUNT_ID: accountId,
      CLOUDFLARE_API_TOKEN: adminToken,
      CLOUDFLARE_API_URL: apiUrl,
      D1_DATABASE_ID: this.#deployed['databaseId'],
    }
    return this.runEmployees(command, environment)
  }

  /** Returns the rows that a statement finds in the stack's database. */
  async #query<Row>(sql: string): Promise<readonly Row[]> {
    const { accountId } = this.deployment.at
    const path = `/accounts/${accountId}/d1/database/${this.#deployed['databaseId']}/query`
    const [first] = await this.deployment.api<{ results: Row[] }[]>('POST', path, { sql })
    return first?.results ?? []
  }
}

/**
 * Signs in with an account of the provider, and waits for the page that the visitor came from.
 * @returns where the provider sent the code to, without its query, and where the visitor arrived
 */
async function signIn(page: Page, name: string): Promise<{ redirectedTo: string; arrivedAt: string }> {
  await page.goto(`${publicOrigin}/?return=${cameFrom}`)
  await press(page, 'Sign in')
  const redirected = page.waitForRequest(request => /[?&]code=/.test(request.url()))
  await pick(page, name)
  const { origin, pathname } = new URL((await redirected).url())
  await page.waitForURL(`${publicOrigin}${cameFrom}`)
  return { redirectedTo: origin + pathname, arrivedAt: page.url() }
}

/** Asks the handler who is signed in. Resolves to the status and, if it is 200, the name. */
function whoAmI(page: Page): Promise<string> {
  return page.evaluate<string>(
    `fetch('/api/session').then(async answer =>
      answer.ok ? answer.status + ' ' + (await answer.json()).user.username : String(answer.status))`,
  )
}
