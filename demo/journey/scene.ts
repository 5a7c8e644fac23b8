import { Resolver } from 'node:dns/promises'
import { runEmployeesCommand } from '../../src/operator/cli.ts'
import type { DeployedStack } from '../../test/support/deployed-stack.ts'
import { Deployment, demoHosts, type Ran } from '../../test/support/deployment.ts'
import { embeddedStack } from '../../test/support/embedded-stack.ts'
import { runAction, type StepRun } from '../../test/support/runner.ts'
import { type Check, same } from './check.ts'
import { cliStack } from './cli-stack.ts'

/** One step of a story. */
export interface Step<Story> {
  readonly title: string
  run(story: Story): Promise<readonly Check[]>
}

interface LiveRecord {
  readonly content: string
  readonly ttl: number
  readonly proxied: boolean
}

/** Where a story happens: the services, the stack, the commands of its operator, and what can be seen from outside. */
export class Scene {
  readonly stack: DeployedStack
  readonly deployment: Deployment
  readonly #names = new Resolver({ timeout: 2000, tries: 2 })

  constructor(deployment: Deployment, stack: DeployedStack) {
    this.stack = stack
    this.deployment = deployment
    const { host, port } = deployment.sandbox.description.nameServer
    this.#names.setServers([`${host}:${port}`])
  }

  /** @param pulumi path of the real CLI; without it, the embedded engine runs the program */
  static async start<Story>(
    this: new (
      deployment: Deployment,
      stack: DeployedStack,
    ) => Story,
    pulumi?: string,
  ): Promise<Story> {
    const deployment = await Deployment.start()
    try {
      return new this(
        deployment,
        await (pulumi === undefined ? embeddedStack(deployment) : cliStack(deployment, pulumi)),
      )
    } catch (error) {
      await deployment.close()
      throw error
    }
  }

  /** The last line of `npm run drift` if nothing differs. */
  get clean(): string {
    return `No drift: stack ${this.stack.name} is as the last run left it.`
  }

  drift(): Promise<Ran> {
    const { directory: cwd, environment: env, name } = this.stack
    return this.deployment.run('infra/doctor/doctor.ts', ['drift', '--stack', name], { cwd, env })
  }

  /** Runs `npm run employees`. Resolves to its exit status. */
  runEmployees(command: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> {
    const problem = (text: string) => void process.stderr.write(`${text}\n`)
    const output = { line: () => undefined, problem, log: () => undefined }
    return runEmployeesCommand([...command, '--operator', 'journey'], environment, output)
  }

  /** Adds a redirect URI to the registration, as somebody with access to the tenant can. */
  addRedirectUri(added: string): void {
    const applications = this.deployment.state.entra.applications.map(application => {
      const { web } = application
      return { ...application, web: { ...web, redirectUris: [...web.redirectUris, added] } }
    })
    this.deployment.sandbox.control.setState({ entra: { applications } })
  }

  /** Checks that no resource of any kind exists, except the protected record and the given number of databases. */
  async nothingLeft(databases = 0): Promise<readonly Check[]> {
    const { state, handedOver } = this.deployment
    const account = `/accounts/${this.deployment.at.accountId}`
    const paths = {
      Workers: 'workers/scripts',
      domains: 'workers/domains',
      databases: 'd1/database',
      tokens: 'tokens',
    }
    const listed = Object.entries(paths).map(async ([kind, path]) => {
      const all = await this.deployment.api<readonly unknown[]>('GET', `${account}/${path}`)
      return [kind, all.length] as const
    })
    const counts = [
      ...(await Promise.all(listed)),
      ['registrations', state.entra.applications.length] as const,
      ['service principals', state.entra.servicePrincipals.length] as const,
      ['handed to GitHub', Object.keys(handedOver).length] as const,
    ]
    return counts.map(([kind, count]) => same(kind, count, kind === 'databases' ? databases : 0))
  }

  /** Checks that the record has an address and no other change, and that the name server serves it. */
  async pointsTo(address: string): Promise<readonly Check[]> {
    const path = `/zones/${this.deployment.at.zoneId}/dns_records?type=A&name=${demoHosts.dynamic}`
    const records = await this.deployment.api<readonly LiveRecord[]>('GET', path)
    const found = records.map(
      ({ content, ttl, proxied }) => `${content} ttl ${ttl}${proxied ? ' proxied' : ''}`,
    )
    return [
      same('record', found, [`${address} ttl 120`]),
      same('name server', await this.served(demoHosts.dynamic), [address]),
    ]
  }

  /** Returns the IPv4 addresses that the name server has for a name. */
  async served(name: string): Promise<readonly string[]> {
    try {
      return await this.#names.resolve4(name)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'ENOTFOUND' || code === 'ENODATA') return []
      throw error
    }
  }

  /** Changes the address, and checks that the action follows it. */
  async follow(address: string): Promise<readonly Check[]> {
    const { status, outputs, log } = await this.act(address, this.deployment.token)
    const action = same('action', [outputs['result'], outputs['address']], ['updated', address])
    return [
      status === 0 ? action : { ...action, good: false, detail: log },
      ...(await this.pointsTo(address)),
    ]
  }

  /** Changes the address, and runs the shipped action with a token and the scheduled workflow's variables from GitHub. */
  async act(address: string, token: string): Promise<StepRun> {
    const { handedOver, sandbox } = this.deployment
    const { cloudflare, control, echo, nameServer } = sandbox.description
    await fetch(`${control}/echo`, { method: 'PUT', body: JSON.stringify({ address }) })
    return runAction({
      'api-token': token,
      'zone-id': handedOver['HOMEPORT_ZONE_ID'] ?? '',
      hostname: handedOver['HOMEPORT_HOSTNAME'] ?? '',
      'address-sources': echo.join('\n'),
      'base-url': cloudflare.baseUrl,
      'allow-reserved-address': 'true',
      'mask-address': 'false',
      verify: 'dns',
      'name-servers': `${nameServer.host}:${nameServer.port}`,
    })
  }

  async close(): Promise<void> {
    await this.stack.close()
    await this.deployment.close()
  }
}

export function required<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('An earlier step of the journey has not run.')
  return value
}

export const lastLine = ({ output }: Ran): string => output.split('\n').at(-1) ?? ''
