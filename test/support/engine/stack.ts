import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, delimiter, dirname, join } from 'node:path'
import { root } from '../../../tools/bundle.ts'
import { environmentName, Services } from './services.ts'

/** The result of a CLI command. */
export interface Run {
  readonly status: number | null
  /** Both streams in order of arrival. */
  readonly output: string
}

/** Configuration of a stack by key; undefined removes a key. */
export type Config = Readonly<Record<string, string | undefined>>

export interface StageOptions {
  /** Folder with the Pulumi.yaml of another program than the repository's. */
  readonly project?: string
}

const commandTimeoutMs = 180_000
export const passphrase = 'correct horse battery staple'
export const hostname = 'dyn.example.com'
export const publicOrigin = 'https://people.example.com'
export const sessionKeys = 'k1:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8'
const dayMs = 24 * 3600 * 1000

/** Returns the date a number of days ago, as the configuration takes it. */
export const daysAgo = (days: number): string =>
  new Date(Date.now() - days * dayMs).toISOString().slice(0, 10)

/** Folders of the executables that are found by name. Only a CLI built from Go has no language host beside it. */
export function searchPath(pulumi: string): string {
  const beside = dirname(pulumi)
  const hasHost = existsSync(join(beside, 'pulumi-language-nodejs'))
  return [
    join(root, 'sandbox/pulumi/plugins/bin'),
    ...(hasHost ? [] : [join(root, 'sandbox/pulumi/language-host/bin')]),
    dirname(process.execPath),
    beside,
    process.env['PATH'] ?? '',
  ].join(delimiter)
}

/**
 * The CLI with its own home, state and project folder. The project has a copy of the repository's Pulumi.yaml and links to
 * everything else. The output of commands is stored beside the state.
 */
export class Stage {
  readonly folder: string
  readonly project: string
  readonly services: Services
  readonly #pulumi: string
  #commands = 0

  private constructor(folder: string, services: Services, pulumi: string) {
    this.folder = folder
    this.project = join(folder, 'project')
    this.services = services
    this.#pulumi = pulumi
  }

  static async start(pulumi: string, { project }: StageOptions = {}): Promise<Stage> {
    const folder = await mkdtemp(join(tmpdir(), 'homeport-engine-'))
    for (const name of ['home', 'state', 'project', 'output']) await mkdir(join(folder, name))
    const stage = new Stage(folder, await Services.start(folder), pulumi)
    await stage.#makeProject(project)
    return stage
  }

  async #makeProject(given: string | undefined): Promise<void> {
    if (given !== undefined) {
      await cp(given, this.project, { recursive: true })
      await symlink(join(root, 'node_modules'), join(this.project, 'node_modules'))
      return
    }
    await cp(join(root, 'Pulumi.yaml'), join(this.project, 'Pulumi.yaml'))
    for (const name of ['infra', 'src', 'build', 'node_modules', 'package.json']) {
      await symlink(join(root, name), join(this.project, name))
    }
  }

  /** Returns the environment of a command. Only PATH comes from this machine. */
  #environment(): NodeJS.ProcessEnv {
    const { deployer, tenantId } = this.services.sandbox.description.entra
    return {
      PATH: searchPath(this.#pulumi),
      HOME: join(this.folder, 'home'),
      PULUMI_HOME: join(this.folder, 'home'),
      PULUMI_BACKEND_URL: `file://${join(this.folder, 'state')}`,
      PULUMI_CONFIG_PASSPHRASE: passphrase,
      PULUMI_SKIP_UPDATE_CHECK: 'true',
      PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: 'true',
      NO_COLOR: '1',
      SSL_CERT_FILE: this.services.authority,
      CLOUDFLARE_API_TOKEN: this.services.at.adminToken,
      ARM_METADATA_HOSTNAME: this.services.sandbox.description.entra?.metadataHost,
      ARM_TENANT_ID: tenantId,
      ARM_CLIENT_ID: deployer.clientId,
      ARM_CLIENT_SECRET: deployer.clientSecret,
      ARM_USE_CLI: 'false',
    }
  }

  /**
   * Runs a CLI command.
   * @param environment variables that differ from the default; undefined removes one
   * @param started gets the process id
   */
  async pulumi(
    args: readonly string[],
    environment: NodeJS.ProcessEnv = {},
    started: (pid: number) => void = () => undefined,
  ): Promise<Run> {
    return this.#run(this.#pulumi, [...args, '--non-interactive'], environment, started)
  }

  /** Runs `npm run drift` in the project. */
  drift(args: readonly string[]): Promise<Run> {
    return this.#run(process.execPath, [join(root, 'infra/drift.ts'), ...args])
  }

  async #run(
    program: string,
    args: readonly string[],
    environment: NodeJS.ProcessEnv = {},
    started: (pid: number) => void = () => undefined,
  ): Promise<Run> {
    const child = spawn(program, args, {
      cwd: this.project,
      env: { ...this.#environment(), ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: commandTimeoutMs,
      killSignal: 'SIGKILL',
    })
    if (child.pid !== undefined) started(child.pid)
    let output = ''
    const collect = (chunk: string) => {
      output += chunk
    }
    child.stdout.setEncoding('utf8').on('data', collect)
    child.stderr.setEncoding('utf8').on('data', collect)
    const status = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', resolve)
    })
    this.#commands += 1
    await writeFile(join(this.folder, 'output', `${this.#commands}-${basename(args[0] ?? '')}.txt`), output)
    return { status, output }
  }

  /** Creates a stack with a complete configuration and the given changes. */
  async stack(name = 'dev', config: Config = {}): Promise<Stack> {
    const stack = new Stack(this, name)
    await stack.must(['stack', 'init', name])
    const { accountId, zoneId, apiUrl } = this.services.at
    const { instance, graphUrl } = this.services.sandbox.description.entra
    const { baseUrl, owner, repository } = this.services.sandbox.description.github
    await stack.configure({
      'cloudflare:baseUrl': apiUrl,
      'github:baseUrl': baseUrl,
      zoneId,
      accountId,
      tokenOwner: 'account',
      hostname,
      publicOrigin,
      instance: instance.replace(/\/$/, ''),
      graphUrl,
      secretRotationA: daysAgo(10),
      secretRotationB: daysAgo(60),
      allowedDomains: 'example.com',
      repository: `${owner}/${repository}`,
      environment: environmentName,
      ...config,
    })
    await stack.configureSecrets({
      sessionKeys,
      mintingApiToken: this.services.at.adminToken,
      'github:token': this.services.sandbox.description.github.token,
    })
    return stack
  }

  async close(): Promise<void> {
    await this.services.close()
    await rm(this.folder, { recursive: true, force: true })
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

  /** Name of its Worker and its token. */
  get serviceName(): string {
    return `homeport-${this.name}`
  }

  run(args: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<Run> {
    const selected = args[0] === 'stack' && args[1] === 'init' ? [] : ['--stack', this.name]
    return this.stage.pulumi([...args, ...selected], environment)
  }

  /** Runs a command. @throws Error with its output if its status is not 0 */
  async must(args: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<string> {
    const { status, output } = await this.run(args, environment)
    if (status !== 0) throw new Error(`pulumi ${args.join(' ')} ended with ${status}:\n${output}`)
    return output
  }

  drift(): Promise<Run> {
    return this.stage.drift(['--stack', this.name])
  }

  /** Runs `pulumi up` without a preview. */
  up(...args: string[]): Promise<string> {
    return this.must(['up', '--yes', '--skip-preview', ...args])
  }

  tryUp(...args: string[]): Promise<Run> {
    return this.run(['up', '--yes', '--skip-preview', ...args])
  }

  async configure(config: Config): Promise<void> {
    const given = Object.entries(config).filter(([, value]) => value !== undefined)
    const gone = Object.keys(config).filter(key => config[key] === undefined)
    if (given.length > 0) {
      await this.must([
        'config',
        'set-all',
        ...given.flatMap(([key, value]) => ['--plaintext', `${key}=${value}`]),
      ])
    }
    if (gone.length > 0) await this.must(['config', 'rm-all', ...gone])
  }

  async configureSecrets(config: Readonly<Record<string, string>>): Promise<void> {
    await this.must([
      'config',
      'set-all',
      ...Object.entries(config).flatMap(([key, value]) => ['--secret', `${key}=${value}`]),
    ])
  }

  async output(name: string): Promise<string> {
    return (await this.must(['stack', 'output', name, '--show-secrets'])).trim()
  }
}
