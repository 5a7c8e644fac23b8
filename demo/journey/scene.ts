import { runEmployeesCommand } from '../../src/operator/cli.ts'
import type { DeployedStack } from '../../test/support/deployed-stack.ts'
import { Deployment, type Ran } from '../../test/support/deployment.ts'
import { embeddedStack } from '../../test/support/embedded-stack.ts'
import type { Check } from './check.ts'
import { cliStack } from './cli-stack.ts'
import { Observer } from './observer.ts'

/** One step of a story. */
export interface Step<Story> {
  readonly title: string
  run(story: Story): Promise<readonly Check[]>
}

/** Where a story happens: the services, the stack, and the commands of its operator. */
export class Scene {
  readonly stack: DeployedStack
  readonly deployment: Deployment
  readonly observer: Observer

  constructor(deployment: Deployment, stack: DeployedStack) {
    this.stack = stack
    this.deployment = deployment
    this.observer = new Observer(deployment)
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
    const { directory: cwd, environment, name } = this.stack
    const { token, baseUrl } = this.deployment.sandbox.description.github
    const env = { ...environment, GITHUB_TOKEN: token, GITHUB_API_URL: baseUrl }
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
