import { delimiter, dirname, join } from 'node:path'
import { hashPassword } from '../../../push/passwords.ts'
import { root } from '../../../tools/bundle.ts'
import { PulumiProject, type Run } from '../../../tools/pulumi-project.ts'
import { minimalConfig, sessionKeys } from '../configuration.ts'
import { runEmployees } from '../employees.ts'
import { environmentName, Services } from './services.ts'

/** Configuration of a stack by key; undefined removes a key. */
export type Config = Readonly<Record<string, string | undefined>>

export const hostname = 'dyn.example.com'
export const publicOrigin = 'https://people.example.com'
export const pushHost = 'push.example.com'
/** Of a router, for the push endpoint. */
export const routerPassword = 'abcdefghijklmnopqrstuvwx23'

/** Options of commands that the policies judge. */
export const policies = ['--policy-pack', join(root, 'infra/policy')] as const

/** The CLI and the emulated services that it deploys to. */
export class Stage {
  readonly services: Services
  readonly project: PulumiProject

  readonly #pulumi: string

  private constructor(services: Services, project: PulumiProject, pulumi: string) {
    this.services = services
    this.project = project
    this.#pulumi = pulumi
  }

  /** @param given by default a sandbox */
  static async start(pulumi: string, given?: Services, isReal = false): Promise<Stage> {
    const services = given ?? (await Services.start())
    const { authority, folder, sandbox } = services
    const options = { pulumi, folder, sandbox: sandbox.description, authority, isReal }
    return new Stage(services, await PulumiProject.create(options), pulumi)
  }

  /** Creates a stack with a complete configuration and the given changes. */
  async stack(name = 'dev', config: Config = {}): Promise<Stack> {
    const stack = new Stack(this, name)
    await stack.must(['stack', 'init', name])
    const { accountId, zoneId, apiUrl } = this.services.at
    const { instance, graphUrl } = this.services.sandbox.description.entra
    const { baseUrl, owner, repository } = this.services.sandbox.description.github
    await stack.configure({
      ...minimalConfig,
      'cloudflare:baseUrl': apiUrl,
      'github:baseUrl': baseUrl,
      zoneId,
      accountId,
      tokenOwner: 'account',
      hostname,
      publicOrigin,
      instance: instance.replace(/\/$/, ''),
      graphUrl,
      repository: `${owner}/${repository}`,
      environment: environmentName,
      ...config,
    })
    const secrets = {
      sessionKeys,
      mintingApiToken: this.services.at.adminToken,
      'github:token': this.services.sandbox.description.github.token,
    }
    // A key that the changes remove is not set.
    const kept = Object.entries(secrets).filter(([key]) => !Object.hasOwn(config, key))
    await stack.configureSecrets(Object.fromEntries(kept))
    return stack
  }

  /** Runs a line of a terminal in the project, with the CLI on PATH. @throws Error with its output if it fails */
  async shell(line: string): Promise<string> {
    const { PATH = '' } = this.project.environment
    const environment = {
      PATH: [dirname(this.#pulumi), PATH].join(delimiter),
      PULUMI_SKIP_CONFIRMATIONS: 'true',
    }
    const { status, output } = await this.project.run('bash', ['-c', line], environment)
    if (status !== 0) throw new Error(`${line} ended with ${status}:\n${output}`)
    return output
  }

  async close(): Promise<void> {
    await this.services.close()
  }
}

/** A stack of the project. */
export class Stack {
  readonly stage: Stage
  readonly name: string

  constructor(stage: Stage, name: string) {
    this.stage = stage
    this.name = name
  }

  run(args: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<Run> {
    const selected = args[0] === 'stack' && args[1] === 'init' ? [] : ['--stack', this.name]
    return this.stage.project.pulumi([...args, ...selected], environment)
  }

  /** Runs a command. @throws Error with its output if its status is not 0 */
  async must(args: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<string> {
    const { status, output } = await this.run(args, environment)
    if (status !== 0) throw new Error(`pulumi ${args.join(' ')} ended with ${status}:\n${output}`)
    return output
  }

  /** Runs `npm run drift` in the project. */
  drift(): Promise<Run> {
    const script = [join(root, 'infra/drift/drift.ts'), '--stack', this.name]
    return this.stage.project.run(process.execPath, script)
  }

  /** Runs `npm run after-up` in the project. */
  afterUp(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<Run> {
    const script = [join(root, 'infra/after-up.ts'), '--stack', this.name, ...args]
    return this.stage.project.run(process.execPath, script, environment)
  }

  /** Runs `pulumi up` without a preview, otherwise as the pages do. */
  up(...args: string[]): Promise<string> {
    return this.must(['up', '--yes', '--skip-preview', ...args])
  }

  tryUp(...args: string[]): Promise<Run> {
    return this.run(['up', '--yes', '--skip-preview', ...args])
  }

  async configure(config: Config): Promise<void> {
    const given = Object.entries(config).filter(([, value]) => value !== undefined)
    const gone = Object.keys(config).filter(key => config[key] === undefined)
    if (given.length > 0) await this.#setAll('plaintext', given)
    if (gone.length > 0) await this.must(['config', 'rm-all', ...gone])
  }

  configureSecrets(config: Readonly<Record<string, string>>): Promise<string> {
    return this.#setAll('secret', Object.entries(config))
  }

  #setAll(kind: 'plaintext' | 'secret', pairs: readonly (readonly [string, string | undefined])[]) {
    return this.must([
      'config',
      'set-all',
      ...pairs.flatMap(([key, value]) => [`--${kind}`, `${key}=${value}`]),
    ])
  }

  /** Configures the push endpoint, with a password for a hostname. */
  async configurePush(): Promise<void> {
    await this.configure({ push: 'worker', pushOrigin: `https://${pushHost}` })
    await this.configureSecrets({ pushHosts: `${hostname} A sha256:${await hashPassword(routerPassword)}` })
  }

  /** Runs a command of `npm run employees` against the database that the stack deployed. @throws Error if it fails */
  async employees(...command: string[]): Promise<string> {
    const { accountId, adminToken, apiUrl } = this.stage.services.at
    return runEmployees(command, {
      CLOUDFLARE_ACCOUNT_ID: accountId,
      CLOUDFLARE_API_TOKEN: adminToken,
      CLOUDFLARE_API_URL: apiUrl,
      D1_DATABASE_ID: await this.output('databaseId'),
    })
  }

  async output(name: string): Promise<string> {
    return (await this.must(['stack', 'output', name, '--show-secrets'])).trim()
  }
}
