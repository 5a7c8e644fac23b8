import type { Resolver } from 'node:dns/promises'
import type { DeployedStack } from '../../test/support/deployed-stack.ts'
import { demoHosts, runScript } from '../../test/support/deployment.ts'
import { embeddedStack } from '../../test/support/embedded-stack.ts'
import { type LiveRecord, Services } from '../../test/support/engine/services.ts'
import type { StepRun } from '../../test/support/runner.ts'
import { resolverFor, runFrom } from '../followed-record.ts'
import { runEmployees } from '../sign-in-service.ts'
import { type Check, same } from './check.ts'
import { cliStack } from './cli-stack.ts'

/** One step of a story. */
export interface Step<Story> {
  readonly title: string
  run(story: Story): Promise<readonly Check[]>
}

/** Where a story happens: the services, the stack, the commands of its operator, and what can be seen from outside. */
export class Scene {
  readonly stack: DeployedStack
  readonly deployment: Services
  readonly #names: Resolver

  constructor(deployment: Services, stack: DeployedStack) {
    this.stack = stack
    this.deployment = deployment
    this.#names = resolverFor(deployment.sandbox.description.nameServer)
  }

  /** @param pulumi path of the real CLI; without it, the embedded engine runs the program */
  static async start<Story>(
    this: new (
      deployment: Services,
      stack: DeployedStack,
    ) => Story,
    pulumi?: string,
  ): Promise<Story> {
    const deployment = await Services.start()
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

  drift() {
    const { directory: cwd, environment: env, name } = this.stack
    return runScript('infra/doctor/doctor.ts', ['drift', '--stack', name], { cwd, env })
  }

  /** Checks that `npm run drift` finds nothing. */
  async noDrift(what: string): Promise<Check> {
    const { status, output } = await this.drift()
    const clean = `No drift: stack ${this.stack.name} is as the last run left it.`
    return same(what, [status, lastLine(output)], [0, clean])
  }

  /** Checks that `npm run after-up` succeeds with the outputs of the stack. */
  async afterUp(outputs: string, args: readonly string[] = [], more: NodeJS.ProcessEnv = {}): Promise<Check> {
    const { directory: cwd, environment } = this.stack
    const place = { cwd, env: { ...environment, ...more }, input: outputs }
    const all = [...args, '--outputs', '-']
    const { status, problem } = await runScript('infra/after-up.ts', all, place)
    return same('npm run after-up', [status, problem], [0, ''])
  }

  /** Runs `npm run employees`. Resolves to its exit status. */
  runEmployees(command: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> {
    return runEmployees([...command, '--operator', 'journey'], environment)
  }

  /** Checks that there is one registration, with these redirect URIs. */
  redirectsTo(...wanted: readonly unknown[]): Check {
    const found = this.deployment.state.entra.applications.map(({ web }) => web.redirectUris.toSorted())
    return same('redirect URIs', found, [wanted])
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
    const { state, handedOver, at } = this.deployment
    const countOf = async (path: string) =>
      (await this.deployment.api<readonly unknown[]>('GET', `/accounts/${at.accountId}/${path}`)).length
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

  async close(): Promise<void> {
    await this.stack.close()
    await this.deployment.close()
  }
}

export function required<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('An earlier step of the journey has not run.')
  return value
}

export const lastLine = (output: string): string => output.split('\n').at(-1) ?? ''
